"""Read Python's literals: what they are worth, not how they are spelled."""

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from linetrail.projections.proof.dialects.nodes import kids, named, text
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

if TYPE_CHECKING:
    from tree_sitter import Node

Expression = Callable[["Node"], Term]


def number(spelling: str) -> Term:
    """Return a number by its value.

    >>> number("0x_FF").value == number("255").value
    True
    """
    try:
        value = ast.literal_eval(spelling)
    except (ValueError, SyntaxError):  # 017 and 1L of Python 2, or more digits than may be converted
        return Term(t.LIT, ("number", spelling))
    return Term(t.LIT, (type(value).__name__, repr(value)))


def string(parts: Sequence["Node"], expression: Expression) -> Term:
    """Return adjacent string literals as the one value that they are."""
    pieces: list[Term] = []
    kind = "str"
    template = False
    for part in parts:
        prefix = text(part.children[0]).rstrip("'\"").lower()
        kind = "bytes" if "b" in prefix else kind
        template |= "f" in prefix or "t" in prefix
        pieces += _pieces(part, prefix, expression)
    joined = _joined(pieces)
    if template:
        return Term(t.TEMPLATE, "t" if parts and "t" in text(parts[0].children[0]).lower() else "", joined)
    return Term(t.LIT, (kind, "".join(str(piece.value[1]) for piece in joined)))


def _pieces(node: "Node", prefix: str, expression: Expression) -> Iterable[Term]:
    source = node.text or b""
    base = node.start_byte
    start = node.children[0].end_byte
    for kid in node.children[1:]:
        if kid.type == "interpolation":
            yield _written(source[start - base : kid.start_byte - base], prefix)
            yield _hole(kid, prefix, expression)
            start = kid.end_byte
        elif kid.type == "string_end":
            yield _written(source[start - base : kid.start_byte - base], prefix)


def _written(raw: bytes, prefix: str) -> Term:
    """Return a stretch of text by its value."""
    spelled = raw.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    if "f" in prefix or "t" in prefix:
        spelled = spelled.replace("{{", "{").replace("}}", "}")
    if "r" not in prefix and "\\" in spelled:
        spelled = _unescaped(spelled, "b" if "b" in prefix else "")
    return Term(t.LIT, ("str", spelled))


def _unescaped(spelled: str, prefix: str) -> str:
    # each quote gets a backslash of its own, unless it has one
    quoted = "".join(f"\\{sign}" if sign == '"' and not odd else sign for sign, odd in _escapes(spelled))
    try:
        value = ast.literal_eval(f'{prefix}"""{quoted}"""')
    except (ValueError, SyntaxError):
        return f"\\{spelled}"
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _escapes(spelled: str) -> Iterable[tuple[str, bool]]:
    odd = False
    for sign in spelled:
        yield sign, odd
        odd = sign == "\\" and not odd


def _hole(node: "Node", prefix: str, expression: Expression) -> Term:
    inner, conversion, form = ABSENT, ABSENT, ABSENT
    shown = ""
    for kid in kids(node):
        if kid.type == "type_conversion":
            conversion = Term(t.LIT, ("conversion", text(kid)))
        elif kid.type == "format_specifier":
            form = _form(kid, prefix, expression)
        elif kid.type == "=":
            # {x=} shows the expression as it is written
            shown = text(node)[1:].partition("=")[0]
        elif kid.type == "named_expression":
            # the grammar takes {x:=1} for an assignment, which needs parentheses: it is x in the format =1
            name, _, form_text = text(kid).partition(":")
            inner, form = Term(t.NAME, name.strip()), Term(t.TEMPLATE, "", [Term(t.LIT, ("str", form_text))])
        elif kid.is_named:
            inner = expression(kid)
    return Term(t.HOLE, shown, [inner, conversion, form])


def _form(node: "Node", prefix: str, expression: Expression) -> Term:
    source = (node.text or b"")[1:]
    base = start = node.start_byte + 1
    pieces: list[Term] = []
    for kid in node.children:
        if kid.is_named and kid.type != "string_content":
            pieces += [_written(source[start - base : kid.start_byte - base], prefix)]
            inner = named(kids(kid))
            pieces += [Term(t.HOLE, "", [expression(inner[0]) if inner else ABSENT, *map(expression, inner[1:])])]
            start = kid.end_byte
    pieces += [_written(source[start - base :], prefix)]
    return Term(t.TEMPLATE, "", _joined(pieces))


def _joined(pieces: Iterable[Term]) -> list[Term]:
    joined: list[Term] = []
    for piece in pieces:
        if piece.kind == t.LIT and joined and joined[-1].kind == t.LIT:
            joined[-1] = Term(t.LIT, ("str", joined[-1].value[1] + piece.value[1]))
        elif piece.kind != t.LIT or piece.value != ("str", ""):
            joined.append(piece)
    return joined
