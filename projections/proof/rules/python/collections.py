"""Rules of Python's collections and comprehensions."""

from collections.abc import Sequence
from typing import Final

from linetrail.projections.proof.effects.effects import footprint, only_reads
from linetrail.projections.proof.rules import Place, Rule, of_neighbours
from linetrail.projections.proof.rules.likeness import alike, mentions
from linetrail.projections.proof.rules.python.meaning import (
    call,
    called,
    literal,
    method,
    name,
    operands,
    placed,
    plain_arguments,
)
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term, text_of

PYTHON: Final = frozenset(("python",))
_DISPLAYS: Final = {"list": t.LIST, "tuple": t.TUPLE, "set": t.SET}
# Functions that use up what they are given before they do anything else with it, in its order.
_CONSUMERS: Final = frozenset(
    (
        "list",
        "tuple",
        "set",
        "frozenset",
        "dict",
        "sum",
        "min",
        "max",
        "sorted",
        "collections.deque",
        "bytes",
        "bytearray",
    )
)
# Those to whom neither the order counts nor how often something comes.
_UNORDERED: Final = frozenset(("set", "frozenset"))


def _only_argument(term: Term, *functions: str) -> Term | None:
    """Return the argument of a call of one of these functions, when there is nothing but it."""
    if called(term) not in functions or len(term.kids) != 2 or term.kids[1].kind in (t.KWARG, t.SPREAD):
        return None
    return term.kids[1]


def _display(term: Term, _place: Place) -> Term | None:
    """Turn list() into [], set([a, b]) into {a, b}, tuple([a]) into (a,)."""
    function = called(term)
    if function in ("list", "tuple", "dict") and len(term.kids) == 1:
        return placed({"list": t.LIST, "tuple": t.TUPLE, "dict": t.DICT}[function], (), term)
    argument = _only_argument(term, "list", "tuple", "set")
    if argument is None or argument.kind not in (t.LIST, t.TUPLE):
        return None
    if function == "set" and not argument.kids:
        return call(term.kids[0])
    return placed(_DISPLAYS[function], argument.kids, term)


def _dict_display(term: Term, _place: Place) -> Term | None:
    """Turn dict(a=1) into {"a": 1}, and dict([(k, v)]) into {k: v}."""
    if called(term) != "dict" or len(term.kids) == 1:
        return None
    if all(one.kind == t.KWARG or (one.kind == t.SPREAD and one.value == "**") for one in term.kids[1:]):
        pairs = [
            one.but(kind=t.PAIR, kids=[literal("str", str(one.kids[0].value), one), one.kids[1]])
            if one.kind == t.KWARG
            else one
            for one in term.kids[1:]
        ]
        return placed(t.DICT, pairs, term)
    argument = _only_argument(term, "dict")
    if argument is None:
        return None
    if argument.kind == t.DICT:
        return argument
    if argument.kind in (t.LIST, t.TUPLE) and all(map(_is_pair, argument.kids)):
        return placed(t.DICT, [one.but(kind=t.PAIR) for one in argument.kids], term)
    return None


def _is_pair(term: Term) -> bool:
    return term.kind in (t.TUPLE, t.LIST) and len(term.kids) == 2 and t.SPREAD not in (kid.kind for kid in term.kids)


def _comprehension(term: Term, _place: Place) -> Term | None:
    """Turn list(x for x in y) into [x for x in y], and dict((k, v) for …) into {k: v for …}."""
    argument = _only_argument(term, "list", "set", "dict")
    function = called(term)
    if argument is None or argument.kind != t.COMP:
        return None
    if argument.value == function:
        return argument
    if argument.value not in ("generator", "list") or (function == "list" and argument.value == "list"):
        return None
    if function != "dict":
        return argument.but(value=function)
    element, *clauses = argument.kids
    return argument.but(value="dict", kids=[element.but(kind=t.PAIR), *clauses]) if _is_pair(element) else None


def _needless_list(term: Term, _place: Place) -> Term | None:
    """Turn sum([x for x in y]) into sum(x for x in y), and set(list(x)) into set(x)."""
    function = called(term)
    if not _uses_up(term, function):
        return None
    first, *rest = term.kids[1:]
    if first.kind == t.COMP and first.value == "list":
        return term.but(kids=[term.kids[0], first.but(value="generator"), *rest])
    if function in ("dict", "bytes", "bytearray"):
        return None
    inner = _only_argument(first, "list", "tuple", *(("sorted", "set", "reversed") if function in _UNORDERED else ()))
    return term.but(kids=[term.kids[0], inner, *rest]) if inner is not None else None


