"""The history of one definition: its versions, and the id that it keeps through all of them.

A commit, or the work tree, may hold many recorded changes; each is told by itself. Contents in between that nobody
knows are passed over: then the lines alone tell which of the changes touched the definition.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from linetrail.ledger.repository import Repository
from linetrail.projections.git.history import Objects, cut_commits
from linetrail.projections.git.target import Target, on_disk
from linetrail.projections.lines.transitions import Claim, Transition
from linetrail.projections.nodes.chains import Interval, RecordedChanges, Stage, stages
from linetrail.projections.nodes.commits import Commit
from linetrail.projections.nodes.index import DefinitionIndex
from linetrail.projections.nodes.matches import CARRIED, MOVED, RENAMED, SPLIT, Followed, Match, follow
from linetrail.projections.nodes.sides import Place, Side, located, stands
from linetrail.projections.nodes.texts import plain
from linetrail.projections.nodes.versions import (
    CONTENT,
    FOUND,
    HUNKS,
    LINES,
    Finding,
    Span,
    Touch,
    Version,
    back,
    touched,
    version,
)
from linetrail.projections.nodes.walk import Step, Walk
from linetrail.projections.tables.tables import Tables

_Touched = tuple[Transition, Span, Touch]
# So many steps and files are at hand: all definitions of a file ask for the same.
_KEPT = 64
# Where one of several changes touched the lines of a definition; where none of them is known to have.
_BY_HUNKS, _BY_ORDER = 0.9, 0.5


class Lineage(NamedTuple):
    """A definition's id and its versions, the last one first."""

    node_id: str
    versions: Sequence[Version]


class Past(Protocol):
    """The two questions that are asked of commits."""

    # what a commit has at a path
    def read(self, revision: str, path: str) -> bytes | None: ...
    # the last commit up to a revision that changed a file
    def latest(self, revision: str, path: str) -> Commit | None: ...


