"""Give back what was imported from other tools, byte for byte.

Of a note whose text was not kept as a whole, what git has of it; where git has nothing, what was kept.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

from linetrail.ledger.batches import batches
from linetrail.ledger.repository import Repository
from linetrail.projections.git.history import Objects
from linetrail.projections.tables.tables import Tables
from linetrail.queries.exporters.originals import Originals, is_partial
from linetrail.queries.importers.older.dialects import SEED, SPEC
from linetrail.queries.importers.older.pieces import LATIN_1

# Of the events that hold what was received, so many are in memory at once.
_HELD = 200

_NOTES = """
with
newest as (
    select vcs_revision, arg_max(note, position) as note
    from stated_lines
    where dialect is distinct from 'trailers'
    group by vcs_revision
)

select s.vcs_revision, list(distinct s.position order by s.position) as positions
from stated_lines s join newest on newest.vcs_revision = s.vcs_revision and newest.note = s.note
group by s.vcs_revision
order by min(s.position)
"""
# The limits let DuckDB pass over what lies outside of them; the list alone would make it read everything.
_PAYLOADS = """
select position, payload
from events
where position between $first and $last and position in (select unnest($positions))
order by position
"""
_RECORDS = """
select position
from events
where payload ->> '$.dialect' in (select unnest($dialects)) and payload ->> '$.raw' is not null
order by position
"""


class Note(NamedTuple):
    """A note that was imported, and its commit."""

    commit: str
    content: bytes


def notes(repository: Repository, tables: Tables, commits: Collection[str] | None) -> Iterator[Note]:
    """Yield the note of each of these commits, of all without a limit, as it was imported last."""
    rows = [(commit, at) for commit, at in tables.ask(_NOTES).rows if commits is None or commit in commits]
    with closing(Objects(repository)) as store:
        originals = Originals(repository, store)
        for group in batches(rows, lambda row: len(row[1]), _HELD):
            payloads = _payloads(tables, [position for _, positions in group for position in positions])
            for commit, positions in group:
                parts = [payloads[position] for position in positions]
                partial = next(filter(is_partial, parts), None)
                whole = originals.of(partial) if partial else None
                yield Note(commit, _content(parts) if whole is None else whole)


def records(tables: Tables) -> Iterator[str]:
    """Yield the records of older ledgers that were imported, in the order of this one."""
    places = [position for (position,) in tables.ask(_RECORDS, {"dialects": [SPEC, SEED]}).rows]
    begun = ""
    for at in range(0, len(places), _HELD):
        for data in _payloads(tables, places[at : at + _HELD]).values():
            begun += data["raw"]
            place = data["received"]
            if place.get("part") == place.get("parts"):
                yield begun
                begun = ""


def _payloads(tables: Tables, positions: Sequence[int]) -> dict[int, dict[str, Any]]:
    limits = {"first": min(positions), "last": max(positions)}
    rows = tables.ask(_PAYLOADS, {"positions": positions, **limits}).rows
    return {position: json.loads(payload) for position, payload in rows}


def _content(parts: Sequence[dict[str, Any]]) -> bytes:
    """Put a note together; it may have been imported twice."""
    texts = {data.get("part") or 1: data for data in parts if data.get("raw") is not None}
    encoding = LATIN_1 if any(data["dialect"] == LATIN_1 for data in texts.values()) else "utf-8"
    return "".join(texts[part]["raw"] for part in sorted(texts)).encode(encoding)