def _uses_up(term: Term, function: str) -> bool:
    """Return whether a call iterates its first argument to the end, at once."""
    if len(term.kids) < 2:
        return False
    if function in ("min", "max") and len(term.kids) > 2 and term.kids[2].kind != t.KWARG:
        return False
    found = method(term)
    if found is not None and len(term.kids) == 2 and found[1] in ("join", "extend", "writelines"):
        return found[1] != "join" or text_of(found[0]) is not None
    return function in _CONSUMERS


def _is_same_name(target: Term, value: Term) -> bool:
    return target.kind == t.BIND and value.kind == t.NAME and target.value is value.value


def _star_mapped(term: Term, _place: Place) -> Term | None:
    """Turn f(a, b) for a, b in y into starmap(f, y)."""
    if term.value not in ("generator", "list", "set") or len(term.kids) != 2:
        return None
    element, clause = term.kids
    target = clause.kids[0]
    if element.kind != t.CALL or element.value or clause.value or len(clause.kids) != 2 or target.kind != t.TUPLE:
        return None
    function, *arguments = element.kids
    if len(arguments) != len(target.kids) or not all(map(_is_same_name, target.kids, arguments)):
        return None
    if function.kind not in (t.NAME, t.ATTR) or not only_reads(footprint(function)):
        return None
    if any(mentions(function, one.value) for one in target.kids):
        return None
    made = call(name("itertools.starmap", term), function, clause.kids[1])
    return made if term.value == "generator" else call(name(term.value, term), made)


def _queue(term: Term, _place: Place) -> Term | None:
    """Turn deque([], 2) into deque(maxlen=2)."""
    if called(term) != "collections.deque" or len(term.kids) < 2:
        return None
    first, *rest = term.kids[1:]
    if first.kind not in (t.LIST, t.TUPLE, t.DICT) or first.kids:
        return (
            None if called(first) not in ("set", "frozenset") or len(first.kids) != 1 else term.but(kids=[term.kids[0]])
        )
    longest = [one if one.kind == t.KWARG else _named(one, "maxlen") for one in rest]
    return term.but(kids=[term.kids[0], *longest])


def _named(argument: Term, field: str) -> Term:
    return placed(t.KWARG, [Term(t.FIELD, field, line=argument.line), argument], argument)


def _asked_for_truth(term: Term, _place: Place) -> Term | None:
    """Turn any(bool(x) for x in y) into any(x for x in y)."""
    argument = _only_argument(term, "any", "all")
    if argument is None or argument.kind != t.COMP or called(argument.kids[0]) != "bool":
        return None
    asked = _only_argument(argument.kids[0], "bool")
    return term.but(kids=[term.kids[0], argument.but(kids=[asked, *argument.kids[1:]])]) if asked is not None else None


def _default_factory(term: Term, _place: Place) -> Term | None:
    """Turn default_factory=lambda: [] into default_factory=list, and the same of a defaultdict."""
    first, given, *rest = term.kids if len(term.kids) > 1 else (term, term)
    is_factory = first.value == "default_factory" if term.kind == t.KWARG else called(term) == "collections.defaultdict"
    if not is_factory or given.kind != t.LAMBDA or given.kids[0].kids:
        return None
    body = given.kids[1]
    kind = {t.LIST: "list", t.DICT: "dict", t.TUPLE: "tuple"}.get(body.kind) or _ZEROS.get(body.value)
    made = name(kind, body) if kind is not None and not body.kids else _made_by(body)
    return term.but(kids=[first, made, *rest]) if made is not None else None


def _made_by(body: Term) -> Term | None:
    """Return the type whose values are made without arguments."""
    return body.kids[0] if called(body) in ("set", "frozenset") and len(body.kids) == 1 else None


_ZEROS: Final = {("int", "0"): "int", ("str", ""): "str", ("bytes", ""): "bytes", ("float", "0.0"): "float"} | {
    ("constant", "False"): "bool"
}


def _drawn_from_a_tuple(term: Term, _place: Place) -> Term | None:
    """Turn for x in [1, 2] into for x in (1, 2)."""
    target, iterable, *rest = term.kids
    return term.but(kids=[target, iterable.but(kind=t.TUPLE), *rest]) if iterable.kind == t.LIST else None


def _unpacked_list(term: Term, _place: Place) -> Term | None:
    """Turn a, b = [f(x) for x in y] into a, b = (f(x) for x in y)."""
    *targets, value = term.kids
    if len(targets) != 1 or targets[0].kind not in (t.TUPLE, t.LIST) or value.kind != t.COMP or value.value != "list":
        return None
    return term.but(kids=[*targets, value.but(value="generator")])


