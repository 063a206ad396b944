r"""Edit YAML as text: put values in and take them out while every other byte stays.

A path is keys and indexes from the root. Comments, order, quotes, indentation and line ends are a person's own, so an
edit is made where a value stands, in the manner of its neighbours. Then the text is read again: when it says anything
else than what it said before and the one change, the edit is refused. What a reader of YAML 1.1 or 1.2 could take for
something else than text, or for two values, stands in quotes.

>>> print(append("scope:  # ours\n- 'a/**'   # code\n# end", ("scope",), "*.md"))
scope:  # ours
- 'a/**'   # code
- '*.md'
# end
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import yaml

from linetrail.ledger.intents.registry import MisreadError, compose, is_null

Path = tuple[str | int, ...]
_BREAKS = "\r\n\x85\u2028\u2029"
_BREAK = re.compile(f"\r\n|[{_BREAKS}]")
# What may follow a value on its line.
_REST = re.compile(f"[ \t]*(?:(?<=[ \t])#[^{_BREAKS}]*)?(?=[{_BREAKS}]|$)")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z")
_BLOCK_SCALARS = ("|", ">")
_PLAIN = re.compile(r"""[A-Za-z](?:[A-Za-z0-9_./@+*(),;'"!?%=&$-]| (?! ))*""")
_SPLITS = re.compile("[,;?!&*]")  # within brackets, or where somebody reads only half of YAML
_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
# Written as escapes: what ends a line, turns text around, or is no sign at all.
_HIDDEN = re.compile("[\x7f-\xa0\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff0-\uffff]")


class Manner(NamedTuple):
    """How the text around writes: its line ends, its quotes, and how far a dash stands behind the key above it."""

    newline: str = "\n"
    quote: str | None = None
    dash: int = 2


class EditError(ValueError):
    """The edit cannot be made so that everything else stays as it is."""


def put(text: str, path: Path, value: Any) -> str:
    """Put a value in the place of one that is no block of lists and maps."""
    document = _Document(text)
    node = document.find(path)
    if _is_block(node):
        raise EditError(f"line {_line(node)}: a block cannot be replaced as a whole")
    start, end = document.start(node), document.end(node)
    old = text[start:end]
    if _style(node) in _BLOCK_SCALARS and "#" in _BREAK.split(old)[0]:
        raise EditError(f"line {_line(node)}: the comment beside the value would be lost")
    near = document.find(path[:-1]) if is_null(node) and path else node
    quote = _quote(near)
    if quote is None and isinstance(value, str) and _TIME.fullmatch(value) and _TIME.fullmatch(old):
        new = value  # a plain time stays one, though it could be taken for more than text
    else:
        new = flow(value, quote, inside=document.inside(path))
    gap = " " if start == end and text[:start].endswith((":", "-")) else ""
    return _checked(text[:start] + gap + new + text[end:], document, path, lambda _: value)


def insert(text: str, path: Path, key: str, value: Any) -> str:
    """Add a member to the map at `path`, as the last one."""
    document = _Document(text)
    node = document.find(path)
    if not isinstance(node, yaml.MappingNode):
        raise EditError(f"line {_line(node)}: there is no map to add `{key}` to")
    quote = _quote(node)
    if _is_block(node):
        first, last = node.value[0][0], node.value[-1][1]
        column = first.start_mark.column
        lines = member(scalar(key, first.style or None), value, column, document.manner(quote))
        new = document.with_lines(document.end(last), " " * column + lines)
    else:
        named = scalar(key, node.value[0][0].style or None if node.value else None, inside=True)
        new = document.with_inside(node, f"{named}: {flow(value, quote)}")
    return _checked(new, document, path, lambda old: old | {key: value})


def append(text: str, path: Path, value: Any, *, blank: bool | None = None) -> str:
    """Add an element to the list at `path`, as the last one; where nothing or an empty list stands, begin it.

    A `blank` line comes before it when one comes before its neighbour, or as it is told.
    """
    document = _Document(text)
    node = document.find(path)
    if not (is_null(node) or isinstance(node, yaml.SequenceNode)):
        raise EditError(f"line {_line(node)}: there is no list to add to")
    if _is_block(node):
        new = _append_line(document, node, value, blank=blank)
    elif document.is_empty(node) and path and isinstance(path[-1], str) and not document.inside(path):
        new = _begin(document, path, node, value)
    elif is_null(node):
        return put(text, path, [value])
    else:
        new = document.with_inside(node, flow(value, _quote(node)))
    return _checked(new, document, path, lambda old: [*(old or []), value])


def remove(text: str, path: Path) -> str:
    """Take an element out of its list; of the last one `[]` is left."""
    document = _Document(text)
    *above, at = path
    node = document.find(tuple(above))
    if not isinstance(node, yaml.SequenceNode) or not isinstance(at, int) or not 0 <= at < len(node.value):
        raise EditError(f"there is no element {at}")
    new = _without_line(document, tuple(above), node, at) if _is_block(node) else _without(document, node, at)
    return _checked(new, document, tuple(above), lambda old: old[:at] + old[at + 1 :])


def newline(text: str) -> str:
    found = _BREAK.search(text)
    return found[0] if found else "\n"


class _Document:
    """A text with its tree, and where in the text the nodes are."""

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            root = compose(text.encode())
        except UnicodeEncodeError as error:
            raise EditError(f"not Unicode: {error.reason}") from None
        except MisreadError as error:
            raise EditError(f"line {error.line}: {error}") from None
        if root is None:
            raise EditError("the text is empty")
        self.root: yaml.Node = root
        self._starts = [0, *(found.end() for found in _BREAK.finditer(text))]

    def find(self, path: Path) -> yaml.Node:
        node = self.root
        for step in path:
            node = _child(node, step)
        return node

    def inside(self, path: Path) -> bool:
        """Return whether a value stands within brackets."""
        return any(not _is_block(self.find(path[:length])) for length in range(len(path)))

    def is_empty(self, node: yaml.Node) -> bool:
        """Return whether nothing, null or `[]` stands here, with no comment in between."""
        return is_null(node) or not (node.value or self.text[self.start(node) : self.end(node)].strip("[] \t"))

    def start(self, node: yaml.Node) -> int:
        return self._offset(node.start_mark)

    def end(self, node: yaml.Node) -> int:
        """Return where the last sign of a value ends: for blocks, the end that the parser tells is too far."""
        if _is_block(node):
            last = node.value[-1]
            return self.end(last[1] if isinstance(last, tuple) else last)
        start, end = self._offset(node.start_mark), self._offset(node.end_mark)
        if _style(node) not in _BLOCK_SCALARS or "+" in _BREAK.split(self.text[start:end])[0]:
            return end
        return start + len(self.text[start:end].rstrip(" \t" + _BREAKS))

    def manner(self, quote: str | None) -> Manner:
        return Manner(newline(self.text), quote, next(_dashes(self.root), 2))

    def line_start(self, at: int) -> int:
        return max(start for start in self._starts if start <= at)

    def line_end(self, at: int) -> int:
        """Return the end of a line on which nothing but a comment follows."""
        rest = _REST.match(self.text, at)
        if rest is None:
            raise EditError(f"line {len(_BREAK.findall(self.text[:at])) + 1}: something else follows on this line")
        return rest.end()

    def with_lines(self, at: int, lines: str, *, blank: bool = False) -> str:
        """Return the text with lines behind the one on which a value ends."""
        end_of_line = newline(self.text)
        gap = end_of_line if blank else ""
        if at in self._starts and at:
            return self.text[:at] + gap + lines + end_of_line + self.text[at:]
        at = self.line_end(at)
        return self.text[:at] + end_of_line + gap + lines + self.text[at:]

    def with_inside(self, node: yaml.Node, written: str) -> str:
        """Return the text with one more element within brackets."""
        at = self.start(node) + 1
        if node.value:
            last = node.value[-1]
            at = self.end(last[1] if isinstance(last, tuple) else last)
            written = ", " + written
        return self.text[:at] + written + self.text[at:]

    def _offset(self, mark: Any) -> int:
        return int(self._starts[mark.line] + mark.column)


def _append_line(document: _Document, node: yaml.Node, value: Any, *, blank: bool | None) -> str:
    column, last = node.start_mark.column, node.value[-1]
    at = document.start(node)
    if document.text[at : at + 1] != "-":
        raise EditError(f"line {_line(node)}: the list does not begin with a dash")
    width = max(last.start_mark.column - column, 2) if last.start_mark.line == _dash_line(document, last) else 2
    if blank is None:
        blank = len(node.value) > 1 and _is_apart(document, node.value[-2], last)
    lines = " " * column + element(value, column + width, document.manner(_quote(node)), width - 1)
    return document.with_lines(document.end(last), lines, blank=blank)


def _begin(document: _Document, path: Path, node: yaml.Node, value: Any) -> str:
    """Put the first element of a list on a line of its own, below the key."""
    key = _key(document.find(path[:-1]), path[-1])
    start, end = document.start(node), document.end(node)
    rest = document.line_end(end)
    text, manner = document.text, document.manner(_quote(document.find(path[:-1])))
    column = key.start_mark.column + manner.dash
    line = manner.newline + " " * column + element(value, column + 2, manner)
    return text[:start].rstrip(" \t") + text[end:rest] + line + text[rest:]


def _without_line(document: _Document, above: Path, node: yaml.Node, at: int) -> str:
    text, item = document.text, node.value[at]
    dash = text.rfind("-", 0, document.start(item))
    begin, end = document.line_start(dash), document.line_end(document.end(item))
    if text[begin:dash].strip(" "):
        raise EditError(f"line {_line(item)}: the element does not have its line for itself")
    behind = _BREAK.match(text, end)
    end = behind.end() if behind else end
    if behind is None:
        begin = len(text[:begin].rstrip("\r\n"))
    if len(node.value) > 1:
        return text[:begin] + text[end:]
    colon = document.end(_key(document.find(above[:-1]), above[-1])) if above else 0
    found = re.compile("[ \t]*:").match(text, colon)
    if found is None:
        raise EditError(f"line {_line(node)}: nothing tells where an empty list would go")
    return text[: found.end()] + " []" + text[found.end() : begin] + text[end:]


def _without(document: _Document, node: yaml.Node, at: int) -> str:
    text, items = document.text, node.value
    if at + 1 < len(items):
        return text[: document.start(items[at])] + text[document.start(items[at + 1]) :]
    begin = document.end(items[at - 1]) if at else document.start(items[at])
    return text[:begin] + text[document.end(items[at]) :]


def _checked(new: str, document: _Document, path: Path, change: Callable[[Any], Any]) -> str:
    """Return the new text if it says what the old one said and the change, in the same order, and nothing else."""
    wanted = _changed(_tree(document.root), path, change)
    found = _tree(_Document(new).root)
    # As text the order of members counts, too.
    if repr(found) != repr(_texts(wanted)):
        raise EditError("the change would say something else than it should; make it by hand")
    return new


def _changed(tree: Any, path: Path, change: Callable[[Any], Any]) -> Any:
    if not path:
        return change(tree)
    step, *rest = path
    tree[step] = _changed(tree[step], tuple(rest), change)
    return tree


def _tree(node: yaml.Node) -> Any:
    """Return what a node says: text and nothing in lists and maps."""
    if isinstance(node, yaml.MappingNode):
        members = {str(key.value): _tree(value) for key, value in node.value}
        if len(members) != len(node.value):
            raise EditError(f"line {_line(node)}: a key is here twice")
        return members
    if isinstance(node, yaml.SequenceNode):
        return [_tree(item) for item in node.value]
    return None if is_null(node) else str(node.value)


def _texts(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _texts(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_texts(item) for item in value]
    return value if value is None else str(value)


def _child(node: yaml.Node, step: str | int) -> yaml.Node:
    found: list[yaml.Node] = []
    if isinstance(step, int) and isinstance(node, yaml.SequenceNode):
        found = node.value[step : step + 1]
    elif isinstance(node, yaml.MappingNode):
        found = [value for key, value in node.value if key.value == step]
    if not found:
        raise EditError(f"line {_line(node)}: there is no {step!r} here")
    return found[0]


def _key(node: yaml.Node, step: str | int) -> yaml.Node:
    keys: list[yaml.Node] = []
    if isinstance(node, yaml.MappingNode):
        keys = [key for key, _ in node.value if key.value == step]
    if not keys:
        raise EditError(f"line {_line(node)}: there is no key {step!r} here")
    return keys[0]


def _is_block(node: yaml.Node) -> bool:
    return isinstance(node, yaml.CollectionNode) and not node.flow_style


def _style(node: yaml.Node) -> str | None:
    return node.style if isinstance(node, yaml.ScalarNode) else None


def _is_apart(document: _Document, one: yaml.Node, other: yaml.Node) -> bool:
    """Return whether a blank line stands between two neighbours."""
    between = document.text[document.end(one) : document.start(other)]
    return any(not line.strip(" \t") for line in _BREAK.split(between)[1:-1])


def _dash_line(document: _Document, item: yaml.Node) -> int:
    dash = document.text.rfind("-", 0, document.start(item))
    return len(_BREAK.findall(document.text[:dash]))


def _quote(node: yaml.Node) -> str | None:
    """Return the quotes that values have here, going by the last one that could do without."""
    texts = [text for text in _scalars(node) if text.style not in _BLOCK_SCALARS and not is_null(text)]
    free = [text for text in texts if scalar(text.value, inside=True) == text.value]
    return next((text.style or None for text in reversed(free or texts)), None)


def _scalars(node: yaml.Node) -> Iterator[yaml.ScalarNode]:
    if isinstance(node, yaml.ScalarNode):
        yield node
    elif isinstance(node, yaml.CollectionNode):
        for item in node.value:
            yield from _scalars(item[1] if isinstance(item, tuple) else item)


def _dashes(node: yaml.Node) -> Iterator[int]:
    """Yield how far dashes stand behind the keys above them, the innermost first."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _dashes(item)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _dashes(value)
            if isinstance(value, yaml.SequenceNode) and _is_block(value):
                yield value.start_mark.column - key.start_mark.column


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def scalar(value: str | int | None, quote: str | None = None, *, inside: bool = False) -> str:
    r"""Write a text, a whole number or null on one line; `inside` brackets a comma would end it.

    >>> print(scalar("src/**"), scalar("*.ts"), scalar("no"), scalar("it's", "'"), scalar("a\nb", "'"), scalar(7))
    src/** "*.ts" "no" 'it''s' "a\nb" 7
    """
    if value is None:
        return "null"
    if not isinstance(value, str):
        return str(value)
    if quote == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    bare = quote is None and _PLAIN.fullmatch(value) and value[-1] != " " and value.lower() not in _WORDS
    if bare and not (inside and _SPLITS.search(value)):
        return value
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def flow(value: Any, quote: str | None, *, inside: bool = True) -> str:
    """Write a value on one line, lists and maps in brackets."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{scalar(key, inside=True)}: {flow(item, quote)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow(item, quote) for item in value) + "]"
    return scalar(value, quote, inside=inside)


def member(key: str, value: Any, column: int, manner: Manner) -> str:
    """Write `key: value` for a block whose keys stand in this column; the first line without its indentation."""
    if isinstance(value, list | tuple) and value:
        indent = manner.newline + " " * (column + manner.dash)
        return f"{key}:{indent}" + indent.join(element(item, column + manner.dash + 2, manner) for item in value)
    if isinstance(value, Mapping) and value:
        return f"{key}:{manner.newline}{' ' * (column + 2)}{members(value, column + 2, manner)}"
    return f"{key}: {flow(value, manner.quote, inside=False)}"


def element(value: Any, column: int, manner: Manner, gap: int = 1) -> str:
    """Write `- value` for a list whose values stand in this column; the first line without its indentation."""
    if isinstance(value, Mapping) and value:
        return "-" + " " * gap + members(value, column, manner)
    return "-" + " " * gap + flow(value, manner.quote, inside=False)


def members(value: Mapping[str, Any], column: int, manner: Manner) -> str:
    """Write the members of a map as a block; the first line without its indentation."""
    indent = manner.newline + " " * column
    return indent.join(member(scalar(key), item, column, manner) for key, item in value.items())
