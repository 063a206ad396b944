"""Bring everything that follows from the ledger up to date: tables, derived tables, tracked files.

What was kept is used where it is certainly right, so the answer is the same with a cache, without one, and with half
of one. Nothing is ever changed in place.
"""

import contextlib
import json
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from linetrail.ledger.errors import StorageError, UsageError
from linetrail.ledger.files import publish
from linetrail.ledger.repository import Repository, require_ledger
from linetrail.ledger.store import Head
from linetrail.ledger.vcs import git
from linetrail.projections import models
from linetrail.projections.files import INTENT_MAP, intent_map
from linetrail.projections.holdings import holdings
from linetrail.projections.parts import Parts
from linetrail.projections.tables import Tables

MAP = INTENT_MAP.removesuffix(".md")
_INTENTS = "select intent_id, title, status from intents"


class Row(NamedTuple):
    """What became of one projection. `changed`: it says something else than after the last rebuild."""

    projection: str
    rows: int
    ms: int
    changed: bool


class Finding(NamedTuple):
    """A check that answered with rows, and the first of them."""

    check: str
    about: str
    rows: int
    first: Mapping[str, Any]


class _Built(NamedTuple):
    """What the last rebuild left: by which models, up to where, how many rows of each fact."""

    version: str
    head: Head
    rows: dict[str, int]


def names() -> list[str]:
    """Return the names of all projections, in the order in which they are made."""
    return [model.name for model in (*models.stored(), *models.derived())] + [MAP]


def rebuild(
    repository: Repository, *, full: bool = False, check: bool = False, only: Collection[str] | None = None
) -> list[Row]:
    """Regenerate the projections; with `check`, find out what that would change and write nothing."""
    wanted = _wanted(only)
    parts = Parts(require_ledger(repository), keep=not check)
    with Tables(parts.current(anew=full)) as tables:
        rows = list(_tables(repository, tables, parts, check=check))
        if MAP in wanted:
            rows.append(_map(repository, tables, full=full, check=check))
    return [row for row in rows if row.projection in wanted]


def findings(tables: Tables) -> list[Finding]:
    """Run the checks that must answer with no row."""
    answers = [(check, tables.ask(check.sql)) for check in models.checks()]
    return [
        Finding(check.name, check.about, len(answer.rows), next(answer.mappings()))
        for check, answer in answers
        if answer.rows
    ]


def is_tracked(repository: Repository, path: Path) -> bool:
    """Tell whether git has this file in its index."""
    return bool(git(repository, "ls-files", "--", str(path)))


def _wanted(only: Collection[str] | None) -> Collection[str]:
    unknown = sorted(set(only or ()) - set(names()))
    if unknown:
        raise UsageError(f"no projection is called {', '.join(unknown)}; there are {', '.join(names())}")
    return names() if only is None else only


def _tables(repository: Repository, tables: Tables, parts: Parts, *, check: bool) -> Iterator[Row]:
    """Count every table. A fact grows at its end alone; a derived table may change when one that it needs did."""
    kept = Path(repository.folder, "cache", "built.json")
    before = _last_built(kept)
    same_past = before is not None and before.version == parts.version and parts.went_through(before.head)
    rows: dict[str, int] = {}
    changed: dict[str, bool] = {}
    for model in (*models.stored(), *models.derived()):
        start = time.perf_counter()
        rows[model.name] = tables.ask(f"select count(*) from {model.name}").rows[0][0]  # noqa: S608  a file's name
        seconds = parts.seconds[model.name] + time.perf_counter() - start
        grown = before is None or before.rows.get(model.name) != rows[model.name]
        changed[model.name] = not same_past or grown or any(changed.get(need, False) for need in model.needs)
        yield Row(model.name, rows[model.name], round(seconds * 1000), changed[model.name])
    if not check:
        _remember(kept, _Built(parts.version, tables.parts[-1].head, rows))


def _map(repository: Repository, tables: Tables, *, full: bool, check: bool) -> Row:
    start = time.perf_counter()
    kept = Path(repository.folder, "cache", "holdings.json")
    if full and not check:
        kept.unlink(missing_ok=True)
    held = holdings(tables, None if check else kept)
    changed = _write(repository, INTENT_MAP, intent_map(held, tables.ask(_INTENTS)), check=check)
    return Row(MAP, len(held.rows), round((time.perf_counter() - start) * 1000), changed)


def _write(repository: Repository, name: str, text: str, *, check: bool) -> bool:
    """Put a generated file in place where it says something else; with `check`, only tell whether it does."""
    path = Path(repository.folder, name)
    try:
        if path.read_bytes() == text.encode():
            return False
    except FileNotFoundError:
        if check:
            return is_tracked(repository, path)
    if not check:
        try:
            publish(str(path), text.encode(), durable=True, mode=0o644)
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror}") from None
    return True


def _last_built(kept: Path) -> _Built | None:
    try:
        record = json.loads(kept.read_bytes())
        return _Built(record["version"], Head(*record["head"]), dict(record["rows"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _remember(kept: Path, built: _Built) -> None:
    with contextlib.suppress(OSError, StorageError):
        publish(str(kept), json.dumps(built._asdict()).encode(), durable=False)