class StepHistory:
    """The steps of one walk, each told change by change."""

    def __init__(
        self, repository: Repository, past: Past, indexed: DefinitionIndex, recorded: RecordedChanges, target: Target
    ) -> None:
        self._repository, self._past, self._indexed = repository, past, indexed
        self._recorded, self._target = recorded, target
        self._laid_out = lru_cache(_KEPT)(self._laid_out_anew)
        self._follow = lru_cache(_KEPT)(_follow)
        self._follow_elsewhere = lru_cache(_KEPT)(_follow_elsewhere)

    def versions(self, step: Step) -> Iterator[Version]:
        """Yield what a step made of a definition, the last change first."""
        known = self._stages(step, step.after.path, _former_path(step))
        if any(stage.changes for stage in known):
            yield from self._back(step, step.after, known, {step.after.path})
        else:
            claim, finding = self._writer(step.after, step.match)
            yield version(step.after, step.match, step.merged, claim, step.commit)._replace(found_by=finding)

    def ended(self, commit: Commit, place: Place, path: str | None) -> tuple[Claim | None, Finding | None]:
        """Return which change took a definition away that stood before a commit in what is now the file at a path."""
        now = self._past.read(commit.revision, path) if path is not None else None
        known = self._laid_out(f"{commit.revision}^", path or place.path, place.path, now, b"")[::-1]
        contents = [(stage.path, stage.content) for stage in known[1:]] + [(path or place.path, now or b"")]
        if known[0].content != place.side.content:
            return None, None
        here = Place(self._indexed.side(place.path, place.side.content), place.at)
        for stage, after in zip(known, contents, strict=True):
            kept = self._follow(here.side, self._indexed.side(*after)).now(here)
            if kept is None:
                seen = [change.claim for change in stage.changes if change.claim.seen]
                return (seen[-1], _finding(stage, ())) if seen else (None, None)
            here = kept
        return None, None

    def _back(self, step: Step, place: Place, known: Sequence[Stage], met: set[str]) -> Iterator[Version]:
        """Follow a definition through the contents of its file; where it came into it, through those of another."""
        here = place.path, place.side.content
        for stage in known:
            if stage.path == here[0] and stands(place, stage.content):
                here = stage.path, stage.content
                continue
            place = located(place, self._indexed.side(*here))
            side = self._indexed.side(stage.path, stage.content)
            near = self._follow(side, place.side)
            match, merged = near.past_of(place), near.put_in(place)
            if match is None:
                yield from self._came(step, place, stage, near.cut_out(place), met)
                return
            if match.kinds or merged:
                yield from self._told(step, place, stage, match, merged)
            place, here = match.before, (stage.path, stage.content)

    def _came(self, step: Step, place: Place, stage: Stage, split: Match | None, met: set[str]) -> Iterator[Version]:
        """Yield how a definition came into its file, and what it was before in another one."""
        match, rest = self._elsewhere(step, place, stage, met)
        if match is None:
            match = split or (step.match if step.match and SPLIT in step.match.kinds else None)
        yield from self._told(step, place, stage, match, ())
        if match is not None and SPLIT not in match.kinds:
            yield from self._back(step, match.before, rest, met)

    def _told(
        self, step: Step, place: Place, stage: Stage, match: Match | None, merged: Sequence[Match]
    ) -> Iterator[Version]:
        """Yield a version for each change of a stage that touched the definition."""
        seen = [change for change in stage.changes if change.claim.seen]
        found = _touches(place, stage.changes) if len(stage.changes) > 1 else []
        rows = [row for row in found if row[0].claim.seen]
        if len(rows) < 2:
            change = rows[0][0] if rows else seen[-1] if seen else None
            claim, finding = (change.claim, _finding(stage, rows)) if change else self._writer(place, match)
            yield version(place, match, merged, claim, step.commit)._replace(found_by=finding)
            return
        main = _main(rows, match)
        for number, (change, span, touch) in enumerate(rows):
            told = touched(place, span, touch, change.claim, step.commit)
            told = told._replace(state=change.after_hash, found_by=Finding(HUNKS, _BY_HUNKS))
            if number == main:
                whole = version(place, match, merged, change.claim, step.commit)
                told = told._replace(kinds=whole.kinds, evidence=whole.evidence, former=whole.former)
            if number == 0:
                told = told._replace(raw=place.definition.raw, tokens=place.definition.tokens, place=place)
            yield told

    def _elsewhere(self, step: Step, place: Place, stage: Stage, met: set[str]) -> tuple[Match | None, Sequence[Stage]]:
        """Return what a definition was in another file, and the contents of that file before."""
        before = step.source
        committed = before is not None and before.path not in met
        paths = [before.path] if before is not None and committed else self._near(stage, met)
        for path in paths:
            met.add(path)
            after = self._now(step, path)
            now = [place.side, *([self._indexed.side(path, after)] if after is not None else [])]
            known = self._stages(step, path, path, place.side.content)
            for at, earlier in enumerate(known):
                side = self._indexed.side(earlier.path, earlier.content)
                match = self._follow_elsewhere(side, *now).past_of(place)
                if match is not None:
                    return match, known[at + 1 :]
        return (step.match, []) if before is not None else (None, [])

    def _near(self, stage: Stage, met: set[str]) -> list[str]:
        """Return other files out of which the sessions at work here took lines at about that time."""
        claims = [change.claim for change in stage.changes if change.claim.seen and change.claim.session_id]
        found = self._recorded.emptied_near(claims[-1]) if claims else []
        return [path for path in found if path not in met]

    def _stages(self, step: Step, path: str, old_path: str, beside: bytes = b"") -> Sequence[Stage]:
        """Return the known contents of a file in a step, the last first; the very last is what it held before."""
        parent = self._target.head if step.commit is None else f"{step.commit.revision}^"
        return self._laid_out(parent, path, old_path, self._now(step, path), beside)

    def _laid_out_anew(
        self, parent: str | None, path: str, old_path: str, now: bytes | None, beside: bytes
    ) -> Sequence[Stage]:
        before = self._past.read(parent, old_path) if parent else None
        latest = self._past.latest(parent, old_path) if parent else None
        interval = Interval(old_path, path, before, now, latest and latest.revision)
        return stages(interval, self._recorded.chains(interval, beside))

    def _now(self, step: Step, path: str) -> bytes | None:
        """Return what a file holds after a step."""
        if path == step.after.path:
            return step.after.side.content
        if step.commit is not None:
            return self._past.read(step.commit.revision, path)
        content = on_disk(self._repository, path)
        return None if content is None else plain(content)

    def _writer(self, place: Place, match: Match | None) -> tuple[Claim | None, Finding | None]:
        """Return who is recorded as the author of most of the lines that are new in a definition."""
        old = match.before.body if match else Counter()
        new = [at for at, line in enumerate(place.hashes, place.definition.start_line - 1) if line not in old]
        owners = self._recorded.owners(place.path, place.side.content) if new else []
        claims = Counter(claim for at in new if (claim := owners[at].claim) is not None and claim.seen)
        for claim, lines in claims.most_common(1):
            if 2 * lines > len(new):
                return claim, Finding(LINES, lines / len(new))
        return None, None


