"""Gather what the ledger and git hold about one file, for the rules of `replay` and `lines` to judge."""

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from linetrail.ledger.files import digest
from linetrail.ledger.observe.substance import Split
from linetrail.ledger.repository import file_path, stored_path
from linetrail.projections.git.history import Blamed, Objects, checked_out
from linetrail.projections.git.target import Target
from linetrail.projections.lines.replay import Contents, Replay
from linetrail.projections.lines.states import Text, lines_of, text_of
from linetrail.projections.lines.transitions import Transition, read
from linetrail.projections.tables.records import Row
from linetrail.projections.tables.tables import Tables

# How many earlier contents are looked at to see which words of a line changed.
MAX_EARLIER = 8
# Two files with the same content say something of each other only when it has this many lines.
MIN_MOVED_LINES = 3
MAX_MOVED = 20

# The names that a file had, each with the position in the ledger up to which it meant this file; None for any.
Names = Mapping[str, int | None]


def transitions(store: Objects, tables: Tables, target: Target, former: Iterable[str] = ()) -> list[Transition]:
    """Return what was recorded of a file under all the names it had, in the order of the ledger."""
    return recorded(tables, names(store, tables, target, former))


def names(store: Objects, tables: Tables, target: Target, former: Iterable[str] = ()) -> Names:
    """Return all the names that a file had.

    `former` are names that git knows. A file that is gone may have become this one without anybody seeing it: then it
    had a content that this one has now, or once started from.
    """
    until = _former_names(tables, [target.path, *map(stored_path, former)])
    found = list(_rows(tables, until))
    made = {row["after_hash"] for row in found if not row["snapshot"]}
    needed = {digest(target.content), *(row["before_hash"] or row["after_hash"] for row in found)}
    looked_for = set(filter(None, needed - made))
    moved = tables.records.same_content(looked_for, MIN_MOVED_LINES, MAX_MOVED)
    gone = [path for path in moved if path not in until and not _is_there(store, target, path)]
    return _former_names(tables, [*until, *gone]) if gone else until


def _is_there(store: Objects, target: Target, path: str) -> bool:
    """Return whether another file is there beside the target, in the work tree or in the same commit."""
    if target.revision is None:
        return os.path.lexists(store.repository.absolute(path))
    return store.read(f"{target.revision}:{file_path(path)}") is not None


def recorded(tables: Tables, until: Names) -> list[Transition]:
    """Return what was recorded of a file under these names, in the order of the ledger."""
    return read(_rows(tables, until))


def _rows(tables: Tables, until: Names) -> Iterator[Row]:
    rows = tables.records.changes(until.keys())
    return (row for row in rows if (limit := until[row["path"]]) is None or row["position"] <= limit)


def base_contents(store: Objects) -> Contents:
    """Return how to learn the content a transition started from, where git has it."""

    def text(transition: Transition) -> Text | None:
        path = file_path(transition.from_path or transition.path)
        names = [transition.before_blob, transition.claim.vcs_revision and f"{transition.claim.vcs_revision}:{path}"]
        for content in (store.read(name) for name in names if name):
            for reading in checked_out(content):
                if digest(reading) == transition.before_hash:
                    return text_of(reading)
        return None

    return text


def earlier_texts(store: Objects, target: Target, blamed: Blamed, replay: Replay) -> dict[str, Split]:
    """Return recorded contents that git has of the file from before the lines it now has, by digest."""
    names = {f"{revision}:{path}": None for revision, path in filter(None, (line.previous for line in blamed.lines))}
    if target.revision is None and target.head is not None:
        names = {f"{target.head}:{file_path(target.path)}": None} | names
    readings = (reading for name in list(names)[:MAX_EARLIER] for reading in checked_out(store.read(name)))
    return {name: lines_of(reading)[0] for reading in readings if replay.knows(name := digest(reading))}


def _former_names(tables: Tables, names: Iterable[str]) -> dict[str, int | None]:
    """Follow recorded renames and copies backwards: each name, with the position up to which it meant this file."""
    until: dict[str, int | None] = dict.fromkeys(names)
    for position, path, from_path in reversed(tables.records.renames()):
        limit = until.get(path, 0)
        if from_path not in until and (limit is None or position <= limit):
            until[from_path] = position
    return until


# So many files are kept at hand.
KEPT = 512


class Snapshots:
    """The replayed files of one ledger."""

    def __init__(self, tables: Tables, store: Objects) -> None:
        self._tables, self._store = tables, store
        self._replayed = lru_cache(KEPT)(self._replay)

    def of(self, names: Names) -> Replay:
        """Return the states of a file under all the names it had."""
        return self._replayed(tuple(sorted(names.items())))

    def _replay(self, names: tuple[tuple[str, int | None], ...]) -> Replay:
        return Replay(recorded(self._tables, dict(names)), base_contents(self._store))
