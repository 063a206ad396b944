"""Assign the surviving lines of each session to the definitions that contain them.

The ledger has no texts. They are known where the last commit that the ledger tells of has a file as it was last
recorded; only that commit counts, since what is committed later is known to nobody who works the same ledger off. If
history was rewritten and has it no more, HEAD stands for it. What no commit has yet was named when its change was
judged, where the text was: that stands in the ledger, and every clone has it.
"""

import contextlib
import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import digest, publish
from linetrail.ledger.observe.substance import line_hash, split
from linetrail.ledger.repository import Repository
from linetrail.projections.git.history import Objects, checked_out
from linetrail.projections.lines.states import ranges
from linetrail.projections.lines.surviving_lines import Holding, numbers
from linetrail.projections.nodes.commits import blobs
from linetrail.projections.nodes.index import DefinitionIndex, rules
from linetrail.projections.nodes.sides import Side
from linetrail.projections.syntax.language import language_of
from linetrail.projections.tables.table import Table

# 1: first layout of what is kept.
# 2: names from the ledger, too.
LAYOUT = 2
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


class Named(NamedTuple):
    """The lines of a definition that people would look for."""

    name: str
    first: int
    last: int


# What the ledger tells of contents that no commit has: path and hash of the content -> what it defines.
Told = Mapping[tuple[str, str | None], Sequence[Named]]


def named(side: Side) -> list[Named]:
    """Return what a file defines, without the details of what it defines."""
    length = len(split(side.content).lines)
    return [
        Named(definition.qualified, definition.start_line, min(definition.end_line, length))
        for definition in side.definitions
        if definition.kind not in _DETAILS
    ]


def divided(
    repository: Repository, holdings: Table, revision: str | None, kept: Path | None, told: Told | None = None
) -> Table:
    """Return the holdings by path and definition; what `kept` remembers is not worked out again, and is renewed."""
    told = told or {}
    before = _load(kept)
    found: dict[str, tuple[str, Sequence[Held]]] = {}
    contents = blobs(repository, revision) if revision else {}
    with contextlib.closing(Objects(repository)) as store, contextlib.closing(DefinitionIndex(repository)) as indexed:
        for path, group in groupby((Holding(*row) for row in holdings.rows), key=lambda holding: holding.path):
            held = list(group)
            known_names = told.get((path, held[0].state), ())
            name = _name(path, contents.get(path), held, known_names)
            known = before.get(path)
            if known is not None and known[0] == name:
                found[path] = known
                continue
            content = store.read(contents[path]) if path in contents else None
            names = _names(held[0], content, indexed) or known_names
            found[path] = name, [part for one in held for part in _parts(one, names)]
    if kept is not None and found != before:
        _save(kept, found)
    return Table(Held._fields, [part for path in found for part in found[path][1]])


def _names(holding: Holding, content: bytes | None, indexed: DefinitionIndex) -> list[Named]:
    """Return what a file defines if it is committed as it was recorded."""
    reading = next((one for one in checked_out(content) if digest(one) == holding.state), None)
    return [] if reading is None else named(indexed.side(holding.path, reading))


def _parts(holding: Holding, names: Sequence[Named]) -> Iterator[Held]:
    """Divide one holding; where no definition is known it stays whole."""
    path, intent_id, session_id, event_id, lines, lines_hash, _, written, told = holding
    if not names:
        yield Held(path, intent_id, session_id, event_id, None, lines, lines_hash)
        return
    events = {number: event for event, its in written for number in numbers(its)}
    order = {event: at for at, (event, _) in enumerate(written)}
    hashes = dict(zip(numbers(lines), told, strict=True))
    for node, held in _by_node(names, hashes).items():
        last = max((events[number] for number in held), key=lambda event: order[event])
        text = "\n".join(hashes[number] for number in held)
        digested = hashlib.sha256(text.encode()).hexdigest()[:16]
        yield Held(path, intent_id, session_id, last, node, ranges(held), digested)


def _by_node(names: Sequence[Named], hashes: Mapping[int, str]) -> dict[str | None, list[int]]:
    """Give each held line the definition around it: the outermost of which every line is held, else the innermost.

    A blank line goes with the line above it.
    """
    node = _nodes(names, hashes)
    found: dict[str | None, list[int]] = {}
    above = 0
    for number, line in hashes.items():
        if line == _BLANK and number == above + 1:
            node[number] = node.get(above)
        found.setdefault(node.get(number), []).append(number)
        above = number
    return found


def _nodes(names: Sequence[Named], held: Collection[int]) -> dict[int, str | None]:
    """Return the definition that each line is shown with, by its number."""
    node: dict[int, str | None] = {}
    whole = 0
    for name, first, last in names:
        if first <= whole:
            continue
        lines = range(first, last + 1)
        node |= dict.fromkeys(lines, name)
        if all(number in held for number in lines):
            whole = last
    return node


def _name(path: str, blob: str | None, held: Sequence[Holding], names: Sequence[Named]) -> str:
    """Name the parts of a file's holdings by all that they follow from."""
    language = language_of(path)
    told = json.dumps([LAYOUT, language and rules(language), blob, held, names])
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
