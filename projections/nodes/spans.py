"""Follow a range of lines back through recorded changes whose texts nobody has: hunks alone tell where it was."""

from collections.abc import Sequence
from typing import NamedTuple

from linetrail.projections.lines.transitions import Hunk


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
