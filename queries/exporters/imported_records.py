"""Give back what was imported from other tools, byte for byte.

Of a note whose text was not kept as a whole, what git has of it; where git has nothing, what was kept.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple

from linetrail.ledger.event.event import batches
from linetrail.ledger.repository import Repository, git
from linetrail.projections.git.history import Objects
from linetrail.projections.git.plumbing import answer
from linetrail.projections.tables.tables import Tables
from linetrail.queries.importers.notes.gitai_notes import MAX_NOTE_BYTES, REF, is_ref, sizes
from linetrail.queries.importers.notes.note_text import kept
from linetrail.queries.importers.older.dialects import SEED, SPEC
from linetrail.queries.importers.older.pieces import LATIN_1
from linetrail.queries.statements import statement

# Of the events that hold what was received, so many are in memory at once.
_HELD = 200


class Note(NamedTuple):
    """A note that was imported, and its commit."""

    commit: str
    content: bytes


def notes(repository: Repository, tables: Tables, commits: Collection[str] | None) -> Iterator[Note]:
    """Yield the note of each of these commits, of all without a limit, as it was imported last."""
    rows = [
        (commit, at)
        for commit, at in tables.ask(statement("imported_notes")).rows
        if commits is None or commit in commits
    ]
    with closing(Objects(repository)) as store:
        originals = Originals(repository, store)
        for group in batches(rows, lambda row: len(row[1]), _HELD):
            payloads = _payloads(tables, [position for _, positions in group for position in positions])
            for commit, positions in group:
                parts = [payloads[position] for position in positions]
                partial = next(filter(is_partial, parts), None)
                whole = originals.of(partial) if partial else None
                yield Note(commit, _content(parts) if whole is None else whole)


def records(tables: Tables, dialects: Sequence[str] = (SPEC, SEED)) -> Iterator[str]:
    """Yield the records of older ledgers that were imported in these dialects, in the order of this one."""
    asked = {"dialects": list(dialects)}
    places = [position for (position,) in tables.ask(statement("imported_records"), asked).rows]
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
    rows = tables.ask(statement("imported_payloads"), {"positions": positions, **limits}).rows
    return {position: json.loads(payload) for position, payload in rows}


def _content(parts: Sequence[dict[str, Any]]) -> bytes:
    """Put a note together; it may have been imported twice."""
    texts = {data.get("part") or 1: data for data in parts if data.get("raw") is not None}
    encoding = LATIN_1 if any(data["dialect"] == LATIN_1 for data in texts.values()) else "utf-8"
    return "".join(texts[part]["raw"] for part in sorted(texts)).encode(encoding)


class Originals:
    """The notes in one repository. Refs of notes are read when the first note is looked for, with their past."""

    def __init__(self, repository: Repository, store: Objects) -> None:
        self._repository, self._store = repository, store
        self._attached: dict[str, Mapping[str, Sequence[str]]] = {}

    def of(self, data: Mapping[str, Any]) -> bytes | None:
        """Return the whole note of an event that says something was left out; None where git does not have it."""
        received = data["received"]
        ref = received["file"] if is_ref(received["file"]) else REF
        blobs = self._of_ref(ref).get(data["revision"], ())
        lengths = sizes(self._repository, blobs)
        for blob in blobs:
            content = self._store.read(blob) if lengths.get(blob, MAX_NOTE_BYTES + 1) <= MAX_NOTE_BYTES else None
            if content is not None and kept(content).blob == data["note"]:
                return content
        return None

    def _of_ref(self, ref: str) -> Mapping[str, Sequence[str]]:
        """Return for each commit the notes that it has, or had, under a ref, newest first."""
        if ref not in self._attached:
            found: dict[str, dict[str, None]] = defaultdict(dict)
            commits = git(self._repository, "rev-list", "--end-of-options", ref, "--")
            raw = ("--no-commit-id", "-r", "-m", "--root", "--raw", "-z", "--no-renames", "--no-abbrev")
            words = iter(answer(self._repository, "diff-tree", "--stdin", *raw, stdin=commits or b"").split(b"\0"))
            for word in words:
                if word.startswith(b":"):
                    commit = next(words).decode(errors="replace").replace("/", "")
                    found[commit][word.split(b" ")[3].decode()] = None
            self._attached[ref] = {commit: list(blobs) for commit, blobs in found.items()}
        return self._attached[ref]


def is_partial(data: Mapping[str, Any]) -> bool:
    """Return whether the ledger keeps only a part of a note."""
    received = data.get("received") or {}
    return bool(received.get("left_out") or received.get("redacted"))
