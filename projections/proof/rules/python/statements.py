"""Rules of Python's statements."""

from collections.abc import Iterator, Sequence
from typing import Final

from linetrail.projections.proof.rules import Place, Rule, of_neighbours
from linetrail.projections.proof.rules.flow import leaves
from linetrail.projections.proof.rules.likeness import alike, mentions
from linetrail.projections.proof.rules.python.meaning import (
    call,
    called,
    is_none,
    literal,
    meaning,
    member,
    method,
    name,
    placed,
)
from linetrail.projections.proof.rules.truth import negated, truth_of
from linetrail.projections.proof.rules.variables import FIXED, bound
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import IMPORTED, MODULE, Binding
from linetrail.projections.proof.terms.term import ABSENT, Term, text_of

PYTHON: Final = frozenset(("python",))
# What a collection does for one thing, and for all that there is.
_FOR_ALL: Final = {"add": "update", "discard": "difference_update", "append": "extend", "write": "writelines"}


# -- results and errors


def _result_or_nothing(term: Term, _place: Place) -> Term | None:
    """Turn return a if c else None into if c: return a, else return."""
    (value,) = term.kids
    if value.kind != t.COND or not any(map(is_none, value.kids[1:])):
        return None
    test, *results = value.kids
    branches = [placed(t.BLOCK, [term.but(kids=[ABSENT if is_none(one) else one])], one) for one in results]
    return term.but(kind=t.IF, kids=[test, *branches])


def _raised_class(term: Term, _place: Place) -> Term | None:
    """Turn raise E() into raise E, where E is a class."""
    thrown, cause = term.kids
    if thrown.kind != t.CALL or thrown.value != "" or len(thrown.kids) != 1 or not _is_class(thrown.kids[0]):
        return None
    return term.but(kids=[thrown.kids[0], cause])


def _is_class(term: Term) -> bool:
    """Return whether a name is that of a class: everybody writes those with a capital, and nothing else."""
    if term.kind == t.NAME and isinstance(term.value, Binding):
        binding = term.value
        written = binding.source[2] if binding.kind == IMPORTED and binding.source else binding.name
        return binding.kind in (IMPORTED, MODULE) and _is_capital(written)
    return term.kind in (t.NAME, t.ATTR) and _is_capital(str(term.kids[1].value if term.kids else term.value))


def _is_capital(written: str) -> bool:
    plain = written.rpartition(".")[2].lstrip("_")
    return plain[:1].isupper() and not plain.isupper()


def _unused_exception(term: Term, place: Place) -> Term | None:
    """Turn except E as e into except E, where e is not used."""
    kind, pattern, body = term.kids
    if pattern.kind != t.BIND or mentions(body, pattern.value) or not place.variables.live_in(term, [pattern.value]):
        return None
    return term.but(kids=[kind, ABSENT, body])


def _in_any_order(term: Term, _place: Place) -> Term | None:
    """Put the types of except (A, B) in order: which of them is met first makes no difference."""
    kind, pattern, body = term.kids
    if kind.kind != t.TUPLE or not all(map(meaning, kind.kids)):
        return None
    kids = sorted(kind.kids, key=meaning)
    return term.but(kids=[kind.but(kids=kids), pattern, body]) if kids != list(kind.kids) else None


def _suppressed(term: Term, _place: Place) -> Term | None:
    """Turn with suppress(E): a into try: a except E: pass."""
    if len(term.kids) != 2 or term.value:
        return None
    item, body = term.kids
    value, target = item.kids
    if called(value) != "contextlib.suppress" or target.kind != t.NONE or len(value.kids) < 2:
        return None
    if any(one.kind in (t.SPREAD, t.KWARG) for one in value.kids):
        return None
    kind = value.kids[1] if len(value.kids) == 2 else placed(t.TUPLE, value.kids[1:], value)
    return placed(
        t.TRY, [body, placed(t.CATCH, [kind, ABSENT, placed(t.BLOCK, (), value)], value), ABSENT, ABSENT], term
    )


def _together(term: Term, _place: Place) -> Term | None:
    """Turn with a: with b: … into with a, b: …"""
    *items, body = term.kids
    if len(body.kids) != 1 or body.kids[0].kind != t.WITH or body.kids[0].value != term.value:
        return None
    return term.but(kids=[*items, *body.kids[0].kids])


