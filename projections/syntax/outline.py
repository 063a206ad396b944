"""Find out where each definition begins and ends, what it is called, and which one stands around it.

A query tells nodes and names one by one. Here they come together: a definition grows to the decorators and comments
directly above it, and a name belongs to the innermost definition around it, if that has none yet.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

Span = tuple[int, int]
Captures = Mapping[str, Sequence["Node"]]

_SPACE = b" \t\r\n\f\v"
_DEFINITION = "definition."
# Where two patterns find the same node, one of these is the lesser reading.
_WEAK = frozenset({"variable", "constant", "property"})
# A comment further above than this many blanks is not looked for.
_REACH = 256


class Draft:
    """A definition that has no hashes yet."""

    __slots__ = ("broken", "end", "kind", "name", "node", "parent", "start")

    def __init__(self, kind: str, node: Span, *, broken: bool) -> None:
        self.kind, self.node, self.broken = kind, node, broken
        self.start, self.end = node
        self.name: Span | None = None
        self.parent: int | None = None


def outline(content: bytes, captures: Captures) -> list[Draft]:
    """Return the definitions in the order of the text, an outer one before those inside of it."""
    above = _Above(content, captures)
    drafts: list[Draft] = []
    open_: list[int] = []
    closed = 0
    for _, is_name, _, _, _, found in _in_order(content, captures):
        start, end = found.node
        while open_ and drafts[open_[-1]].end <= start:
            closed = drafts[open_.pop()].end
        around = drafts[open_[-1]] if open_ else None
        if is_name:
            if around is not None and around.name is None:
                around.name = start, min(end, around.end)
        elif around is None or around.node != found.node:
            found.parent = open_[-1] if open_ else None
            found.start = above.reach(found.node, max(closed, around.node[0]) if around else closed)
            open_.append(len(drafts))
            drafts.append(found)
    return drafts


def spans(content: bytes, nodes: Sequence["Node"]) -> list[Span]:
    """Return where nodes begin and end, without the white space that some grammars count to the end."""
    return [_span(content, node) for node in nodes]


def _span(content: bytes, node: "Node") -> Span:
    start, end = node.byte_range
    while end > start and content[end - 1] in _SPACE:
        end -= 1
    return start, end


def _in_order(content: bytes, captures: Captures) -> list[tuple[int, bool, int, bool, int, Draft]]:
    found = [
        (Draft(kind.removeprefix(_DEFINITION), _span(content, node), broken=node.has_error), False)
        for kind, nodes in captures.items()
        if kind.startswith(_DEFINITION)
        for node in nodes
    ]
    found += [(Draft("", place, broken=False), True) for place in spans(content, captures.get("name", ()))]
    return sorted(
        (draft.node[0], is_name, -draft.node[1], draft.kind in _WEAK, number, draft)
        for number, (draft, is_name) in enumerate(found)
        if draft.node[0] < draft.node[1]
    )


class _Above:
    """What may stand directly above a definition and belongs to it, by where it ends."""

    def __init__(self, content: bytes, captures: Captures) -> None:
        self.content = content
        self.comments = {end: start for start, end in spans(content, captures.get("comment", ()))}
        self.attached = {end: start for start, end in spans(content, captures.get("attached", ()))}
        self.outer = {end: start for start, end in spans(content, captures.get("outer", ()))}

    def reach(self, node: Span, lowest: int) -> int:
        """Return where a definition begins with all that belongs to it, at or after a lowest place."""
        start, end = node
        if lowest <= self.outer.get(end, start) < start:
            start = self.outer.pop(end)
        at = start
        while (at := self._step(at, lowest)) >= 0:
            if self._begins_line(at):
                start = at
        return start

    def _step(self, start: int, lowest: int) -> int:
        """Return where the comment or attribute just above begins; -1 where there is none."""
        blank = self.content[max(lowest, start - _REACH) : start]
        text = len(blank.rstrip(_SPACE))
        if blank.count(b"\n", text) > 1:
            return -1
        end = start - len(blank) + text
        begin = self.attached.get(end, self.comments.get(end, -1))
        return begin if begin >= lowest else -1

    def _begins_line(self, at: int) -> bool:
        line = self.content.rfind(b"\n", 0, at) + 1
        return not self.content[line:at].strip(_SPACE)
