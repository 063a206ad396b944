"""Rules of JavaScript's text: templates, concatenations, keys and members that are spelled as text."""

from collections.abc import Sequence
from typing import Final

from linetrail.projections.proof.dialects.ecmascript.jsx import ATTRIBUTES, ELEMENT
from linetrail.projections.proof.dialects.ecmascript.literals import key_value
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.ecmascript.meaning import DIALECTS
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term, text_of

# Keys that mean something else when they are computed.
_SPECIAL: Final = frozenset(("__proto__", "constructor", "prototype"))


def _concatenation(term: Term, _place: Place) -> Term | None:
    """Turn `"a" + b` into a template: what is added to text becomes text."""
    if term.value != "+" or not any(map(_is_text, term.kids)):
        return None
    return term.but(kind=t.TEMPLATE, value="", kids=_joined([piece for kid in term.kids for piece in _pieces(kid)]))


def _is_text(term: Term) -> bool:
    return term.kind == t.TEMPLATE or text_of(term) is not None


def _pieces(term: Term) -> Sequence[Term]:
    """Return what a part of a text consists of."""
    if term.kind == t.TEMPLATE:
        return term.kids
    return (term,) if text_of(term) is not None else (term.but(kind=t.HOLE, value="", kids=[term, ABSENT, ABSENT]),)


def _joined(pieces: Sequence[Term]) -> list[Term]:
    joined: list[Term] = []
    for piece in pieces:
        if piece.kind == t.LIT and joined and joined[-1].kind == t.LIT:
            joined[-1] = joined[-1].but(value=("str", f"{text_of(joined[-1])}{text_of(piece)}"))
        elif text_of(piece) != "":
            joined.append(piece)
    return joined


def _template(term: Term, place: Place) -> Term | None:
    """Put text that fills a hole into the template, and do without a template that has no hole."""
    if place.spelled or not all(text_of(kid) is not None for kid in term.kids if kid.kind == t.LIT):
        return None
    pieces = [piece for kid in term.kids for piece in (_filling(kid) if kid.kind == t.HOLE else (kid,))]
    joined = _joined(pieces)
    if not joined:
        return term.but(kind=t.LIT, value=("str", ""), kids=())
    if len(joined) == 1 and joined[0].kind == t.LIT:
        return joined[0]
    same = len(joined) == len(term.kids) and all(new is old for new, old in zip(joined, term.kids, strict=True))
    return None if same else term.but(kids=joined)


def _filling(hole: Term) -> Sequence[Term]:
    inner = hole.kids[0]
    return _pieces(inner) if _is_text(inner) else (hole,)


def _member(term: Term, _place: Place) -> Term | None:
    """Turn `a["b"]` into `a.b`."""
    holder, *subscripts = term.kids
    if len(subscripts) != 1 or text_of(subscripts[0]) is None:
        return None
    kind, value = key_value(subscripts[0].value)
    if kind != t.FIELD:
        return None
    return term.but(kind=t.ATTR, value=term.value or ".", kids=[holder, subscripts[0].but(kind=kind, value=value)])


def _key(term: Term, _place: Place) -> Term | None:
    """Turn `{["a"]: b}` into `{a: b}`."""
    computed, *rest = term.kids
    if computed.kind != t.COMPUTED or computed.kids[0].kind != t.LIT:
        return None
    literal = computed.kids[0]
    if literal.value[0] not in ("str", "number") or literal.value[1] in _SPECIAL:
        return None
    kind, value = key_value(literal.value)
    return term.but(kids=[literal.but(kind=kind, value=value), *rest])


def _element(term: Term, _place: Place) -> Term | None:
    """Write the content of a JSX element in one way: text in braces as text, an empty element as closed."""
    kids: list[Term] = []
    for kid in term.kids:
        text = text_of(kid)
        made = kid if text is None else kid.but(value=("text", text))
        if made.kind == t.LIT and kids and kids[-1].kind == t.LIT:
            kids[-1] = made.but(value=("text", kids[-1].value[1] + made.value[1]))
        elif made.kind != t.LIT or made.value[1]:
            kids.append(made)
    same = len(kids) == len(term.kids) and all(new is old for new, old in zip(kids, term.kids, strict=True))
    return None if same and not term.value else Term(ELEMENT, "", kids, line=term.line, start=term.start, end=term.end)


def _attribute(term: Term, _place: Place) -> Term | None:
    """Turn `<a b />` into `<a b={true} />`."""
    if not any(kid.kind == t.PAIR and kid.kids[1].kind == t.NONE for kid in term.kids):
        return None
    return term.but(kids=[_given(kid) for kid in term.kids])


def _given(attribute: Term) -> Term:
    if attribute.kind != t.PAIR or attribute.kids[1].kind != t.NONE:
        return attribute
    return attribute.but(kids=[attribute.kids[0], Term(t.LIT, ("constant", "true"))])


RULES: Final = (
    Rule("text that is put together, as a template", (t.BINARY,), _concatenation, DIALECTS),
    Rule("text in a template", (t.TEMPLATE,), _template, DIALECTS),
    Rule("member by its name", (t.INDEX,), _member, DIALECTS),
    Rule("key by its name", (t.PAIR, t.FUNCTION, t.DECLARE), _key, DIALECTS),
    Rule("text of an element", (ELEMENT,), _element, DIALECTS),
    Rule("attribute without a value", (ATTRIBUTES,), _attribute, DIALECTS),
)