def _nothing_tried(term: Term, _place: Place) -> Term | None:
    """Leave out an else or finally that does nothing."""
    *rest, otherwise, last = term.kids
    kept = [ABSENT if part.kind == t.BLOCK and not part.kids else part for part in (otherwise, last)]
    if kept[0] is otherwise and kept[1] is last:
        return None
    return term.but(kids=[*rest, *kept])


# -- blocks


def _unwrapped(term: Term, _place: Place) -> Term | None:
    """Take out what stands in another statement without need: a try without handlers, an else after none."""
    if not any(map(_is_wrapped, term.kids)):
        return None
    return term.but(kids=[part for kid in term.kids for part in (_parts(kid) if _is_wrapped(kid) else (kid,))])


def _is_wrapped(statement: Term) -> bool:
    if statement.kind == t.TRY:
        *_, otherwise, last = statement.kids
        if last.kind != t.NONE:
            return False
        catches = statement.kids[1:-2]
        return not catches or (otherwise.kind != t.NONE and all(map(leaves, catches)))
    if statement.kind in (t.EACH, t.WHILE):
        body, otherwise = statement.kids[-2:]
        return otherwise.kind != t.NONE and not any(_breaks(body))
    return statement.kind == t.ASSERT and statement.kids[0].kind == t.LOGIC and _is_composite(statement)


def _is_composite(statement: Term) -> bool:
    return bool(statement.kids[0].value == "and") and statement.kids[1].kind == t.NONE


def _parts(statement: Term) -> Iterator[Term]:
    if statement.kind == t.ASSERT:
        yield from (statement.but(kids=[one, ABSENT]) for one in statement.kids[0].kids)
    elif statement.kind == t.TRY:
        body, *catches, otherwise, last = statement.kids
        if catches:
            yield statement.but(kids=[body, *catches, ABSENT, last])
        else:
            yield from body.kids
        yield from otherwise.kids
    else:
        yield statement.but(kids=[*statement.kids[:-1], ABSENT])
        yield from statement.kids[-1].kids


def _breaks(term: Term) -> Iterator[Term]:
    """Yield what leaves the loop that a statement is in."""
    if term.kind == t.BREAK:
        yield term
    elif term.kind in (t.EACH, t.WHILE):
        yield from _breaks(term.kids[-1])
    elif term.kind not in (t.FUNCTION, t.LAMBDA, t.CLASS):
        for kid in term.kids:
            yield from _breaks(kid)


def _one_declaration(_block: Term, first: Term, second: Term, _place: Place) -> Term | None:
    """Turn global x and global y into global x, y."""
    alike = first.kind == second.kind == t.GLOBAL and first.value == second.value
    return first.but(kids=[*first.kids, *second.kids]) if alike else None


def _collected(_block: Term, first: Term, second: Term, place: Place) -> Term | None:
    """Turn r = [] and for x in y: r.append(z) into r = [z for x in y]; the same of sets and dictionaries."""
    if first.kind != t.ASSIGN or len(first.kids) != 2 or first.kids[0].kind != t.BIND:
        return None
    return _collection(first, second) or _dictionary(first, second, place)


def _collection(first: Term, second: Term) -> Term | None:
    target, start = first.kids
    found = method(second.kids[0]) if second.kind == t.EXPR else None
    is_list, is_set = start.kind == t.LIST and not start.kids, called(start) == "set" and len(start.kids) == 1
    if found is None or found[1] != ("extend" if is_list else "update") or not (is_list or is_set):
        return None
    given = second.kids[0].kids[1:]
    if not _is_named(found[0], target) or len(given) != 1 or given[0].kind in (t.SPREAD, t.KWARG):
        return None
    if mentions(given[0], target.value):
        return None
    return first.but(kids=[target, call(name("list" if is_list else "set", start), *given)])


