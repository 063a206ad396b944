"""Find the lines that each session still has, for each intent, in the last recorded state of every file.

A function of the ledger alone: no file is read and git is not asked, so a fresh clone gives the same answer. What was
found is kept per file, and only files that events touched since are worked off again.
"""

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import publish
from linetrail.projections.closure import reached
from linetrail.projections.lines.attribution import RULES
from linetrail.projections.lines.replay import Replay
from linetrail.projections.lines.states import Line, ranges
from linetrail.projections.lines.transitions import Claim, Transition, read
from linetrail.projections.statements import statement
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Tables

# 1: first layout of what is kept.
# 2: with the state that has the lines, and the lines of each event.
# 3: with the hash of each line.
LAYOUT = 3
# Changes that are held in memory at once, if no single file has more.
PORTION = 50_000

_TOUCHED = """
select path from mutation_files where position > $position
union
select from_path from mutation_files where position > $position and from_path is not null
"""
_SIZES = "select path, count(*) from mutation_files group by path"
_RENAMES = "select distinct path, from_path from mutation_files where from_path is not null"
_LAST = "select position, event_id from mutation_files order by position desc limit 1"
_IS_HERE = "select 1 from mutation_files where position = $position and event_id = $event_id"


class Holding(NamedTuple):
    """Lines of one file that one session wrote for one intent. `event_id` is the last event that wrote one of them.

    `state` is the hash of the content that has them; `written` are the lines of each event, the first event in front;
    `hashes` are those of the lines, in their order.
    """

    path: str
    intent_id: str | None
    session_id: str | None
    event_id: str | None
    lines: str
    lines_hash: str
    state: str | None = None
    written: Sequence[tuple[str | None, str]] = ()
    hashes: Sequence[str] = ()


class _Known(NamedTuple):
    """What was found up to a position; the event there tells whether it was in this ledger."""

    position: int
    event_id: str
    files: dict[str, list[Holding]]


_NOTHING = _Known(0, "", {})


def holdings(tables: Tables, kept: Path | None = None) -> Table:
    """Return all holdings by path; what `kept` remembers is not worked off again, and is renewed."""
    known = _load(kept, tables) if kept else _NOTHING
    files = known.files | worked_off(tables, known.position)
    last = tables.ask(_LAST).rows
    if kept and last and last[0][0] != known.position:
        _save(kept, _Known(last[0][0], last[0][1], files))
    return Table(Holding._fields, [holding for path in sorted(files) for holding in files[path]])


def worked_off(tables: Tables, after: int) -> dict[str, list[Holding]]:
    """Return the holdings in each file that an event behind this position touched; a file that is gone has none."""
    found: dict[str, list[Holding]] = {}
    touched = (path for (path,) in tables.ask(_TOUCHED, {"position": after}).rows)
    for portion in pasts(tables, touched):
        found |= {path: in_file(path, past) if past else [] for path, past in portion.items()}
    return found


def names_of_files(tables: Tables) -> dict[str, str]:
    """Return for each name of a file that ever had another the first of all that it had, by the alphabet."""
    names = _other_names(tables.ask(_RENAMES).rows)
    found: dict[str, str] = {}
    for name in sorted(names):
        if name not in found:
            found |= dict.fromkeys(reached([name], lambda known: names.get(known, ())), name)
    return found


def pasts(tables: Tables, wanted: Iterable[str]) -> Iterator[dict[str, list[Transition]]]:
    """Yield the changes of these files, and of all that ever bore one of their names, some files at a time.

    A name that no file bears any more has none.
    """
    sizes = dict(tables.ask(_SIZES).rows)
    for paths in _portions(wanted, tables.ask(_RENAMES).rows, sizes):
        changes = read(tables.ask(statement("recorded_files"), {"paths": sorted(paths)}).mappings())
        yield {path: [] for path in paths} | histories(changes)


