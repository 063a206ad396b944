"""Work out what single commits did to the definitions of all files that they changed, as `nodes.walk` does for one.

A file is parsed and compared once for all that it defines.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from linetrail.ledger.repository import Repository
from linetrail.projections.git.history import Objects
from linetrail.projections.git.target import Target
from linetrail.projections.graph.record import (
    By,
    File,
    Gone,
    Happened,
    LedgerNames,
    Link,
    Noted,
    Record,
    Source,
    Told,
    source,
)
from linetrail.projections.lines.transitions import Claim
from linetrail.projections.nodes.commits import Changed, Commit
from linetrail.projections.nodes.index import DefinitionIndex
from linetrail.projections.nodes.lineage import StepHistory
from linetrail.projections.nodes.matches import CARRIED, SPLIT, Match
from linetrail.projections.nodes.origins import Origins
from linetrail.projections.nodes.sides import Place, Side
from linetrail.projections.nodes.texts import plain
from linetrail.projections.nodes.versions import Finding, Version, version
from linetrail.projections.nodes.walk import Step
from linetrail.projections.syntax import parsing
from linetrail.projections.syntax.definitions import shape
from linetrail.projections.syntax.language import language_of
from linetrail.projections.tables.tables import Tables

if TYPE_CHECKING:
    from tree_sitter import Tree

# What defines more is data; its definitions are listed, and not followed.
MANY = 3_000


class Entry(NamedTuple):
    """A file as a commit has it: its blob, the commit that brought it, and the last versions of its definitions."""

    blob: str
    revision: str
    versions: Sequence[int]


State = Mapping[str, Entry]


class _Made(NamedTuple):
    """What a commit made of a definition as one parent had it, and where it was there."""

    step: Step
    source: Source | None


class Commits:
    """The commits of one repository, as far as the ledger tells of them."""

    def __init__(self, repository: Repository, tables: Tables, names: LedgerNames, head: str) -> None:
        # what follows from old contents is kept in records, and nobody asks for them again
        self._store, self._indexed = Objects(repository), DefinitionIndex(repository, keep=False)
        self._names = names
        self._changed: Sequence[Changed] = ()
        self._commit, self._states = _NO_COMMIT, list[State]()
        self._commits: dict[str, Commit] = {}
        self._origins = Origins(repository, self._store, self._indexed, lambda _: self._changed)
        target = Target("", b"", head, head)
        self._recorded = Noted(repository, tables, self._store, target)
        self._between = StepHistory(repository, self, self._indexed, self._recorded, target)

    def close(self) -> None:
        """End what was started."""
        self._store.close()
        self._indexed.close()

    def is_right(self, record: Record, commit: Commit, changed: Sequence[Changed]) -> bool:
        """Return whether a record says what would be computed now."""
        asked = {*record.ledger, *_paths(changed)}
        return record.parents == list(commit.parents) and record.ledger == self._ledger(asked)

    def record(self, commit: Commit, changed: Sequence[Changed], states: Sequence[State]) -> Record:
        """Work out what a commit did; `states` are what its parents have."""
        self._changed, self._commit, self._states = changed, commit, list(states)
        self._recorded.asked = _paths(changed)
        files = [file for one in changed if (file := self._file(one)) is not None]
        gone = list(self._gone(files)) if len(commit.parents) == 1 else []
        return Record(commit.revision, list(commit.parents), self._ledger(self._recorded.asked), files, gone)

    def side(self, path: str, blob: str) -> Side | None:
        """Return what a file defines; None where nobody can tell the language."""
        content = self._store.read(blob)
        if content is None or language_of(path, content) is None:
            return None
        return self._indexed.side(path, plain(content))

    def read(self, revision: str, path: str) -> bytes | None:
        """Return what a commit has at a path."""
        return self._origins.read(revision, path)

    def latest(self, revision: str, path: str) -> Commit | None:
        """Return the last commit that changed a file before the one that is looked at."""
        entry = self._states[0].get(path) if self._states and revision != self._commit.revision else None
        return entry and self._commit._replace(revision=entry.revision)

    def _ledger(self, asked: set[str]) -> dict[str, str]:
        return {name: told for name in sorted(asked) if (told := self._names.of(name)) is not None}

    def _file(self, one: Changed) -> File | None:
        if one.new is None or one.new_blob is None:
            return None
        befores = [state.get(one.new) for state in self._states]
        if any(entry is not None and entry.blob == one.new_blob for entry in befores[1:]):
            return None  # a merge took the file from another branch
        side = self.side(one.new, one.new_blob)
        if side is None:
            return None
        contents = {number: self._content(entry.blob) for number, entry in enumerate(befores) if entry is not None}
        followed = len(side.definitions) <= MANY
        made = [self._made(place, contents) for place in side.places()] if followed else []
        happened = [self._happened(each) for each in made if each[0].step.happened]
        language = language_of(one.new, side.content)
        sources = [each[0].source for each in made]
        return File(one.new, one.new_blob, language.name if language else "", sources, happened)

    def _gone(self, files: Sequence[File]) -> Iterator[Gone]:
        """Yield what no definition was before any more, where the ledger tells who took it away."""
        found = {source(told, file.path)[1:] for file in files for told in file.sources if told is not None}
        for one in self._changed:
            entry = self._states[0].get(one.old or "")
            side = self.side(one.old, entry.blob) if one.old and entry and self._names.of(one.old) is not None else None
            for place in side.places() if side is not None and len(side.definitions) <= MANY else ():
                if (place.path, place.at) not in found:
                    taken = by(*self._between.ended(self._commit, place, one.new))
                    if taken is not None:
                        yield Gone(place.path, place.at, taken)

    def _content(self, blob: str) -> bytes:
        return plain(self._store.read(blob) or b"")

    def _made(self, place: Place, contents: Mapping[int, bytes]) -> Sequence[_Made]:
        """Return what a commit made of a definition as each parent had it, the likest first; one of which nothing."""
        made: list[_Made] = []
        for number in contents or (None,):
            step = self._step(place, None if number is None else contents[number])
            told = _Made(step, _source(step.match, place, number or 0) if step.source else None)
            if not step.happened:
                return [told]
            made.append(told)
        return sorted(made, key=lambda one: -(one.step.match.share if one.step.match else -1.0))

    def _step(self, place: Place, content: bytes | None) -> Step:
        match, merged = self._origins.of(place, content, self._commit.revision, None)
        return Step(place, self._commit, match, merged)

    def _happened(self, made: Sequence[_Made]) -> Happened:
        step = made[0].step
        likeness = step.match.share if step.match else 0.0
        told = [_told(one, likeness) for one in self._versions(step)]
        links = [_link(step.match, step.after)] if step.match and SPLIT in step.match.kinds else []
        links += [_link(one, step.after) for one in step.merged]
        others = [one.source for one in made[1:] if one.source is not None]
        return Happened(step.after.at, told[::-1], others, links)

    def _versions(self, step: Step) -> Iterator[Version]:
        """Divide a step into recorded changes, where the ledger knows its file."""
        paths = {step.after.path}
        if step.match is not None and CARRIED in step.match.kinds:
            paths.add(step.match.before.path)
        if any(self._names.of(path) is not None for path in paths):
            yield from self._between.versions(step)
        else:
            yield version(step.after, step.match, step.merged, None, step.commit)


_NO_COMMIT = Commit("", (), "", 0, "")


def _paths(changed: Sequence[Changed]) -> set[str]:
    return {path for one in changed for path in (one.old, one.new) if path is not None}


def _source(match: Match | None, place: Place, parent: int) -> Source | None:
    if match is None:
        return None
    before = match.before
    if before.path == place.path:
        return before.at if parent == 0 else (parent, before.path, before.at)
    return 0, before.path, before.at


def _link(match: Match, here: Place) -> Link:
    """Return from which definition a new one was made, or which deleted one went into it."""
    edge = "split_from" if SPLIT in match.kinds else "merged_from"
    return Link(edge, _source(match, here, 0) or 0, "; ".join(match.evidence), match.share)


def _told(made: Version, likeness: float) -> Told:
    told = {name: value for name, value in made._asdict().items() if name in Told.__struct_fields__}
    told |= {"shape": shape_of(made.place) if made.place and made.raw else None, "likeness": round(likeness, 3)}
    told |= {"change": ", ".join(dict.fromkeys(made.kinds)), "evidence": "; ".join(made.evidence)}
    return Told(**told, by=by(made.claim, made.found_by))


def by(claim: Claim | None, found: Finding | None) -> By | None:
    """Return what is kept of the recorded change that made a version."""
    if claim is None or found is None:
        return None
    told = {name: value for name, value in claim._asdict().items() if name in By.__struct_fields__}
    return By(**told, found_by=found.method, confidence=round(found.confidence, 3))


def shape_of(place: Place) -> str | None:
    """Return the hash of a definition's shape; None in languages that bind no names, and where nothing can be read."""
    language = language_of(place.path, place.side.content)
    tree = _tree(place.side) if language is not None and language.locals else None
    if language is None or tree is None:
        return None
    return shape(language, place.side.content, tree, place.definition)


@lru_cache(4)
def _tree(side: Side) -> "Tree | None":
    language = language_of(side.path, side.content)
    try:
        return parsing.parse(language, side.content) if language is not None else None
    except parsing.UnparsableError:
        return None