def _dictionary(first: Term, second: Term, place: Place) -> Term | None:
    target, start = first.kids
    if start.kind != t.DICT or start.kids or second.kind != t.EACH or second.kids[3].kind != t.NONE:
        return None
    variable, iterable, body, _ = second.kids
    tests, body = _tested(body)
    if len(body.kids) != 1 or body.kids[0].kind != t.ASSIGN or len(body.kids[0].kids) != 2:
        return None
    entry, value = body.kids[0].kids
    if entry.kind != t.INDEX or len(entry.kids) != 2 or not _is_named(entry.kids[0], target):
        return None
    parts = (iterable, entry.kids[1], value, *tests)
    if any(mentions(part, target.value) for part in parts) or not _is_inline(*parts):
        return None
    if not place.variables.live_in(second, bound(variable)):
        return None
    clause = placed(t.CLAUSE, [variable, iterable, *tests], second, "async" if "async" in second.value else "")
    pair = placed(t.PAIR, [entry.kids[1], value], entry)
    return first.but(kids=[target, placed(t.COMP, [pair, clause], second, "dict")])


def _tested(body: Term) -> tuple[Sequence[Term], Term]:
    """Return the condition that stands around all of a body, if there is one, and what it stands around."""
    if len(body.kids) == 1 and body.kids[0].kind == t.IF and body.kids[0].kids[2].kind == t.NONE:
        test, then, _ = body.kids[0].kids
        return (test,), then
    return (), body


def _is_named(value: Term, target: Term) -> bool:
    return value.kind == t.NAME and value.value is target.value


def _found(_block: Term, first: Term, second: Term, place: Place) -> Term | None:
    """Turn for x in y: if c: return True, then return False, into return any(c for x in y)."""
    if first.kind != t.EACH or first.value != ("in",) or first.kids[3].kind != t.NONE or second.kind != t.RETURN:
        return None
    variable, iterable, body, _ = first.kids
    tests, then = _tested(body)
    if len(then.kids) != 1 or then.kids[0].kind != t.RETURN or not tests or not _is_inline(*tests):
        return None
    answers = truth_of(then.kids[0].kids[0]), truth_of(second.kids[0])
    if answers not in ((True, False), (False, True)) or not place.variables.live_in(first, bound(variable)):
        return None
    clause = placed(t.CLAUSE, [variable, iterable], first)
    asked = placed(t.COMP, [tests[0] if answers[0] else negated(tests[0]), clause], first, "generator")
    return second.but(kids=[call(name("any" if answers[0] else "all", first), asked)])


# -- loops


def _yielded(term: Term, place: Place) -> Term | None:
    """Turn for x in y: yield x into yield from y."""
    target, iterable, body, otherwise = term.kids
    value = _only_effect(body)
    if term.value != ("in",) or otherwise.kind != t.NONE or value is None or value.kind != t.YIELD or value.value:
        return None
    if not _is_variable(target, value.kids[0]) or not place.variables.live_in(term, bound(target)):
        return None
    return term.but(kind=t.EXPR, value="", kids=[value.but(value="from", kids=[iterable])])


def _is_variable(target: Term, value: Term) -> bool:
    if target.kind == t.TUPLE and value.kind == t.TUPLE and len(target.kids) == len(value.kids):
        return all(map(_is_variable, target.kids, value.kids))
    return target.kind == t.BIND and value.kind == t.NAME and target.value is value.value


def _only_effect(body: Term) -> Term | None:
    """Return the expression that is all that a body does."""
    return body.kids[0].kids[0] if len(body.kids) == 1 and body.kids[0].kind == t.EXPR else None


def _all_at_once(term: Term, place: Place) -> Term | None:
    """Turn for x in y: s.add(x) into s.update(y)."""
    target, iterable, body, otherwise = term.kids
    tests, body = _tested(body)
    value = _only_effect(body)
    found = method(value) if value is not None else None
    if value is None or found is None or found[1] not in _FOR_ALL or len(value.kids) != 2 or otherwise.kind != t.NONE:
        return None
    holder, given = found[0], value.kids[1]
    if not _is_steady(holder, target) or given.kind in (t.SPREAD, t.KWARG) or not _is_inline(given, *tests):
        return None
    if any(alike(one, holder) for part in (iterable, given, *tests) for one in part.walk()):
        return None
    if not place.variables.live_in(term, bound(target)):
        return None
    flag = "async" if "async" in term.value else ""
    items = iterable
    if tests or flag or not (target.kind == t.BIND and _is_variable(target, given)):
        clause = placed(t.CLAUSE, [target, iterable, *tests], term, flag)
        items = placed(t.COMP, [given, clause], term, "list" if flag else "generator")
    return term.but(kind=t.EXPR, value="", kids=[call(member(holder, _FOR_ALL[found[1]]), items)])


