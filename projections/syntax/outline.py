"""Find out where each definition begins and ends, what it is called, and which one stands around it.

A query tells nodes and names one by one. Here they come together: a definition grows to what belongs to it around
and above, and a name belongs to the innermost definition around it, if that has none yet.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

Span = tuple[int, int]
Captures = Mapping[str, Sequence["Node"]]

_SPACE = b" \t\r\n\f\v"
_DEFINITION = "definition."
# Where two patterns find the same node, the one with the higher number is the lesser reading; an outer comes first.
_WEAKNESS = {"": -1, "class": 1, "constant": 1, "type": 1, "variable": 2, "property": 2}
# A comment is not looked for above more blanks than these.
_REACH = 256
_NOWHERE = (0, 0)


class Draft:
    """A definition that has no hashes yet; one without a kind is what may belong to the definition inside of it."""

    __slots__ = ("broken", "end", "inside", "kind", "name", "node", "number", "outers", "parent", "scope", "start")

    def __init__(self, kind: str, node: Span, *, broken: bool) -> None:
        self.kind, self.node, self.broken = kind, node, broken
        self.start, self.end = node
        self.name = self.scope = _NOWHERE
        self.number = self.inside = 0
        self.parent: Draft | None = None
        self.outers: list[Draft] = []


class Place:
    """A content and its comments: where a node begins and ends for a reader."""

    def __init__(self, content: bytes, captures: Captures) -> None:
        self.content = content
        self.comments = [self._trimmed(*node.byte_range) for node in captures.get("comment", ())]
        self._comment_starts = {end: start for start, end in self.comments}
        attached = [self._trimmed(*node.byte_range) for node in captures.get("attached", ())]
        self._above = self._comment_starts | {end: start for start, end in attached}

    def span(self, node: "Node") -> Span:
        """Return the range of a node without the white space and the lines of comment that it may end with."""
        start, end = self._trimmed(*node.byte_range)
        while start <= (comment := self._comment_starts.get(end, -1)) and self._begins_line(comment):
            start, end = self._trimmed(start, comment)
        return start, end

    def reach(self, start: int, lowest: int) -> int:
        """Return where the comments and attributes begin that stand directly above, but not before a lowest place."""
        at = start
        while (at := self._step(at, lowest)) >= 0:
            if self._begins_line(at):
                start = at
        return start

    def _step(self, start: int, lowest: int) -> int:
        blank = self.content[max(lowest, start - _REACH) : start]
        text = len(blank.rstrip(_SPACE))
        if blank.count(b"\n", text) > 1:
            return -1
        above = self._above.get(start - len(blank) + text, -1)
        return above if above >= lowest else -1

    def _begins_line(self, at: int) -> bool:
        line = self.content.rfind(b"\n", 0, at) + 1
        return not self.content[line:at].strip(_SPACE)

    def _trimmed(self, start: int, end: int) -> Span:
        while end > start and self.content[end - 1] in _SPACE:
            end -= 1
        return start, end


def outline(place: Place, captures: Captures) -> list[Draft]:
    """Return the definitions in the order of the text, an outer one before those inside of it."""
    drafts = _nested(_found(place, captures))
    lowest: dict[Draft | None, int] = {None: 0}
    for draft in drafts:
        for outer in draft.outers:
            if outer.inside > 1:
                break
            draft.node = draft.start, draft.end = outer.node
        draft.start = place.reach(draft.start, lowest.get(draft.parent, 0))
        lowest[draft.parent] = draft.end
        lowest[draft] = draft.node[0]
    return drafts


def _found(place: Place, captures: Captures) -> list[tuple[int, bool, int, int, int, str, Draft]]:
    """Return all that makes a definition, so that what contains a thing comes before it."""
    found = []
    for capture, nodes in captures.items():
        if capture in {"name", "scope", "outer"} or capture.startswith(_DEFINITION):
            kind = capture.removeprefix(_DEFINITION) if capture.startswith(_DEFINITION) else ""
            for node in nodes:
                start, end = place.span(node)
                if start < end:
                    draft = Draft(kind, (start, end), broken=node.has_error)
                    names = capture in {"name", "scope"}
                    found.append((start, names, -end, _WEAKNESS.get(kind, 0), len(found), capture, draft))
    found.sort()
    return found


def _nested(found: Iterable[tuple[int, bool, int, int, int, str, Draft]]) -> list[Draft]:
    drafts: list[Draft] = []
    stack: list[Draft] = []
    for start, names, _, _, _, capture, draft in found:
        while stack and stack[-1].node[1] <= start:
            stack.pop()
        top = stack[-1] if stack else None
        if names:
            if top is not None and getattr(top, capture) == _NOWHERE:
                setattr(top, capture, draft.node)
        elif not draft.kind:
            stack.append(draft)
        elif top is None or top.node != draft.node or not top.kind:
            draft.outers = _outers(stack)
            draft.parent = stack[-1 - len(draft.outers)] if len(stack) > len(draft.outers) else None
            draft.number = len(drafts)
            drafts.append(draft)
            stack.append(draft)
    return drafts


def _outers(stack: Sequence[Draft]) -> list[Draft]:
    """Return what stands around a definition and no other one between, from the inside; count it as inside of them."""
    outers = []
    for outer in reversed(stack):
        if outer.kind:
            break
        outer.inside += 1
        outers.append(outer)
    return outers
