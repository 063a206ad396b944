"""The versions of a definition: what each commit and each recorded change made of it, and who wrote that."""

from collections.abc import Sequence
from typing import NamedTuple

from linetrail.ledger.files import digest
from linetrail.ledger.observe.diff import changes
from linetrail.projections.lines.transitions import Claim, Hunk
from linetrail.projections.nodes.commits import Commit
from linetrail.projections.nodes.matches import EDITED, Match
from linetrail.projections.nodes.sides import Place


class Span(NamedTuple):
    """Lines of a state, counted from 0, the end exclusive."""

    start: int
    stop: int

    @property
    def length(self) -> int:
        """How many lines it has; none where nothing is left."""
        return max(self.stop - self.start, 0)

    def within(self, other: "Span") -> "Span":
        """Return the part of it that is in another one."""
        return Span(max(self.start, other.start), min(self.stop, other.stop))


class Touch(NamedTuple):
    """What a change did to a range: where it was before, None where it came; how many of its lines came and went.

    `heading` says that the first line is one of those that came.
    """

    before: Span | None
    added: int
    deleted: int
    heading: bool


def back(span: Span, hunks: Sequence[Hunk]) -> Touch:
    """Return what a change did to a range of the state that it led to.

    >>> back(Span(2, 5), [Hunk(start=0, stop=0, new_start=0, hashes=("x",), edited={})])
    Touch(before=Span(start=1, stop=4), added=0, deleted=0, heading=False)
    """
    added = deleted = 0
    for hunk in hunks:
        new, old = _new(hunk), hunk.stop - hunk.start
        mine = new.within(span).length
        added += mine
        if new.within(span) == new if new.length else span.start < new.start < span.stop:
            deleted += old
        else:
            deleted += min(mine, old)
    before = Span(_first(span, hunks), _last(span, hunks))
    heading = any(_new(hunk).start <= span.start < _new(hunk).stop for hunk in hunks)
    return Touch(before if before.length else None, added, deleted, heading)


def _new(hunk: Hunk) -> Span:
    return Span(hunk.new_start, hunk.new_start + len(hunk.hashes))


def _first(span: Span, hunks: Sequence[Hunk]) -> int:
    """Return where the first line was, or what stood in its place."""
    shift = 0
    for hunk in hunks:
        new = _new(hunk)
        if new.start <= span.start < new.stop:
            made = [old for line, old in hunk.edited.items() if span.start <= line < span.stop]
            return min(made) if made else hunk.start if new.start == span.start else hunk.stop
        if new.stop <= span.start:
            shift = hunk.stop - new.stop
    return span.start + shift


def _last(span: Span, hunks: Sequence[Hunk]) -> int:
    """Return where the last line ended, or what stood in its place."""
    last, shift = span.stop - 1, 0
    for hunk in hunks:
        new = _new(hunk)
        if new.start <= last < new.stop:
            made = [old for line, old in hunk.edited.items() if span.start <= line < span.stop]
            return max(made) + 1 if made else hunk.stop if new.stop == span.stop else hunk.start
        if new.stop <= last:
            shift = hunk.stop - new.stop
    return span.stop + shift


# How a history begins: it was made there; or it was there already where a shallow clone ends.
CREATED, FOUND = "created", "found"
# How a recorded change is known to have made a version: it led from one known content to the next; it touched the
# lines; most of what is new has its lines.
CONTENT, HUNKS, LINES = "content", "hunks", "lines"


class Finding(NamedTuple):
    """How a recorded change was found to have made a version, and how sure that is, 0 to 1."""

    method: str
    confidence: float


class Version(NamedTuple):
    """A definition as one change left it.

    `claim` is the recorded change, None where nobody was seen making it; `commit` is the one that has it, None while
    there is none. Hashes are None where only the lines of this version are known, and not their text. `former` is what
    it was made from, as `path:qualified`; `kinds` and `evidence` say how. `state` is the hash of the file's content.
    `place` is the definition in its text, where that is known. `found_by` says how the claim was found.
    """

    path: str
    qualified: str
    kind: str
    start_line: int
    end_line: int
    raw: str | None
    tokens: str | None
    kinds: Sequence[str]
    evidence: Sequence[str]
    former: str | None
    lines_added: int
    lines_deleted: int
    claim: Claim | None
    commit: Commit | None
    state: str | None
    place: Place | None
    found_by: Finding | None = None


def version(
    place: Place, match: Match | None, merged: Sequence[Match], claim: Claim | None, commit: Commit | None
) -> Version:
    """Return what a change made of a definition; without a match it is new."""
    definition = place.definition
    added, deleted = _counted(match, place)
    return Version(
        path=place.path,
        qualified=definition.qualified,
        kind=definition.kind,
        start_line=definition.start_line,
        end_line=definition.end_line,
        raw=definition.raw,
        tokens=definition.tokens,
        kinds=[*(match.kinds if match else [CREATED]), *(kind for one in merged for kind in one.kinds)],
        evidence=[text for one in [*([match] if match else []), *merged] for text in one.evidence],
        former=named(match.before) if match else None,
        lines_added=added,
        lines_deleted=deleted,
        claim=claim,
        commit=commit,
        state=digest(place.side.content),
        place=place,
    )


def touched(place: Place, span: Span, touch: Touch, claim: Claim, commit: Commit | None) -> Version:
    """Return what a change made of a definition of which only lines are known; it had the later name, presumably."""
    return version(place, None, (), claim, commit)._replace(
        start_line=span.start + 1,
        end_line=span.stop,
        raw=None,
        tokens=None,
        place=None,
        kinds=[EDITED if touch.before else CREATED],
        evidence=["told by its lines: their text is not known"],
        lines_added=touch.added,
        lines_deleted=touch.deleted if touch.before else 0,
    )


def named(place: Place) -> str:
    """Name a definition with its file."""
    return f"{place.path}:{place.definition.qualified}"


def _counted(match: Match | None, place: Place) -> tuple[int, int]:
    """Count the lines that came and those that went."""
    before = match.before.hashes if match else ()
    found = changes(before, place.hashes)
    return sum(b1 - b0 for _, _, b0, b1 in found), sum(a1 - a0 for a0, a1, _, _ in found)