def _is_steady(holder: Term, target: Term) -> bool:
    """Return whether a holder is the same in every round."""
    if holder.kind == t.ATTR and holder.kids[0].kind == t.NAME:
        return not mentions(target, holder.kids[0].value)
    return holder.kind == t.NAME and not mentions(target, holder.value)


def _is_inline(*terms: Term) -> bool:
    return not any(one.kind in (t.YIELD, t.AWAIT) or one.value == "walrus" for term in terms for one in term.walk())


def _always(term: Term, _place: Place) -> Term | None:
    """Turn while 1 into while True."""
    test, *rest = term.kids
    if test.kind != t.LIT or test.value[0] != "int" or test.value[1] == "0":
        return None
    return term.but(kids=[literal("constant", "True", test), *rest])


def _augmented(term: Term, place: Place) -> Term | None:
    """Turn x += y into x = x + y, where x is a number or text: nobody else sees it change."""
    target, value = term.kids
    if target.kind != t.BIND:
        return None
    read = target.but(kind=t.NAME)
    if place.variables.kind(read) not in FIXED:
        return None
    total = placed(t.BINARY, [read, value], term, term.value.removesuffix("="))
    return term.but(kind=t.ASSIGN, value="=", kids=[target, total])


def _types_alone(term: Term, _place: Place) -> Term | None:
    """Leave out what is imported for type checkers alone: names go by what they mean."""
    test, then, otherwise = term.kids
    if meaning(test) not in ("typing.TYPE_CHECKING", "TYPE_CHECKING") or not then.kids:
        return None
    kept = [statement for statement in then.kids if statement.kind not in (t.IMPORT, t.PASS)]
    if len(kept) == len(then.kids):
        return None
    if not kept and otherwise.kind == t.NONE:
        return term.but(kind=t.PASS, kids=[])
    return term.but(kids=[test, then.but(kids=kept), otherwise])


# -- definitions


def _plain_super(term: Term, place: Place) -> Term | None:
    """Turn super(A, self) into super(), in a method of A."""
    if place.holder is None or term.kids[0].kind != t.MEMBER or not term.kids[1].kids:
        return None
    first = term.kids[1].kids[0]
    if first.kind != t.PARAM or first.value or first.kids[0].kind != t.BIND:
        return None
    body = _with_plain_super(term.kids[2], place.holder, first.kids[0].value)
    return term.but(kids=[*term.kids[:2], body, *term.kids[3:]]) if body is not term.kids[2] else None


def _with_plain_super(term: Term, holder: Binding, own: Binding) -> Term:
    if term.kind in (t.FUNCTION, t.LAMBDA, t.CLASS, t.COMP):
        # there the first argument is another one
        return term
    if called(term) == "super" and [one.value for one in term.kids[1:] if one.kind == t.NAME] == [holder, own]:
        return term.but(kids=term.kids[:1])
    return term.having([_with_plain_super(kid, holder, own) for kid in term.kids])


def _plain_class(term: Term, _place: Place) -> Term | None:
    """Turn class A(object) into class A, and class A(metaclass=ABCMeta) into class A(ABC)."""
    kids = [kid for kid in term.kids if not (meaning(kid) == "object" or _is_metaclass(kid, "type"))]
    if len(kids) == 1 and _is_metaclass(kids[0], "abc.ABCMeta"):
        kids = [name("abc.ABC", kids[0])]
    return term.but(kids=kids) if len(kids) != len(term.kids) or kids != list(term.kids) else None


def _is_metaclass(base: Term, wanted: str) -> bool:
    return base.kind == t.KWARG and bool(base.kids[0].value == "metaclass") and meaning(base.kids[1]) == wanted


