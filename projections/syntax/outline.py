"""Find out where each definition begins and ends, what it is called, and which one stands around it.

A query tells nodes and names one by one. Here they come together: a definition grows to what belongs to it around
and above, and a name belongs to the innermost definition around it, if that has none yet.
"""

from bisect import bisect
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

Span = tuple[int, int]
Captures = Mapping[str, Sequence["Node"]]

_BLANK, _SPACE = b" \t\r", b" \t\r\n\f\v"
_DEFINITION, _OUTER = "definition.", "outer"
# Where two patterns find the same node, the one with the higher number is the lesser reading.
_WEAKNESS = {_OUTER: -1, "class": 1, "constant": 1, "type": 1, "variable": 2, "property": 2}
_NOWHERE = (0, 0)


class Draft:
    """A definition that has no hashes yet, or what may belong to the only definition inside of it."""

    __slots__ = ("end", "inside", "kind", "name", "node", "number", "outers", "parent", "scope", "span", "start")

    def __init__(self, kind: str, node: "Node", span: Span) -> None:
        self.kind, self.node, self.span = kind, node, span
        self.start, self.end = span
        self.name = self.scope = _NOWHERE
        self.number = self.inside = 0
        self.parent: Draft | None = None
        self.outers: list[Draft] = []


# Where something begins and, negative, where it ends; between them and after, what decides between two that agree.
Found = tuple[int, int, int, int, int, Draft | str]


class Place:
    """A content and its comments: where a node begins and ends for a reader."""

    def __init__(self, content: bytes, captures: Captures) -> None:
        self.content = content
        self._comments: dict[int, int] = {}
        self.comments = self.spans(captures.get("comment", ()))
        self._comments = {end: start for start, end in self.comments}
        self._attached = {end: start for start, end in self.spans(captures.get("attached", ()))}

    def spans(self, nodes: Iterable["Node"]) -> list[Span]:
        """Return the ranges of nodes without the white space and the comments that they may end with."""
        content, comments = self.content, self._comments
        spans = [node.byte_range for node in nodes]
        for number, (start, end) in enumerate(spans):
            if start < end and (content[end - 1] in _SPACE or end in comments):
                spans[number] = self._trimmed(start, end)
        return spans

    def reach(self, start: int, lowest: int) -> int:
        """Return where the comments and attributes begin that stand directly above, but not before a lowest place."""
        at = start
        while at >= lowest:
            end = self._end_above(at)
            at = self._attached.get(end, -1)
            if at < lowest:
                at = self._comments.get(end, -1)
                if at < lowest or not self._begins_line(at):
                    continue
            start = at
        return start

    def _end_above(self, start: int) -> int:
        """Return where the text before ends, on the same line or the line above."""
        content = self.content
        line = content.rfind(b"\n", 0, start) + 1
        end = line + len(content[line:start].rstrip(_SPACE))
        if end == line:
            end -= 1
            while end > 0 and content[end - 1] in _BLANK:
                end -= 1
        return end

    def _begins_line(self, at: int) -> bool:
        line = self.content.rfind(b"\n", 0, at) + 1
        return not self.content[line:at].strip(_SPACE)

    def _trimmed(self, start: int, end: int) -> Span:
        while end > start:
            if self.content[end - 1] in _SPACE:
                end -= 1
            elif start <= (comment := self._comments.get(end, -1)):
                end = comment
            else:
                break
        return start, end


def outline(place: Place, captures: Captures, keys: Collection[bytes]) -> list[Draft]:
    """Return the definitions in the order of the text, an outer one before those inside of it."""
    drafts = _with_names(_nested(_found(place, captures, keys)))
    lowest: dict[Draft | None, int] = {None: 0}
    for draft in drafts:
        for outer in draft.outers:
            if outer.inside > 1:
                break
            draft.start, draft.end = draft.span = outer.span
        lowest[draft] = draft.start
        draft.start = place.reach(draft.start, lowest[draft.parent])
        lowest[draft.parent] = draft.end
    return drafts


def _found(place: Place, captures: Captures, keys: Collection[bytes]) -> list[Found]:
    """Return all that makes a definition, so that what contains a thing comes before it."""
    found: list[Found] = []
    for capture, nodes in captures.items():
        kind = capture.removeprefix(_DEFINITION)
        weakness = _WEAKNESS.get(kind, 0)
        if capture in {"name", "scope"}:
            spans = place.spans(nodes)
            for start, end in _keyed(place, spans, captures["key"], keys) if keys else spans:
                if start < end:
                    found.append((start, 1, -end, weakness, len(found), capture))
        elif capture == _OUTER or kind != capture:
            for node, (start, end) in zip(nodes, place.spans(nodes), strict=True):
                if start < end:
                    found.append((start, 0, -end, weakness, len(found), Draft(kind, node, (start, end))))
    found.sort()
    return found


def _keyed(place: Place, names: Iterable[Span], keys: Sequence["Node"], wanted: Collection[bytes]) -> Iterator[Span]:
    """Yield the names whose key is one that gives a name."""
    spans = sorted(place.spans(keys))
    for name in names:
        start, end = spans[bisect(spans, name) - 1]
        if place.content[start:end].lower() in wanted:
            yield name


def _nested(found: Iterable[Found]) -> list[Draft]:
    """Give each definition its parent and its qualified name."""
    drafts: list[Draft] = []
    stack: list[Draft] = []
    for start, _, end, _, _, what in found:
        while stack and stack[-1].span[1] <= start:
            stack.pop()
        if isinstance(what, str):
            if stack and getattr(stack[-1], what) is _NOWHERE:
                setattr(stack[-1], what, (start, -end))
        elif what.kind == _OUTER:
            stack.append(what)
        elif not stack or stack[-1].span != what.span or stack[-1].kind == _OUTER:
            what.outers = _outers(stack)
            what.parent = stack[-1 - len(what.outers)] if len(stack) > len(what.outers) else None
            drafts.append(what)
            stack.append(what)
    return drafts


def _outers(stack: Sequence[Draft]) -> list[Draft]:
    """Return what stands around a definition and no other one between, from the inside; count it as inside of them."""
    outers = []
    for outer in reversed(stack):
        if outer.kind != _OUTER:
            break
        outer.inside += 1
        outers.append(outer)
    return outers


def _with_names(drafts: Iterable[Draft]) -> list[Draft]:
    """Return the definitions that have a name, in each other's order and in each other's place."""
    named = [draft for draft in drafts if draft.name is not _NOWHERE]
    for number, draft in enumerate(named):
        draft.number = number
        while draft.parent and draft.parent.name is _NOWHERE:
            draft.parent = draft.parent.parent
    return named