def lineage(
    repository: Repository, tables: Tables, store: Objects, indexed: DefinitionIndex, place: Place, target: Target
) -> Lineage:
    """Follow a definition of a content back as far as anything is known of it."""
    walk = Walk(repository, store, indexed)
    between = StepHistory(repository, walk, indexed, RecordedChanges(repository, tables, store, target), target)
    steps = walk.steps(place, target.revision, target.head)
    versions = [version for step in steps for version in between.versions(step)]
    first = versions[-1]
    if first.former is None and first.commit is not None and first.commit.revision in cut_commits(repository):
        versions[-1] = first._replace(kinds=[FOUND])
    return Lineage(_node_id(versions), versions)


def _node_id(versions: Sequence[Version]) -> str:
    """Name a definition by where it was seen first: by which name, in which state of which file."""
    first = versions[-1]
    told = f"{first.path}\0{first.qualified}\0{first.state}"
    return hashlib.sha256(told.encode(errors="surrogateescape")).hexdigest()[:16]


def _follow(before: Side, after: Side) -> Followed:
    return Followed(follow([before], [after], {before.path: after.path}))


def _follow_elsewhere(before: Side, *after: Side) -> Followed:
    return Followed(follow([before], after))


def _finding(stage: Stage, rows: Sequence[_Touched]) -> Finding:
    """Return how sure it is that the change that is taken for the author of a stage is the one."""
    if len(stage.changes) == 1:
        return Finding(CONTENT, 1.0)
    return Finding(HUNKS, _BY_HUNKS) if rows else Finding(CONTENT, _BY_ORDER)


def _former_path(step: Step) -> str:
    """Return the name of the file in which a definition is, before the step."""
    match = step.match
    return match.before.path if match and CARRIED in match.kinds else step.after.path


def _touches(place: Place, changes: Sequence[Transition]) -> list[_Touched]:
    """Return which changes touched a definition, and its lines after each, the last one first."""
    span = Span(place.definition.start_line - 1, place.definition.end_line)
    found = []
    for change in reversed(changes):
        touch = back(span, change.hunks or ())
        if touch.added or touch.deleted:
            found.append((change, span, touch))
        if touch.before is None:
            break
        span = touch.before
    return found


def _main(rows: Sequence[_Touched], match: Match | None) -> int:
    """Return which change did what is known of all of them together."""
    if match is None or MOVED in match.kinds or SPLIT in match.kinds:
        return len(rows) - 1
    headings = [number for number, (_, _, touch) in enumerate(rows) if touch.heading]
    return headings[0] if headings and RENAMED in match.kinds else 0