def _mapped(term: Term, _place: Place) -> Term | None:
    """Turn list(map(lambda x: x + 1, y)) into [x + 1 for x in y], and the same of filter."""
    if called(term) not in ("list", "set", "tuple", "sorted", "sum", "min", "max", "frozenset") or len(term.kids) < 2:
        return None
    inner = term.kids[1]
    arguments = plain_arguments(inner) if called(inner) in ("map", "filter") else None
    if arguments is None or len(arguments) != 2 or arguments[0].kind != t.LAMBDA:
        return None
    parameters, body = arguments[0].kids[:2]
    if len(parameters.kids) != 1 or parameters.kids[0].kind != t.PARAM or parameters.kids[0].value:
        return None
    target, _, default = parameters.kids[0].kids
    if default.kind != t.NONE or target.kind != t.BIND or not _is_inline(body):
        return None
    kids = [target, arguments[1]]
    element = body
    if called(inner) == "filter":
        kids.append(body)
        element = Term(t.NAME, target.value, line=target.line)
    made = placed(t.COMP, [element, placed(t.CLAUSE, kids, inner)], inner, "generator")
    return term.but(kids=[term.kids[0], made, *term.kids[2:]])


def _is_inline(body: Term) -> bool:
    return not any(one.kind in (t.YIELD, t.AWAIT, t.LAMBDA) or one.value == "walrus" for one in body.walk())


# -- displays


def _flat_display(term: Term, _place: Place) -> Term | None:
    """Turn [*[a, b], c] into [a, b, c], and {**{"a": 1}, **b} into {"a": 1, **b}."""
    kids: list[Term] = []
    for kid in term.kids:
        kids += _unfolded(term, kid)
    made = term.having(kids)
    return made if made is not term else None


def _unfolded(term: Term, kid: Term) -> Sequence[Term]:
    if kid.kind != t.SPREAD:
        return (kid,)
    (inner,) = kid.kids
    if term.kind == t.DICT:
        return inner.kids if inner.kind == t.DICT else (kid,)
    return inner.kids if inner.kind in (t.LIST, t.TUPLE) else (kid,)


def _sum_of_lists(term: Term, _place: Place) -> Term | None:
    """Turn a + [b] into [*a, b]: what is added to a list is one."""
    if term.value != "+":
        return None
    left, right = term.kids
    kind = t.LIST if t.LIST in (left.kind, right.kind) else t.TUPLE if t.TUPLE in (left.kind, right.kind) else ""
    if not kind or (left.kind == t.LIST and right.kind == t.TUPLE) or (left.kind == t.TUPLE and right.kind == t.LIST):
        return None
    spread = [kid if kid.kind == kind else placed(kind, [placed(t.SPREAD, [kid], kid, "*")], kid) for kid in term.kids]
    return placed(kind, [one for part in spread for one in part.kids], term)


def _in_order(term: Term, _place: Place) -> Term | None:
    """Turn {"b", "a", "b"} into {"a", "b"}."""
    if any(kid.kind != t.LIT for kid in term.kids):
        return None
    kids = _sorted(term.kids)
    made = term.having(kids)
    return made if made is not term else None


def _sorted(literals: Sequence[Term]) -> list[Term]:
    """Return literals in an order of their own, each once."""
    by_value = {kid.value: kid for kid in reversed(literals)}
    return [by_value[value] for value in sorted(by_value)]


def _choices_in_order(term: Term, _place: Place) -> Term | None:
    """Turn x in ("b", "a") into x in ("a", "b")."""
    left, right = term.kids
    if term.value not in ("in", "not in") or right.kind != t.TUPLE or any(kid.kind != t.LIT for kid in right.kids):
        return None
    made = right.having(_sorted(right.kids))
    return term.but(kids=[left, made]) if made is not right else None


# -- membership


def _one_of(chain: Term, first: Term, second: Term, _place: Place) -> Term | None:
    """Turn x == a or x == b into x in (a, b), and x != a and x != b into x not in (a, b)."""
    single, several = ("==", "in") if chain.value == "or" else ("!=", "not in")
    one, other = _choices(first, single, several), _choices(second, single, several)
    if one is None or other is None or not alike(first.kids[0], second.kids[0]):
        return None
    if not only_reads(footprint(first)) or not only_reads(footprint(second)):
        return None
    return first.but(value=several, kids=[first.kids[0], placed(t.TUPLE, [*one, *other], first)])


def _choices(term: Term, single: str, several: str) -> Sequence[Term] | None:
    if term.kind != t.COMPARE:
        return None
    right = term.kids[1]
    if term.value == single:
        return (right,)
    return right.kids if term.value == several and right.kind == t.TUPLE else None


def _members_as_tuple(term: Term, _place: Place) -> Term | None:
    """Turn x in [a, b] and, of literals, x in {a, b} into x in (a, b); x in (a,) into x == a."""
    if term.value not in ("in", "not in"):
        return None
    left, right = term.kids
    if right.kind == t.LIST or (right.kind == t.SET and all(kid.kind == t.LIT for kid in right.kids)):
        return term.but(kids=[left, right.but(kind=t.TUPLE)])
    if right.kind == t.TUPLE and len(right.kids) == 1 and right.kids[0].kind != t.SPREAD:
        return term.but(value="==" if term.value == "in" else "!=", kids=[left, right.kids[0]])
    return None


