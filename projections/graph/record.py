"""What one commit did to the definitions of a repository, in the form in which it is kept.

A record is a fact about one commit: it follows from the commit, the commits before it, and what the ledger tells of the
files in it. Nothing in it depends on later commits, so what was once worked out is right for as long as history stands.
"""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

import msgspec

from linetrail.ledger.repository import Repository
from linetrail.projections.git.history import Objects
from linetrail.projections.git.target import Target
from linetrail.projections.lines.transitions import Claim
from linetrail.projections.nodes.chains import Interval, RecordedChanges
from linetrail.projections.statements import statement
from linetrail.projections.tables.tables import Tables

# A definition of the same file in the first parent, by its place in the text; else with the number of a parent, a path.
Source = int | tuple[int, str, int]


class By(msgspec.Struct, frozen=True, array_like=True):
    """The recorded change that made a version, and how it was found."""

    event_id: str | None
    session_id: str | None
    agent_name: str | None
    model_id: str | None
    intent_id: str | None
    tool_call_id: str | None
    contributor_type: str
    occurred_at: str | None
    found_by: str
    confidence: float


class Told(msgspec.Struct, frozen=True, array_like=True):
    """One version of a definition, as `nodes.versions.Version` has it; `shape` is None where its text is not known.

    `likeness` is how much of it is the same as before, 0 to 1.
    """

    path: str
    qualified: str
    kind: str
    start_line: int
    end_line: int
    raw: str | None
    tokens: str | None
    shape: str | None
    state: str | None
    change: str
    former: str | None
    lines_added: int
    lines_deleted: int
    evidence: str
    likeness: float
    by: By | None


class Link(msgspec.Struct, frozen=True, array_like=True):
    """What a definition has of another one: what it was cut out of, or what was put into it."""

    edge: str
    source: Source
    evidence: str
    confidence: float


class Happened(msgspec.Struct, frozen=True, array_like=True):
    """What became of one definition, the first version first; in a merge `others` are what it was on other branches."""

    at: int
    versions: list[Told]
    others: list[Source]
    links: list[Link]


class Gone(msgspec.Struct, frozen=True, array_like=True):
    """A definition of the first parent that is no more, and the recorded change that took it away."""

    path: str
    at: int
    by: By


class File(msgspec.Struct, frozen=True, array_like=True):
    """A file that a commit changed, and where each of its definitions comes from; None where it began."""

    path: str
    blob: str
    language: str
    sources: list[Source | None]
    happened: list[Happened]


class Record(msgspec.Struct, frozen=True, array_like=True):
    """One commit. `ledger` names what the ledger told of the paths and sessions that were asked for."""

    revision: str
    parents: list[str]
    ledger: dict[str, str]
    files: list[File]
    gone: list[Gone]


def source(told: Source, path: str) -> tuple[int, str, int]:
    """Return the number of a parent, a path in it and a place in that file.

    >>> source(3, "a.py"), source((1, "b.py", 3), "a.py")
    ((0, 'a.py', 3), (1, 'b.py', 3))
    """
    return (0, path, told) if isinstance(told, int) else told


# A session has a name of its own among those of files.
_SESSION = "\0"


class LedgerNames:
    """Names for all that is recorded of each file, under whatever names it had, and of each session.

    Files hang together where one was seen becoming the other, or where both had the same content: what is recorded of
    one may then be asked for by the other.
    """

    def __init__(self, rows: Iterable[tuple[Any, ...]], there: Collection[str]) -> None:
        self._leader: dict[str, str] = {}
        told: dict[str, list[str]] = defaultdict(list)
        first: dict[str, int] = {}
        for path, from_path, before, after, event_id, file_index, hidden, session_id, position in rows:
            self._join(path, path if from_path is None else from_path)
            for content in filter(None, (before, after)):
                self._join(path, f"\0{content}")
            told[path].append(f"{event_id} {file_index} {hidden}")
            if session_id is not None:
                distance = position - first.setdefault(session_id, position)
                told[_SESSION + session_id].append(f"{event_id} {file_index} {distance}")
        self._names: dict[str, str] = {}
        together: dict[str, list[str]] = defaultdict(list)
        for name, entries in told.items():
            if name.startswith(_SESSION):
                self._names[name] = _digest(entries)
            else:
                together[self._lead(name)] += [name, str(name in there), *entries]
        self._together = {leader: _digest(entries) for leader, entries in together.items()}

    def of(self, name: str) -> str | None:
        """Return the name of what is recorded of a path, or of a session; None where nothing is."""
        if name.startswith(_SESSION):
            return self._names.get(name)
        return self._together.get(self._lead(name)) if name in self._leader else None

    def _lead(self, name: str) -> str:
        found = name
        while (above := self._leader.get(found, found)) != found:
            found = above
        while (above := self._leader.get(name, name)) != found:
            self._leader[name], name = found, above
        return found

    def _join(self, one: str, other: str) -> None:
        self._leader.setdefault(one, one)
        self._leader.setdefault(other, other)
        first, last = sorted((self._lead(one), self._lead(other)))
        self._leader[last] = first


class Noted(RecordedChanges):
    """RecordedChanges changes that note which files and sessions were asked for."""

    def __init__(self, repository: Repository, tables: Tables, store: Objects, target: Target) -> None:
        super().__init__(repository, tables, store, target)
        self.asked: set[str] = set()

    def chains(self, interval: Interval, beside: bytes = b"") -> list[Any]:
        """Note the names of the file."""
        self.asked |= {interval.old_path, interval.path}
        return super().chains(interval, beside)

    def owners(self, path: str, content: bytes) -> list[Any]:
        """Note the file."""
        self.asked.add(path)
        return super().owners(path, content)

    def emptied_near(self, claim: Claim) -> list[str]:
        """Note the session."""
        self.asked.add(f"{_SESSION}{claim.session_id}")
        return super().emptied_near(claim)


def names(tables: Tables, there: Collection[str]) -> LedgerNames:
    """Name all that the ledger tells; `there` are the files of the commit that is looked at."""
    return LedgerNames(tables.ask(statement("fingerprints")).rows, there)


def _digest(entries: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(entries).encode(errors="surrogateescape")).hexdigest()[:16]