def histories(changes: Iterable[Transition]) -> dict[str, list[Transition]]:
    """Give each path the changes of the file that bears it now; a renamed or copied file takes its own with it."""
    found: dict[str, list[Transition]] = {}
    for change in changes:
        past = found.get(change.path, [])
        if change.from_path is not None:
            past = sorted([*past, *found.get(change.from_path, [])], key=lambda before: before.claim.position)
            if change.op == "rename":
                found.pop(change.from_path, None)
        found[change.path] = [*past, change]
    return found


def in_file(path: str, past: Sequence[Transition]) -> list[Holding]:
    """Return who holds lines of a file that went through these changes: agents, and people with an intent."""
    name = past[-1].after_hash or ""
    state = Replay(past, lambda _: None).state(name)
    held: dict[tuple[str, str], list[tuple[int, Line, Claim]]] = {}
    for number, line in enumerate(state.lines if state else (), 1):
        claim = line.owner()
        if claim is not None and claim.seen and (claim.contributor_type == "ai" or claim.intent_id):
            held.setdefault((claim.intent_id or "", claim.session_id or ""), []).append((number, line, claim))
    return [_holding(path, name, lines) for _, lines in sorted(held.items(), key=lambda item: item[0])]


def numbers(text: str) -> list[int]:
    """Read line numbers back.

    >>> numbers("3-5, 9")
    [3, 4, 5, 9]
    """
    runs = [run.partition("-") for run in text.split(", ")]
    return [number for first, _, last in runs for number in range(int(first), int(last or first) + 1)]


def _holding(path: str, state: str, lines: Sequence[tuple[int, Line, Claim]]) -> Holding:
    written: dict[Claim, list[int]] = {}
    for number, _, claim in lines:
        written.setdefault(claim, []).append(number)
    claims = sorted(written, key=lambda claim: claim.position)
    last = claims[-1]
    hashes = [line.hash or "" for _, line, _ in lines]
    return Holding(
        path=path,
        intent_id=last.intent_id,
        session_id=last.session_id,
        event_id=last.event_id,
        lines=ranges(number for number, _, _ in lines),
        lines_hash=hashlib.sha256("\n".join(hashes).encode()).hexdigest()[:16],
        state=state,
        written=[(claim.event_id, ranges(written[claim])) for claim in claims],
        hashes=hashes,
    )


def _portions(paths: Iterable[str], renames: Sequence[Sequence[str]], sizes: Mapping[str, int]) -> Iterator[set[str]]:
    """Yield paths in portions that fit into memory, each with every name that one of its files ever had."""
    names = _other_names(renames)
    seen: set[str] = set()
    portion: set[str] = set()
    changes = 0
    for path in sorted(paths):
        if path in seen:
            continue
        related = reached([path], lambda name: names.get(name, ()))
        seen |= related
        portion |= related
        changes += sum(sizes.get(name, 0) for name in related)
        if changes >= PORTION:
            yield portion
            portion, changes = set(), 0
    if portion:
        yield portion


def _other_names(renames: Sequence[Sequence[str]]) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {}
    for pair in renames:
        for name, other in (pair, reversed(pair)):
            names.setdefault(name, set()).add(other)
    return names


def _load(kept: Path, tables: Tables) -> _Known:
    """Return what was kept, if these rules made it and this ledger went through its last event."""
    try:
        record = json.loads(kept.read_bytes())
        if record["made_by"] != [LAYOUT, RULES]:
            return _NOTHING
        files = {path: [Holding(path, *fields) for fields in held] for path, held in record["files"].items()}
        known = _Known(record["position"], record["event_id"], files)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return _NOTHING
    here = tables.ask(_IS_HERE, {"position": known.position, "event_id": known.event_id}).rows
    return known if here else _NOTHING


def _save(kept: Path, known: _Known) -> None:
    files = {path: [holding[1:] for holding in held] for path, held in known.files.items() if held}
    record: Mapping[str, object] = {
        "made_by": [LAYOUT, RULES],
        "position": known.position,
        "event_id": known.event_id,
        "files": files,
    }
    with contextlib.suppress(OSError, StorageError):
        publish(str(kept), json.dumps(record).encode(), durable=False)