def _instance_of_one(chain: Term, first: Term, second: Term, _place: Place) -> Term | None:
    """Turn isinstance(x, A) or isinstance(x, B) into isinstance(x, (A, B)); the same of startswith."""
    return _joined_calls(first, second) if chain.value == "or" else _joined_negations(first, second)


def _joined_negations(one: Term, other: Term) -> Term | None:
    if one.kind != t.NOT or other.kind != t.NOT:
        return None
    joined = _joined_calls(one.kids[0], other.kids[0])
    return one.but(kids=[joined]) if joined is not None else None


def _joined_calls(one: Term, other: Term) -> Term | None:
    if one.kind != t.CALL or len(one.kids) != len(other.kids) or not all(map(alike, one.kids[:-1], other.kids[:-1])):
        return None
    found = method(one)
    is_affix = found is not None and found[1] in ("startswith", "endswith") and len(one.kids) == 2
    is_type = called(one) in ("isinstance", "issubclass") and len(one.kids) == 3
    if not is_affix and not (is_type and only_reads(footprint(one.kids[1]))):
        return None
    if is_affix and (found is None or not only_reads(footprint(found[0]))):
        return None
    kinds = (*_listed(one.kids[-1]), *_listed(other.kids[-1]))
    if is_affix and not all(kind.kind == t.LIT for kind in kinds):
        return None
    return one.but(kids=[*one.kids[:-1], placed(t.TUPLE, kinds, one.kids[-1])])


def _listed(types: Term) -> Sequence[Term]:
    return types.kids if types.kind == t.TUPLE else (types,)


def _types_as_tuple(term: Term, _place: Place) -> Term | None:
    """Turn isinstance(x, A | B) into isinstance(x, (A, B)), and isinstance(x, (A,)) into isinstance(x, A)."""
    if called(term) not in ("isinstance", "issubclass") or len(term.kids) != 3:
        return None
    kinds = term.kids[2]
    if kinds.kind == t.BINARY and kinds.value == "|":
        flat = placed(t.TUPLE, list(operands(kinds, "|")), kinds)
        return term.but(kids=[*term.kids[:2], flat])
    if kinds.kind == t.TUPLE and len(kinds.kids) == 1 and kinds.kids[0].kind != t.SPREAD:
        return term.but(kids=[*term.kids[:2], kinds.kids[0]])
    return None


RULES: Final = (
    Rule("display of a collection", (t.CALL,), _display, PYTHON, frozenset(("list", "tuple", "set", "dict"))),
    Rule("display of a dictionary", (t.CALL,), _dict_display, PYTHON, frozenset(("dict",))),
    Rule("comprehension for a call", (t.CALL,), _comprehension, PYTHON, frozenset(("list", "set", "dict"))),
    Rule(
        "needless list in between",
        (t.CALL,),
        _needless_list,
        PYTHON,
        frozenset((*_CONSUMERS, ".join", ".extend", ".writelines")),
    ),
    Rule("starmap()", (t.COMP,), _star_mapped, PYTHON),
    Rule("empty queue", (t.CALL,), _queue, PYTHON, frozenset(("collections.deque",))),
    Rule("bool() within any() or all()", (t.CALL,), _asked_for_truth, PYTHON, frozenset(("any", "all"))),
    Rule(
        "type as default factory", (t.KWARG, t.CALL), _default_factory, PYTHON, frozenset(("collections.defaultdict",))
    ),
    Rule("loop over a tuple", (t.EACH, t.CLAUSE), _drawn_from_a_tuple, PYTHON),
    Rule("comprehension that is unpacked", (t.ASSIGN,), _unpacked_list, PYTHON),
    Rule(
        "comprehension for map() or filter()",
        (t.CALL,),
        _mapped,
        PYTHON,
        frozenset(("list", "set", "tuple", "sorted", "sum", "min", "max", "frozenset")),
    ),
    Rule("display within a display", (t.LIST, t.TUPLE, t.SET, t.DICT), _flat_display, PYTHON),
    Rule("sum of lists as a display", (t.BINARY,), _sum_of_lists, PYTHON),
    Rule("members of a set in any order", (t.SET,), _in_order, PYTHON),
    Rule("choices in any order", (t.COMPARE,), _choices_in_order, PYTHON),
    Rule("comparisons as membership", (t.LOGIC,), of_neighbours(_one_of), PYTHON),
    Rule("members as a tuple", (t.COMPARE,), _members_as_tuple, PYTHON),
    Rule("one test for several types or texts", (t.LOGIC,), of_neighbours(_instance_of_one), PYTHON),
    Rule("several types as a tuple", (t.CALL,), _types_as_tuple, PYTHON, frozenset(("isinstance", "issubclass"))),
)
