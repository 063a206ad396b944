"""Rules of JavaScript's optional chains: `a?.b` for what was asked of `a` before.

Where nothing but the truth of a value counts, `a && a.b` is taken for `a?.b`: they part only for an `a` that is 0 or
"" and has members of its own to be called, which nobody guards this way.
"""

from typing import Final

from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.ecmascript.meaning import DIALECTS, is_free, is_nullish
from linetrail.projections.proof.rules.likeness import alike, is_plain
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term

_LINKS: Final = (t.ATTR, t.INDEX, t.CALL)


def _guarded(term: Term, place: Place) -> Term | None:
    """Turn `a && a.b` into `a?.b`, where it is a condition or done for its effect."""
    if term.value != "and" or not (place.test or place.effect):
        return None
    for at in range(len(term.kids) - 1, 0, -1):
        asked = _asked(term.kids[at - 1])
        made = _optional(term.kids[at], asked) if asked is not None else None
        if made is not None and (place.test or at == len(term.kids) - 1):
            kids = [*term.kids[: at - 1], made, *term.kids[at + 1 :]]
            return term.but(kids=kids) if len(kids) > 1 else made
    return None


def _asked(test: Term) -> Term | None:
    """Return the value of which a condition asks whether there is any."""
    if test.kind == t.COMPARE and test.value == "!=" and is_nullish(test.kids[1]):
        test = test.kids[0]
    return test if _is_chain(test) else None


def _is_chain(term: Term) -> bool:
    """Return whether a term is a variable or members of one, whether they are there or not."""
    while term.kind == t.ATTR and term.value in (".", "?."):
        term = term.kids[0]
    return term.kind == t.NAME


def _optional(chain: Term, asked: Term) -> Term | None:
    """Return a chain that begins with a value, so that it skips the rest where there is none."""
    if chain.kind not in _LINKS:
        return None
    first, *rest = chain.kids
    if alike(first, asked) and chain.value in (".", ""):
        return chain.but(value="?.")
    made = _optional(first, asked)
    return chain.but(kids=[made, *rest]) if made is not None else None


def _condition(term: Term, _place: Place) -> Term | None:
    """Turn `if (a) a.b()` into `a?.b()`."""
    test, then, otherwise = term.kids
    if otherwise.kind != t.NONE or len(then.kids) != 1 or then.kids[0].kind != t.EXPR:
        return None
    asked = _asked(test)
    made = _optional(then.kids[0].kids[0], asked) if asked is not None else None
    return then.kids[0].but(kids=[made]) if made is not None else None


def _choice(term: Term, _place: Place) -> Term | None:
    """Turn `a == null ? undefined : a.b` into `a?.b`."""
    test, then, otherwise = term.kids
    if test.kind != t.COMPARE or test.value not in ("==", "!=") or not is_nullish(test.kids[1]):
        return None
    if test.value == "!=":
        then, otherwise = otherwise, then
    if not is_free(then, "undefined") or not is_plain(test.kids[0]):
        return None
    return _optional(otherwise, test.kids[0])


RULES: Final = (
    Rule("optional chain", (t.LOGIC,), _guarded, DIALECTS),
    Rule("optional chain as a statement", (t.IF,), _condition, DIALECTS),
    Rule("optional chain as a value", (t.COND,), _choice, DIALECTS),
)
