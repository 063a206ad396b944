"""Assign the surviving lines of each session to the definitions that contain them.

The ledger has no texts. They are known where the last commit that the ledger tells of has a file as it was last
recorded; only that commit counts, since what is committed later is known to nobody who works the same ledger off. If
history was rewritten and has it no more, HEAD stands for it.
"""

import contextlib
import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import publish
from linetrail.ledger.observe.content import digest
from linetrail.ledger.observe.substance import line_hash, split
from linetrail.ledger.repository import Repository
from linetrail.projections.git.history import Objects, checked_out
from linetrail.projections.lines.states import hashes_of
from linetrail.projections.lines.surviving_lines import Holding, numbers, ranges
from linetrail.projections.nodes.commits import blobs
from linetrail.projections.nodes.index import DefinitionIndex, rules
from linetrail.projections.nodes.sides import Side
from linetrail.projections.syntax.language import language_of
from linetrail.projections.tables.tables import Table

# 1: first layout of what is kept.
LAYOUT = 1
# What is part of a definition rather than one that people would look for.
_DETAILS = frozenset({"variable", "constant", "property", "key", "prototype", "element"})
_BLANK = line_hash(b"")


class Held(NamedTuple):
    """Lines of one definition that one session wrote for one intent; `node` is None outside of any, or unknown."""

    path: str
    intent_id: str | None
    session_id: str | None
    event_id: str | None
    node: str | None
    lines: str
    lines_hash: str


def divided(repository: Repository, holdings: Table, revision: str | None, kept: Path | None) -> Table:
    """Return the holdings by path and definition; what `kept` remembers is not worked out again, and is renewed."""
    before = _load(kept)
    found: dict[str, tuple[str, Sequence[Held]]] = {}
    contents = blobs(repository, revision) if revision else {}
    with contextlib.closing(Objects(repository)) as store, contextlib.closing(DefinitionIndex(repository)) as indexed:
        for path, group in groupby((Holding(*row) for row in holdings.rows), key=lambda holding: holding.path):
            held = list(group)
            name = _name(path, contents.get(path), held)
            known = before.get(path)
            if known is not None and known[0] == name:
                found[path] = known
                continue
            content = store.read(contents[path]) if path in contents else None
            found[path] = name, [part for one in held for part in _parts(one, content, indexed)]
    if kept is not None and found != before:
        _save(kept, found)
    return Table(Held._fields, [part for path in found for part in found[path][1]])


def _parts(holding: Holding, content: bytes | None, indexed: DefinitionIndex) -> Iterator[Held]:
    """Divide one holding; what is not known to be as it was recorded stays whole."""
    path, intent_id, session_id, event_id, lines, lines_hash, state, written = holding
    reading = next((one for one in checked_out(content) if digest(one) == state), None)
    side = indexed.side(path, reading) if reading is not None else None
    if side is None or not side.definitions:
        yield Held(path, intent_id, session_id, event_id, None, lines, lines_hash)
        return
    events = {number: event for event, its in written for number in numbers(its)}
    order = {event: at for at, (event, _) in enumerate(written)}
    hashes = hashes_of(split(reading or b""))
    for node, held in _by_node(side, numbers(lines), hashes).items():
        last = max((events[number] for number in held), key=lambda event: order[event])
        text = "\n".join(hashes[number - 1] for number in held)
        named = hashlib.sha256(text.encode()).hexdigest()[:16]
        yield Held(path, intent_id, session_id, last, node, ranges(held), named)


def _by_node(side: Side, held: Sequence[int], hashes: Sequence[str]) -> dict[str | None, list[int]]:
    """Give each held line the definition around it: the outermost of which every line is held, else the innermost.

    A blank line goes with the line above it.
    """
    node = _nodes(side, set(held), len(hashes))
    found: dict[str | None, list[int]] = {}
    above = 0
    for number in held:
        if hashes[number - 1] == _BLANK and number == above + 1:
            node[number] = node[above]
        found.setdefault(node[number], []).append(number)
        above = number
    return found


def _nodes(side: Side, held: Collection[int], length: int) -> list[str | None]:
    """Return the definition that each line is shown with, by its number."""
    node: list[str | None] = [None] * (length + 1)
    whole = 0
    for definition in side.definitions:
        lines = range(definition.start_line, min(definition.end_line, length) + 1)
        if definition.kind in _DETAILS or definition.start_line <= whole:
            continue
        node[lines.start : lines.stop] = [definition.qualified] * len(lines)
        if all(number in held for number in lines):
            whole = lines.stop - 1
    return node


def _name(path: str, blob: str | None, held: Sequence[Holding]) -> str:
    """Name the parts of a file's holdings by all that they follow from."""
    language = language_of(path)
    told = json.dumps([LAYOUT, language and rules(language), blob, held])
    return hashlib.sha256(told.encode()).hexdigest()


def _load(kept: Path | None) -> Mapping[str, tuple[str, Sequence[Held]]]:
    try:
        record = json.loads(kept.read_bytes()) if kept else {}
        return {path: (name, [Held(path, *fields) for fields in parts]) for path, (name, parts) in record.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _save(kept: Path, found: Mapping[str, tuple[str, Sequence[Held]]]) -> None:
    record = {path: [name, [part[1:] for part in parts]] for path, (name, parts) in found.items()}
    with contextlib.suppress(OSError, StorageError):
        publish(str(kept), json.dumps(record).encode(), durable=False)
