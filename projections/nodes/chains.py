"""Find the recorded changes that led from one content of a file to another, and the contents in between.

Only ledger and git are asked, so a fresh clone finds the same.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from linetrail.ledger.files import digest
from linetrail.ledger.observe.substance import split
from linetrail.ledger.repository import Repository, file_path, git
from linetrail.projections.git.history import Objects, checked_out
from linetrail.projections.git.target import Target
from linetrail.projections.lines import evidence
from linetrail.projections.lines.attribution import Owner, explain
from linetrail.projections.lines.replay import Replay
from linetrail.projections.lines.states import hashes_of
from linetrail.projections.lines.transitions import Claim, Transition
from linetrail.projections.nodes.texts import Texts, names_of
from linetrail.projections.statements import statement
from linetrail.projections.tables.tables import Tables

# So many files are at hand at a time.
KEPT = 64

# A session takes lines out of one file and puts them into another within so many events; so many files are looked at.
NEAR, MAX_FILES = 200, 6

_Names = frozenset[str | None]


class Chain(NamedTuple):
    """Recorded changes, each of what the one before it led to, the oldest first.

    `contents` are those before each change and after the last: None where nobody knows, empty where there was no file.
    """

    changes: Sequence[Transition]
    contents: Sequence[bytes | None]


class Interval(NamedTuple):
    """Two contents of a file, None where there is no file, and the path of each.

    `since` is the commit that has the earlier one: what was recorded before it was made is older.
    """

    old_path: str
    path: str
    before: bytes | None
    after: bytes | None
    since: str | None


class Stage(NamedTuple):
    """A content that is known, and the changes that made the next one out of it: none where nobody was seen."""

    path: str
    content: bytes
    changes: Sequence[Transition]


class RecordedChanges:
    """The recorded changes of the files of one repository, as seen from a revision or from the work tree."""

    def __init__(self, repository: Repository, tables: Tables, store: Objects, target: Target) -> None:
        self._repository, self._tables, self._store, self._target = repository, tables, store, target
        self._read = lru_cache(KEPT)(self._replayed)
        self._owners = lru_cache(KEPT)(self._explained)
        self._is_before = lru_cache(None)(self._happened_before)

    def chains(self, interval: Interval, beside: bytes = b"") -> list[Chain]:
        """Return the changes between two contents of a file, the last ones first.

        The first chain leads to the later content. If it does not begin with the earlier one, another may lead from
        that to something of which the later one still has lines. Some of its lines may stand `beside` now.
        """
        old_path, path, before, after, since = interval
        changes, replay = self._read(path, old_path)
        usable = [change for change in changes if not change.snapshot and not self._is_older(change, since)]
        start, end = names_of(before), names_of(after)
        last = _backwards(usable, start, end)
        if old_path != path:
            last = _with_rename(last, usable, interval)
        joined = last[0].before_hash in start if last else bool(start & end)
        texts = Texts()
        for content in (before or b"", after or b"", beside):
            texts.learn(content)
        found = [_chain(last, (before or b"") if joined else None, after or b"", texts, replay)]
        if not joined:
            first = last[0].claim.position if last else None
            earlier = [change for change in usable if first is None or change.claim.position < first]
            begun = _surviving(_forwards(earlier, start), before or b"", after or b"")
            found.append(_chain(begun, before or b"", None, texts, replay))
        return found

    def owners(self, path: str, content: bytes) -> list[Owner]:
        """Return who is recorded as the author of each line of a content; all that it defines ask for the same."""
        return self._owners(path, content)

    def _explained(self, path: str, content: bytes) -> list[Owner]:
        _, replay = self._read(path, path)
        readings = list(checked_out(content))
        known = next((reading for reading in readings if replay.knows(digest(reading))), content)
        return explain(replay, known)

    def emptied_near(self, claim: Claim) -> list[str]:
        """Return the files out of which a session took lines at about the time of a change, the nearest first."""
        first, last = claim.position - NEAR, claim.position + NEAR
        asked = {"session": claim.session_id, "first": first, "last": last, "position": claim.position}
        return [path for (path,) in self._tables.ask(statement("emptied_near"), asked | {"limit": MAX_FILES}).rows]

    def _replayed(self, path: str, old_path: str) -> tuple[Sequence[Transition], Replay]:
        target = self._target._replace(path=path, content=b"")
        changes = evidence.transitions(self._store, self._tables, target, [file_path(old_path)])
        return changes, Replay(changes, evidence.base_contents(self._store))

    def _is_older(self, change: Transition, since: str | None) -> bool:
        there = change.claim.vcs_revision
        return since is not None and there is not None and there != since and self._is_before(there, since)

    def _happened_before(self, revision: str, other: str) -> bool:
        return git(self._repository, "merge-base", "--is-ancestor", revision, other) is not None


def stages(interval: Interval, chains: Sequence[Chain]) -> list[Stage]:
    """Return the stages of an interval, the last one first; the last of these is its earlier content."""
    found: list[Stage] = []
    path, waiting = interval.path, list[Transition]()
    for number, chain in enumerate(chains):
        end = chain.contents[-1]
        if number and end is not None:
            path = chain.changes[-1].path if chain.changes else interval.old_path
            found.append(Stage(path, end, waiting))
            waiting = []
        for change, content in zip(reversed(chain.changes), reversed(chain.contents[:-1]), strict=True):
            waiting = [change, *waiting]
            path = change.from_path or path
            if content is not None:
                found.append(Stage(path, content, waiting))
                waiting = []
    before = interval.before or b""
    if waiting or not found or found[-1].content != before:
        found.append(Stage(interval.old_path, before, waiting))
    return found


def _chain(
    changes: Sequence[Transition], first: bytes | None, last: bytes | None, texts: Texts, replay: Replay
) -> Chain:
    contents = [first, *[None] * len(changes)]
    contents[-1] = last if last is not None else contents[-1]
    texts.fill(changes, contents, replay)
    return Chain(changes, contents)


def _backwards(changes: Sequence[Transition], start: _Names, end: _Names) -> list[Transition]:
    """Return the changes that led to one content, back to the other one or as far as they are known."""
    found: list[Transition] = []
    state = end
    for change in reversed(changes):
        if state & start:
            break
        if change.after_hash in state and change.before_hash not in state:
            found.append(change)
            state = frozenset({change.before_hash})
    return found[::-1]


def _with_rename(links: list[Transition], changes: Sequence[Transition], interval: Interval) -> list[Transition]:
    """Put the change among these that gave the file its name, where it left the content as it was."""
    names = (interval.old_path, interval.path)
    for renaming in reversed(changes):
        if (renaming.from_path, renaming.path) == names and renaming.before_hash == renaming.after_hash:
            at = next((at for at, link in enumerate(links) if link.before_hash == renaming.after_hash), len(links))
            if at < len(links) or renaming.after_hash in names_of(interval.after):
                return [*links[:at], renaming, *links[at:]]
    return links


def _forwards(changes: Sequence[Transition], start: _Names) -> list[Transition]:
    """Return the changes that led from a content to the last state that is known to come from it."""
    first = next((at for at in reversed(range(len(changes))) if changes[at].before_hash in start), len(changes))
    found: list[Transition] = []
    for change in changes[first:]:
        if not found or change.before_hash == found[-1].after_hash:
            found.append(change)
    return found


def _surviving(changes: Sequence[Transition], before: bytes, after: bytes) -> Sequence[Transition]:
    """Leave out the last changes of which nothing is left; what became of the others, nobody saw."""
    left = set(hashes_of(split(after))) - set(hashes_of(split(before)))
    wrote = [any(not left.isdisjoint(hunk.hashes) for hunk in change.hunks or ()) for change in changes]
    return changes[: len(wrote) - wrote[::-1].index(True)] if True in wrote else ()
