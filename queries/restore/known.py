"""Find marked states in the tables, by id or by name."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from linetrail.ledger.errors import IntegrityError, LinetrailError
from linetrail.projections.tables.tables import Tables
from linetrail.queries.render.text import plain
from linetrail.queries.restore.recovery_point import KeptFile, Point

_POINTS = "select * from v_recovery_points order by position"
_FILES = """
select path, content_hash, executable, omitted
from v_recovery_point_files
where point_id = $point_id
order by path
"""
_SIMILAR = 5

Record = Mapping[str, Any]


class UnknownPointError(LinetrailError):
    """No recovery point has this name, or more than one id begins like it."""

    hint = "linetrail recovery-point list"
    exit_status = 1


def points(tables: Tables) -> list[dict[str, Any]]:
    """Return every recovery point, oldest first."""
    return list(tables.ask(_POINTS).mappings())


def find(tables: Tables, text: str) -> Point:
    """Return the point that is meant: by its id or its first characters, else the last that has this name."""
    known = points(tables)
    named = [one for one in known if one["point_name"] == text]
    begun = [one for one in known if one["point_id"].startswith(text)] if text else []
    exact = [one for one in begun if one["point_id"] == text]
    found = exact or named[-1:] or begun
    if len(found) == 1:
        return _point(tables, found[0])
    if found:
        raise UnknownPointError(f"{plain(text)} is not unique: {_listed(found)}")
    raise UnknownPointError(f"no recovery point is called {plain(text)}; there are {_listed(known) or 'none'}")


def _point(tables: Tables, record: Record) -> Point:
    if not record["complete"]:
        error = "a part of this recovery point is missing from the ledger"
        raise IntegrityError("recovery point", record["position"], "LINES_MISSING", f"{record['point_id']}: {error}")
    paths = record["paths"]
    return Point(
        record["point_id"],
        record["point_name"],
        record["vcs_revision"],
        None if paths in (None, "null") else tuple(json.loads(paths)),
        [KeptFile(*row) for row in tables.ask(_FILES, {"point_id": record["point_id"]}).rows],
        record["reason"],
    )


def _listed(records: Sequence[Record]) -> str:
    shown = [f"{one['point_id']} ({plain(one['point_name'])})" for one in records[: -_SIMILAR - 1 : -1]]
    more = f" and {len(records) - _SIMILAR} more" if len(records) > _SIMILAR else ""
    return ", ".join(shown) + more