def _bare_decorator(term: Term, _place: Place) -> Term | None:
    """Turn @lru_cache() into @lru_cache, and the deprecated decorators of abc into two."""
    kids = [part for kid in term.kids for part in _decorators(kid)]
    return term.but(kids=kids) if len(kids) != len(term.kids) or kids != list(term.kids) else None


def _decorators(decorator: Term) -> Sequence[Term]:
    known = called(decorator)
    if len(decorator.kids) == 1 and (known in _BARE or known.startswith("pytest.mark.")):
        return decorator.kids
    kind = _ABSTRACT.get(meaning(decorator))
    if kind is None:
        return (decorator,)
    return (name(kind, decorator), name("abc.abstractmethod", decorator))


_BARE: Final = frozenset(("functools.lru_cache", "pytest.fixture", "dataclasses.dataclass"))
_ABSTRACT: Final = {
    "abc.abstractclassmethod": "classmethod",
    "abc.abstractstaticmethod": "staticmethod",
    "abc.abstractproperty": "property",
}


def _listed_names(term: Term, _place: Place) -> Term | None:
    """Put the names that __all__ or __slots__ lists in order, each once: nobody can tell."""
    target, value = (term.kids[0], term.kids[-1]) if len(term.kids) == 2 else (term, term)
    named = target.value.name if isinstance(target.value, Binding) else target.value
    if named not in ("__all__", "__slots__") or value.kind not in (t.LIST, t.TUPLE):
        return None
    if not value.kids or any(text_of(one) is None for one in value.kids):
        return None
    listed = {str(text_of(one)): one for one in value.kids}
    kids = [listed[key] for key in sorted(listed)]
    made = value.having(kids)
    return term.but(kids=[target, made]) if made is not value else None


def _named_lambda(term: Term, _place: Place) -> Term | None:
    """Turn f = lambda x: y into def f(x): return y."""
    if len(term.kids) != 2 or term.kids[0].kind != t.BIND or term.kids[1].kind != t.LAMBDA:
        return None
    target, made = term.kids
    parameters, body = made.kids[:2]
    block = placed(t.BLOCK, [placed(t.RETURN, [body], body)], body)
    return placed(t.FUNCTION, [target, parameters, block, ABSENT, Term(t.DECORATORS)], term, ())


RULES: Final = (
    Rule("result or nothing by condition", (t.RETURN,), _result_or_nothing, PYTHON),
    Rule("exception raised by its class", (t.THROW,), _raised_class, PYTHON),
    Rule("exception without a name", (t.CATCH,), _unused_exception, PYTHON),
    Rule("types of exceptions in any order", (t.CATCH,), _in_any_order, PYTHON),
    Rule("suppress() as try", (t.WITH,), _suppressed, PYTHON),
    Rule("one with for several", (t.WITH,), _together, PYTHON),
    Rule("else or finally without effect", (t.TRY,), _nothing_tried, PYTHON),
    Rule("statement in a statement without need", (t.BLOCK,), _unwrapped, PYTHON),
    Rule("one global for several", (t.BLOCK,), of_neighbours(_one_declaration), PYTHON),
    Rule("collection from a loop", (t.BLOCK,), of_neighbours(_collected), PYTHON),
    Rule("search as any() or all()", (t.BLOCK,), of_neighbours(_found), PYTHON),
    Rule("yield from", (t.EACH,), _yielded, PYTHON),
    Rule("loop that adds, at once", (t.EACH,), _all_at_once, PYTHON),
    Rule("endless loop", (t.WHILE,), _always, PYTHON),
    Rule("assignment of a sum", (t.AUGMENT,), _augmented, PYTHON),
    Rule("imports for type checkers", (t.IF,), _types_alone, PYTHON),
    Rule("super() without arguments", (t.FUNCTION,), _plain_super, PYTHON),
    Rule("bases that every class has", (t.BASES,), _plain_class, PYTHON),
    Rule("decorator without arguments", (t.DECORATORS,), _bare_decorator, PYTHON),
    Rule("names that are listed, in order", (t.ASSIGN, t.AUGMENT), _listed_names, PYTHON),
    Rule("lambda with a name as a function", (t.ASSIGN,), _named_lambda, PYTHON),
)
