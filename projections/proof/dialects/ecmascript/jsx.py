"""Lower JSX to terms: elements, attributes, and text as React reads it."""

import html
import re
from typing import Final

from linetrail.projections.proof.dialects.ecmascript.expressions import instantiated
from linetrail.projections.proof.dialects.ecmascript.literals import line_feeds
from linetrail.projections.proof.dialects.ecmascript.tree import Construct, written
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

ELEMENT: Final = "ecmascript:element"
ATTRIBUTES: Final = "ecmascript:attributes"
_REFERENCE: Final = re.compile(r"&#?\w+;")
_TEXTS: Final = ("jsx_text", "html_character_reference")


def _tag(construct: Construct) -> Term:
    """Return an element with its attributes; where its name begins with a small letter, that is no variable."""
    attributes = construct.term(ATTRIBUTES, "", [term for term in construct.terms if term.kind in (t.PAIR, t.SPREAD)])
    value = "closed" if construct.node.type == "jsx_self_closing_element" else ""
    name = construct.terms[0] if construct.terms and construct.kinds[0] in _NAMES else ABSENT
    if name.kind == t.NAME and (name.value[:1].islower() or "-" in name.value):
        name = name.but(kind=t.FIELD)
    return construct.term(ELEMENT, value, [instantiated(construct, name, construct.of("type_arguments")), attributes])


_NAMES: Final = ("identifier", "member_expression", "jsx_namespace_name", "nested_identifier")


def _namespace(construct: Construct) -> Term:
    return construct.term(t.FIELD, ":".join(str(term.value) for term in construct.terms))


def _closing(construct: Construct) -> Term:
    return construct.term(t.TOKEN, "".join(construct.text().split()))


def _attribute(construct: Construct) -> Term:
    name, *value = construct.terms
    named = name.but(kind=t.FIELD)
    if construct.kinds[-1] != "string":
        return construct.term(t.PAIR, "", [named, *(value or [ABSENT])])
    spelled = written(construct.nodes[-1], construct.source)[1:-1]
    return construct.term(t.PAIR, "", [named, construct.term(t.LIT, ("str", _read(line_feeds(spelled))))])


def _element(construct: Construct) -> Term:
    """Return an element with what it holds, and with the end that does not fit its beginning."""
    opening, closing = construct.terms[0], construct.terms[-1]
    name = next((kid for kid in construct.nodes[0].children if kid.type in _NAMES), None)
    expected = "".join(written(name, construct.source).split()) if name is not None else ""
    end = [] if closing.value == f"</{expected}>" else [closing]
    return construct.term(ELEMENT, "", [*opening.kids, *_children(construct), *end])


def _children(construct: Construct) -> list[Term]:
    """Return what an element holds; text and the blanks in braces beside it are one."""
    children: list[Term] = []
    text = raw = ""
    for kind, term in zip(construct.kinds[1:-1], construct.terms[1:-1], strict=True):
        if kind in _TEXTS:
            raw += str(term.value)
            continue
        text, raw = text + _shown(raw), ""
        if kind == "jsx_expression" and _is_blank(term):
            text += str(term.value[1])
        elif term.kind != t.NONE:
            children += [*_text(construct, text), term]
            text = ""
    return [*children, *_text(construct, text + _shown(raw))]


def _is_blank(term: Term) -> bool:
    return term.kind == t.LIT and term.value[0] == "str" and term.value[1].isspace()


def _text(construct: Construct, text: str) -> list[Term]:
    return [construct.term(t.LIT, ("text", text))] if text else []


def _shown(raw: str) -> str:
    r"""Return the text that an element shows: lines are joined by one blank, indentation is dropped.

    >>> _shown("\n  a &amp; b\n  c ")
    'a & b c '
    """
    lines = line_feeds(raw).split("\n")
    last = len(lines) - 1
    kept = []
    for at, line in enumerate(lines):
        shown = line.lstrip(" \t") if at else line
        shown = shown.rstrip(" \t") if at != last else shown
        kept += [shown] if shown else []
    return _read(" ".join(kept))


def _read(text: str) -> str:
    return _REFERENCE.sub(lambda found: html.unescape(found[0]), text) if "&" in text else text


CONSTRUCTS: Final = {
    "jsx_element": _element,
    "jsx_opening_element": _tag,
    "jsx_self_closing_element": _tag,
    "jsx_closing_element": _closing,
    "jsx_namespace_name": _namespace,
    "jsx_attribute": _attribute,
}
