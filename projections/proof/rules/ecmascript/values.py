"""Rules of JavaScript's values, texts and types: operators and literals that have another spelling."""

from collections.abc import Sequence
from typing import Final

from linetrail.projections.proof.dialects.ecmascript.expressions import LOGIC
from linetrail.projections.proof.dialects.ecmascript.jsx import ATTRIBUTES, ELEMENT
from linetrail.projections.proof.dialects.ecmascript.literals import key_value
from linetrail.projections.proof.dialects.ecmascript.types import OBJECT
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.ecmascript.meaning import DIALECTS, is_free
from linetrail.projections.proof.rules.likeness import alike, is_plain
from linetrail.projections.proof.rules.truth import negated
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


_UNION: Final = "ecmascript:union_type"
_GENERIC: Final = "ecmascript:generic_type"
_ARRAY: Final = "ecmascript:array_type"
_READONLY: Final = "ecmascript:readonly_type"


def _array(term: Term, _place: Place) -> Term | None:
    """Turn `Array<A>` into `A[]`, and `ReadonlyArray<A>` into `readonly A[]`."""
    name, arguments = term.kids[0], term.kids[-1]
    if len(arguments.kids) != 1 or not (is_free(name, "Array") or is_free(name, "ReadonlyArray")):
        return None
    made = term.but(kind=_ARRAY, kids=arguments.kids)
    if name.value == "Array":
        return made
    return term.but(kind=_READONLY, kids=[Term(t.TOKEN, "readonly", line=term.line), made])


def _interface(term: Term, _place: Place) -> Term | None:
    """Turn `type A = {}` into `interface A {}`."""
    name, bases, body, *rest = term.kids
    if term.value != ("type",) or len(body.kids) != 1 or body.kids[0].kind != OBJECT:
        return None
    members = body.kids[0].kids
    if any(one.kind == "ecmascript:mapped_type" for kid in members for one in kid.kids):
        return None
    return term.but(value=("interface",), kids=[name, bases, body.but(kids=members), *rest])


def _union(term: Term, _place: Place) -> Term | None:
    """Put the types of a union in an order of their own: it says nothing."""
    kids = sorted(term.kids, key=_spelling)
    made = term.having(kids)
    return made if made is not term else None


def _spelling(term: Term) -> list[tuple[str, str]]:
    return [(one.kind, str(getattr(one.value, "name", one.value))) for one in term.walk()]


_NULL: Final = ("constant", "null")


def _augmented(term: Term, _place: Place) -> Term | None:
    """Turn `a += b` into `a = a + b`."""
    operator = term.value.removesuffix("=")
    target, value = term.kids
    if not _is_target(target):
        return None
    kind = t.LOGIC if operator in LOGIC else t.BINARY
    combined = term.but(kind=kind, value=LOGIC.get(operator, operator), kids=[target, value])
    return term.but(kind=t.ASSIGN, value="=", kids=[target, combined])


def _assigned_otherwise(term: Term, _place: Place) -> Term | None:
    """Turn `a || (a = b)` into `a = a || b`."""
    target, *rest = term.kids
    if len(rest) != 1 or rest[0].kind != t.ASSIGN or len(rest[0].kids) != 2 or not _is_target(target):
        return None
    if not alike(target, rest[0].kids[0]):
        return None
    return rest[0].but(kids=[target, term.but(kids=[target, rest[0].kids[1]])])


def _assignment(term: Term, _place: Place) -> Term | None:
    """Let an assignment for its effect be a statement."""
    return term.kids[0] if term.kids[0].kind in (t.ASSIGN, t.AUGMENT) else None


def _is_target(target: Term) -> bool:
    """Return whether a target can be named twice."""
    if target.kind == t.INDEX:
        return target.value == "" and is_plain(target.kids[0]) and target.kids[1].kind in (t.LIT, t.NAME)
    return is_plain(target)


def _condition_and_value(term: Term, _place: Place) -> Term | None:
    """Turn `a = a || b`, as a statement, into `if (!a) a = b`."""
    kids = [_decided(kid) for kid in term.kids]
    made = term.having(kids)
    return made if made is not term else None


def _decided(statement: Term) -> Term:
    if statement.kind != t.ASSIGN or len(statement.kids) != 2 or not _is_own_choice(statement):
        return statement
    target, choice = statement.kids
    rest = choice.kids[1:]
    value = rest[0] if len(rest) == 1 else choice.but(kids=rest)
    assigned = statement.but(kids=[target, value])
    test = {"and": target, "or": negated(target)}.get(choice.value, _is_null(target))
    return statement.but(
        kind=t.IF, value="", kids=[test, assigned.but(kind=t.BLOCK, value="", kids=[assigned]), ABSENT]
    )


def _is_own_choice(statement: Term) -> bool:
    target, choice = statement.kids
    if statement.value != "=" or choice.kind != t.LOGIC or not _is_target(target):
        return False
    return alike(target, choice.kids[0])


def _is_null(value: Term) -> Term:
    return value.but(kind=t.COMPARE, value="==", kids=[value, Term(t.LIT, _NULL, line=value.line)])


def _uncaught(term: Term, _place: Place) -> Term | None:
    """Turn `catch (a) {}` into `catch {}`, where nobody looks at it."""
    typed, caught, body = term.kids
    if caught.kind != t.BIND or any(one.kind == t.NAME and one.value is caught.value for one in body.walk()):
        return None
    return term.but(kids=[typed, ABSENT, body])


def _spread_literal(term: Term, _place: Place) -> Term | None:
    """Turn `{...{a}}` into `{a}`, and `[...[a]]` into `[a]`."""
    if not any(_is_literal_spread(kid, term.kind) for kid in term.kids):
        return None
    kids = [part for kid in term.kids for part in (kid.kids[0].kids if _is_literal_spread(kid, term.kind) else (kid,))]
    return term.but(kids=kids)


def _is_literal_spread(kid: Term, kind: str) -> bool:
    if kid.kind != t.SPREAD or kid.kids[0].kind != kind:
        return False
    parts = kid.kids[0].kids
    if kind == t.LIST:
        return all(part.kind != t.NONE for part in parts)
    return all(part.kind == t.SPREAD or (part.kind == t.PAIR and part.kids[0].value != "__proto__") for part in parts)


RULES: Final = (
    Rule("text that is put together, as a template", (t.BINARY,), _concatenation, DIALECTS),
    Rule("text in a template", (t.TEMPLATE,), _template, DIALECTS),
    Rule("member by its name", (t.INDEX,), _member, DIALECTS),
    Rule("key by its name", (t.PAIR, t.FUNCTION, t.DECLARE), _key, DIALECTS),
    Rule("text of an element", (ELEMENT,), _element, DIALECTS),
    Rule("attribute without a value", (ATTRIBUTES,), _attribute, DIALECTS),
    Rule("type of a list", (_GENERIC,), _array, DIALECTS),
    Rule("type alias as interface", (t.CLASS,), _interface, DIALECTS),
    Rule("order of a union", (_UNION,), _union, DIALECTS),
    Rule("operator and assignment", (t.AUGMENT,), _augmented, DIALECTS),
    Rule("assignment of what is missing", (t.LOGIC,), _assigned_otherwise, DIALECTS),
    Rule("assignment for its effect", (t.EXPR,), _assignment, DIALECTS),
    Rule("assignment by condition", (t.BLOCK,), _condition_and_value, DIALECTS),
    Rule("caught and not looked at", (t.CATCH,), _uncaught, DIALECTS),
    Rule("copy of a literal", (t.OBJECT, t.LIST), _spread_literal, DIALECTS),
)
