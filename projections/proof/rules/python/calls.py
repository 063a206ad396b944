"""Rules of calls that Python has a shorter word for, or a plainer one."""

from collections.abc import Callable, Iterable
from typing import Final

from linetrail.projections.proof.effects.effects import footprint, only_reads
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.likeness import alike
from linetrail.projections.proof.rules.python.meaning import (
    NONE_LITERAL,
    call,
    called,
    is_none,
    keyword,
    literal,
    meaning,
    member,
    method,
    name,
    plain_arguments,
    text_of,
    without,
)
from linetrail.projections.proof.rules.variables import LIST
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term

PYTHON: Final = frozenset(("python",))
_ZEROS: Final = {
    "str": ("str", ""),
    "bytes": ("bytes", ""),
    "int": ("int", "0"),
    "float": ("float", "0.0"),
    "bool": ("constant", "False"),
}
_LITERAL_TYPES: Final = {"str": "str", "bytes": "bytes", "int": "int", "float": "float"}
_WHOLE_NUMBERS: Final = frozenset(("len", "ord", "id", "hash", "int"))


def _native(term: Term, _place: Place) -> Term | None:
    """Turn str("a") into "a", and int() into 0."""
    kind = called(term)
    if kind not in _ZEROS:
        return None
    if len(term.kids) == 1:
        return Term(t.LIT, _ZEROS[kind], line=term.line, start=term.start, end=term.end)
    value = term.kids[1]
    same_kind = value.kind == t.LIT and value.value[0] == _LITERAL_TYPES.get(kind)
    return value if len(term.kids) == 2 and (same_kind or _is_formatted(value, kind)) else None


def _is_formatted(value: Term, kind: str) -> bool:
    return kind == "str" and value.kind == t.TEMPLATE and value.value == ""


def _type_of_literal(term: Term, _place: Place) -> Term | None:
    """Turn type("") into str."""
    if called(term) != "type" or len(term.kids) != 2 or term.kids[1].kind != t.LIT:
        return None
    kind = _LITERAL_TYPES.get(term.kids[1].value[0])
    return name(kind, term) if kind else None


def _whole_number(term: Term, _place: Place) -> Term | None:
    """Turn int(len(x)) into len(x)."""
    if called(term) != "int" or len(term.kids) != 2:
        return None
    inner = called(term.kids[1])
    if inner in _WHOLE_NUMBERS or (inner == "round" and len(term.kids[1].kids) == 2):
        return term.kids[1]
    return None


def _truth(term: Term, place: Place) -> Term | None:
    """Turn bool(x) into x where only the truth of it counts."""
    if not place.test or called(term) != "bool" or len(term.kids) != 2 or plain_arguments(term) is None:
        return None
    return term.kids[1]


def _twice_negated(term: Term, place: Place) -> Term | None:
    """Turn not not x into bool(x)."""
    (operand,) = term.kids
    return call(name("bool", term), *operand.kids) if operand.kind == t.NOT and not place.test else None


def _chosen_truth(term: Term, place: Place) -> Term | None:
    """Turn True if x else False into bool(x)."""
    test, then, otherwise = term.kids
    if place.test or then.value != ("constant", "True") or otherwise.value != ("constant", "False"):
        return None
    return call(name("bool", term), test)


def _attribute(term: Term, _place: Place) -> Term | None:
    """Turn getattr(x, "a") into x.a."""
    arguments = plain_arguments(term)
    if called(term) != "getattr" or arguments is None or len(arguments) != 2:
        return None
    field = _plain_field(arguments[1])
    return member(arguments[0], field) if field else None


def _attribute_statement(term: Term, _place: Place) -> Term | None:
    """Turn setattr(x, "a", 1) into x.a = 1, and delattr(x, "a") into del x.a."""
    (value,) = term.kids
    function, arguments = called(value), value.kids[1:]
    if function not in ("setattr", "delattr") or len(arguments) != (3 if function == "setattr" else 2):
        return None
    field = _plain_field(arguments[1])
    if not field or arguments[0].kind in (t.SPREAD, t.KWARG):
        return None
    target = member(arguments[0], field)
    if function == "delattr":
        return term.but(kind=t.DELETE, kids=[target])
    # the holder is looked up before the value, as an argument; as a target it comes after
    if arguments[0].kind != t.NAME:
        return None
    return term.but(kind=t.ASSIGN, value="=", kids=[target, arguments[2]])


def _plain_field(term: Term) -> str:
    """Return the name of a member that is written out, unless a class would mangle it."""
    field = text_of(term) or ""
    return field if field.isidentifier() and not (field.startswith("__") and not field.endswith("__")) else ""


def _range_from_start(term: Term, _place: Place) -> Term | None:
    """Turn range(0, n) into range(n)."""
    arguments = plain_arguments(term)
    if called(term) != "range" or arguments is None or len(arguments) != 2 or arguments[0].value != ("int", "0"):
        return None
    return call(term.kids[0], arguments[1])


def _needless_keys(term: Term, _place: Place) -> Term | None:
    """Turn x in d.keys() into x in d."""
    if term.value not in ("in", "not in"):
        return None
    found = method(term.kids[1])
    if found is None or found[1] != "keys" or len(term.kids[1].kids) != 1:
        return None
    return term.but(kids=[term.kids[0], found[0]])


def _iterated(term: Term, _place: Place) -> Term | None:
    """Leave out what a loop does by itself: for x in d.keys(), in f.readlines(), in iter(y)."""
    iterable = term.kids[1]
    found = method(iterable)
    if found is not None and found[1] in ("keys", "readlines") and len(iterable.kids) == 1:
        return term.but(kids=[term.kids[0], found[0], *term.kids[2:]])
    if called(iterable) == "iter" and len(iterable.kids) == 2:
        return term.but(kids=[term.kids[0], iterable.kids[1], *term.kids[2:]])
    return None


def _got(term: Term, _place: Place) -> Term | None:
    """Turn d.get(k, None) into d.get(k)."""
    found = method(term)
    if found is None or found[1] not in ("get", "getenv") or len(term.kids) != 3 or not is_none(term.kids[2]):
        return None
    return term.but(kids=term.kids[:2])


def _got_truth(term: Term, place: Place) -> Term | None:
    """Turn d.get(k, False) into d.get(k), where only the truth of it counts."""
    found = method(term)
    if not place.test or found is None or found[1] != "get" or len(term.kids) != 3 or not _is_false(term.kids[2]):
        return None
    return term.but(kids=term.kids[:2])


def _is_false(term: Term) -> bool:
    if term.kind in (t.LIST, t.TUPLE, t.DICT):
        return not term.kids
    return term.kind == t.LIT and term.value in (_FALSE, ("str", ""), ("bytes", ""), ("int", "0"), ("float", "0.0"))


def _chosen_item(term: Term, _place: Place) -> Term | None:
    """Turn d[k] if k in d else x into d.get(k, x), where x is there anyway."""
    test, then, otherwise = term.kids
    if test.kind != t.COMPARE or test.value != "in" or then.kind != t.INDEX:
        return None
    key, holder = test.kids
    if not alike(then, Term(t.INDEX, "", [holder, key])) or not only_reads(footprint(term)):
        return None
    if otherwise.kind in (t.ATTR, t.INDEX) or not _is_at_hand(otherwise):
        return None
    return call(member(holder, "get"), key, *(() if is_none(otherwise) else (otherwise,)))


def _is_at_hand(term: Term) -> bool:
    return all(one.kind in (t.NAME, t.LIT, t.LIST, t.TUPLE, t.DICT, t.UNARY) for one in term.walk())


def _item_if_any(term: Term, place: Place) -> Term | None:
    """Turn k in d and d[k] into d.get(k), where only the truth of it counts."""
    if term.value != "and" or not place.test:
        return None
    for at, (first, second) in enumerate(zip(term.kids, term.kids[1:], strict=False)):
        if first.kind != t.COMPARE or first.value != "in" or second.kind != t.INDEX:
            continue
        key, holder = first.kids
        if alike(second, Term(t.INDEX, "", [holder, key])) and only_reads(footprint(second)):
            got = call(member(holder, "get"), key)
            kids = [*term.kids[:at], got, *term.kids[at + 2 :]]
            return term.but(kids=kids) if len(kids) > 1 else got
    return None


def _zipped(term: Term, _place: Place) -> Term | None:
    """Turn zip(d.keys(), d.values()) into d.items()."""
    arguments = plain_arguments(term)
    if called(term) != "zip" or arguments is None or len(arguments) != 2:
        return None
    keys, values = method(arguments[0]), method(arguments[1])
    if keys is None or values is None or values[1] != "values" or keys[1] != "keys" or not alike(keys[0], values[0]):
        return None
    return call(member(keys[0], "items"))


def _none_type(term: Term, _place: Place) -> Term | None:
    """Turn isinstance(x, type(None)) into x is None."""
    arguments = plain_arguments(term)
    if called(term) != "isinstance" or arguments is None or len(arguments) != 2 or not _is_none_type(arguments[1]):
        return None
    return term.but(kind=t.COMPARE, value="is", kids=[arguments[0], literal(*NONE_LITERAL, term)])


def _is_none_type(term: Term) -> bool:
    return meaning(term) == "types.NoneType" or (called(term) == "type" and is_none(term.kids[-1]))


def _type_is_none(term: Term, _place: Place) -> Term | None:
    """Turn type(x) is type(None) into x is None."""
    left, right = term.kids
    if term.value not in ("is", "is not", "==", "!=") or called(left) != "type" or not _is_none_type(right):
        return None
    operator = "is" if term.value in ("is", "==") else "is not"
    return term.but(value=operator, kids=[left.kids[1], literal(*NONE_LITERAL, term)])


def _hexadecimal_digest(term: Term, _place: Place) -> Term | None:
    """Turn h.digest().hex() into h.hexdigest()."""
    found = method(term)
    if found is None or found[1] != "hex" or len(term.kids) != 1:
        return None
    inner = method(found[0])
    if inner is None or inner[1] != "digest" or len(found[0].kids) != 1:
        return None
    return call(member(inner[0], "hexdigest"))


def _empty_line(term: Term, _place: Place) -> Term | None:
    """Turn print("") into print()."""
    if called(term) != "print" or len(term.kids) != 2 or text_of(term.kids[1]) != "":
        return None
    return term.but(kids=term.kids[:1])


def _open_mode(term: Term, _place: Place) -> Term | None:
    """Turn open(f, "r") into open(f)."""
    if called(term) != "open":
        return None
    positional = term.kids[2] if len(term.kids) > 2 and term.kids[2].kind not in (t.KWARG, t.SPREAD) else None
    named = next((one for one in term.kids[1:] if one.kind == t.KWARG and one.kids[0].value == "mode"), None)
    mode = text_of(positional or (named.kids[1] if named is not None else term))
    plain = _plain_mode(mode) if mode is not None else None
    if plain is None or plain == mode or (not plain and positional is not None and len(_positional(term)) > 2):
        return None
    written = positional or named
    if written is None:
        return None
    if not plain:
        return without(term, written)
    made = literal("str", plain, written)
    kids = [
        kid if kid is not written else (made if positional else kid.but(kids=[kid.kids[0], made])) for kid in term.kids
    ]
    return term.but(kids=kids)


def _plain_mode(mode: str) -> str:
    """Return a mode without what is taken anyway.

    >>> [_plain_mode(mode) for mode in ("rt", "U", "Ub", "wt+", "br")]
    ['', '', 'rb', 'w+', 'rb']
    """
    kept = "".join(sign for sign in "rwxab+" if sign in mode or (sign == "r" and "U" in mode))
    return "" if kept == "r" else kept


def _positional(term: Term) -> list[Term]:
    return [one for one in term.kids[1:] if one.kind not in (t.KWARG, t.SPREAD)]


def _given_default(term: Term, _place: Place) -> Term | None:
    """Leave out an argument that says what is taken anyway."""
    defaults = _DEFAULTS.get(called(term))
    for one in term.kids[1:] if defaults else ():
        if one.kind == t.KWARG and defaults and one.kids[1].value == defaults.get(str(one.kids[0].value)):
            return without(term, one)
    return None


_FALSE: Final = ("constant", "False")
_DEFAULTS: Final = {
    "subprocess.run": {"check": _FALSE, "shell": _FALSE},
    "open": {"encoding": NONE_LITERAL, "errors": NONE_LITERAL, "newline": NONE_LITERAL},
    "zip": {"strict": _FALSE},
    "sorted": {"reverse": _FALSE, "key": NONE_LITERAL},
    "functools.lru_cache": {"typed": _FALSE},
}


def _captured(term: Term, _place: Place) -> Term | None:
    """Turn subprocess.run(x, universal_newlines=True) into one with text=True; two pipes into capture_output."""
    if not called(term).startswith("subprocess."):
        return None
    kids = []
    for one in term.kids:
        is_old = one.kind == t.KWARG and one.kids[0].value == "universal_newlines"
        kids.append(one.but(kids=[one.kids[0].but(value="text"), one.kids[1]]) if is_old else one)
    pipes = [one for one in kids[1:] if one.kind == t.KWARG and one.kids[0].value in ("stdout", "stderr")]
    if called(term) == "subprocess.run" and len(pipes) == 2 and all(map(_is_pipe, pipes)):
        made = pipes[1].but(kids=[pipes[1].kids[0].but(value="capture_output"), literal("constant", "True", pipes[1])])
        kids = [made if one is pipes[1] else one for one in kids if one is not pipes[0]]
    return term.but(kids=kids) if any(new is not old for new, old in zip(kids, term.kids, strict=False)) else None


def _is_pipe(argument: Term) -> bool:
    return meaning(argument.kids[1]) == "subprocess.PIPE"


def _cache(term: Term, _place: Place) -> Term | None:
    """Turn lru_cache(maxsize=None) into cache, and the lru_cache() of a decorator into lru_cache."""
    if called(term) != "functools.lru_cache" or len(term.kids) != 2:
        return None
    value = keyword(term, "maxsize") or term.kids[1]
    return name("functools.cache", term) if is_none(value) else None


def _cast(term: Term, _place: Place) -> Term | None:
    """Turn cast(T, x) into x: nothing is done to it."""
    arguments = plain_arguments(term)
    if called(term) != "typing.cast" or arguments is None or len(arguments) != 2:
        return None
    return arguments[1]


def _unpacked(term: Term, _place: Place) -> Term | None:
    """Turn f(**{"a": 1}) into f(a=1), and f(*[a, b]) into f(a, b)."""
    kids: list[Term] = []
    for one in term.kids:
        kids += _spread_out(one) if one.kind == t.SPREAD else (one,)
    return term.but(kids=kids) if len(kids) != len(term.kids) or any(map(_differ, kids, term.kids)) else None


def _differ(one: Term, other: Term) -> bool:
    return one is not other


def _spread_out(spread: Term) -> list[Term]:
    (value,) = spread.kids
    if spread.value == "*" and value.kind in (t.LIST, t.TUPLE):
        return list(value.kids)
    if spread.value != "**" or value.kind != t.DICT:
        return [spread]
    if not all(one.kind == t.PAIR and (text_of(one.kids[0]) or "").isidentifier() for one in value.kids):
        return [spread]
    return [
        one.but(kind=t.KWARG, kids=[Term(t.FIELD, text_of(one.kids[0]), line=one.line), one.kids[1]])
        for one in value.kids
    ]


def _real_file(term: Term, _place: Place) -> Term | None:
    """Turn os.path.abspath(__file__) into __file__: it is absolute."""
    if called(term) != "os.path.abspath" or len(term.kids) != 2 or meaning(term.kids[1]) != "__file__":
        return None
    return term.kids[1]


def _copy(term: Term, place: Place) -> Term | None:
    """Turn x[:] into x.copy(), where x is a list."""
    if len(term.kids) != 2 or term.kids[1].kind != t.SLICE or any(kid.kind != t.NONE for kid in term.kids[1].kids):
        return None
    return call(member(term.kids[0], "copy")) if place.variables.kind(term.kids[0]) == LIST else None


def _nested_extremes(term: Term, _place: Place) -> Term | None:
    """Turn min(a, min(b, c)) into min(a, b, c)."""
    function = called(term)
    if function not in ("min", "max") or plain_arguments(term) is None or len(term.kids) < 3:
        return None
    kids = list(term.kids[:1])
    for one in term.kids[1:]:
        is_same = called(one) == function and plain_arguments(one) is not None and len(one.kids) > 2
        kids += one.kids[1:] if is_same else (one,)
    return term.but(kids=kids) if len(kids) > len(term.kids) else None


def _plain_function(term: Term, _place: Place) -> Term | None:
    """Turn lambda x: len(x) into len, and lambda x, y: x + y into operator.add."""
    parameters, body = term.kids[:2]
    targets = [one.kids[0] for one in parameters.kids if one.kind == t.PARAM and not one.value]
    if len(targets) != len(parameters.kids) or any(one.kids[2].kind != t.NONE for one in parameters.kids):
        return None
    if body.kind == t.BINARY and len(targets) == 2 and body.value in _OPERATORS:
        arguments: tuple[Term, ...] = body.kids
        function = f"operator.{_OPERATORS[body.value]}"
    else:
        function, arguments = called(body), body.kids[1:]
    if not function or not targets or len(arguments) != len(targets):
        return None
    if not all(
        value.kind == t.NAME and value.value is one.value for one, value in zip(targets, arguments, strict=True)
    ):
        return None
    return name(function, term) if body.kind == t.BINARY else body.kids[0]


_OPERATORS: Final = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "and_",
    "|": "or_",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
}


def _stripped(term: Term, _place: Place) -> Term | None:
    """Turn x.lstrip().rstrip() into x.strip()."""
    found = method(term)
    inner = method(found[0]) if found is not None else None
    if found is None or inner is None or {found[1], inner[1]} != {"lstrip", "rstrip"}:
        return None
    same_signs = len(term.kids) == len(found[0].kids) and all(map(alike, term.kids[1:], found[0].kids[1:]))
    return call(member(inner[0], "strip"), *term.kids[1:]) if same_signs else None


def _shell_words(term: Term, _place: Place) -> Term | None:
    """Turn " ".join(quote(x) for x in y) into shlex.join(y)."""
    found = method(term)
    if found is None or text_of(found[0]) != " " or found[1] != "join" or len(term.kids) != 2:
        return None
    words = term.kids[1]
    if words.kind != t.COMP or words.value == "dict" or len(words.kids) != 2 or len(words.kids[1].kids) != 2:
        return None
    quoted, (target, iterable) = words.kids[0], words.kids[1].kids
    if called(quoted) != "shlex.quote" or len(quoted.kids) != 2 or target.kind != t.BIND:
        return None
    if quoted.kids[1].kind != t.NAME or quoted.kids[1].value is not target.value:
        return None
    return call(name("shlex.join", term), iterable)


def _six(term: Term, _place: Place) -> Term | None:
    """Turn six.iteritems(d) into d.items(), and so on."""
    function = called(term)
    arguments = plain_arguments(term)
    if not function.startswith("six.") or arguments is None:
        return None
    verb = function.removeprefix("six.")
    if len(arguments) == 1 and verb in _SIX_METHODS:
        return call(member(arguments[0], _SIX_METHODS[verb]))
    if len(arguments) == 1 and verb == "u" and text_of(arguments[0]) is not None:
        return arguments[0]
    if len(arguments) == 1 and verb == "b" and (text_of(arguments[0]) or "").isascii() and text_of(arguments[0]):
        return literal("bytes", text_of(arguments[0]) or "", term)
    return None


_SIX_METHODS: Final = {
    **{f"iter{kind}": kind for kind in ("keys", "values", "items")},
    **{f"view{kind}": kind for kind in ("keys", "values", "items")},
}


def _named_rule(name: str, kind: str, apply: Callable[[Term, Place], Term | None], calls: Iterable[str] = ()) -> Rule:
    return Rule(name, (kind,), apply, PYTHON, frozenset(calls))


RULES: Final = (
    _named_rule("literal of its own type", t.CALL, _native, _ZEROS),
    _named_rule("type of a literal", t.CALL, _type_of_literal, ("type",)),
    _named_rule("whole number of a whole number", t.CALL, _whole_number, ("int",)),
    _named_rule("bool() in a condition", t.CALL, _truth, ("bool",)),
    _named_rule("double negation as bool()", t.NOT, _twice_negated),
    _named_rule("conditional expression as bool()", t.COND, _chosen_truth),
    _named_rule("getattr() with a known name", t.CALL, _attribute, ("getattr",)),
    _named_rule("setattr() with a known name", t.EXPR, _attribute_statement),
    _named_rule("range() from 0", t.CALL, _range_from_start, ("range",)),
    _named_rule("needless keys()", t.COMPARE, _needless_keys),
    Rule("what a loop iterates by itself", (t.EACH, t.CLAUSE), _iterated, PYTHON),
    _named_rule("get() of None", t.CALL, _got, (".get", ".getenv")),
    _named_rule("get() of what is false", t.CALL, _got_truth, (".get",)),
    _named_rule("item or default as get()", t.COND, _chosen_item),
    _named_rule("item if there is one as get()", t.LOGIC, _item_if_any),
    _named_rule("keys and values as items()", t.CALL, _zipped, ("zip",)),
    _named_rule("type of None", t.CALL, _none_type, ("isinstance",)),
    _named_rule("type of None", t.COMPARE, _type_is_none),
    _named_rule("hexdigest()", t.CALL, _hexadecimal_digest, (".hex",)),
    _named_rule("print() of nothing", t.CALL, _empty_line, ("print",)),
    _named_rule("mode that is the default", t.CALL, _open_mode, ("open",)),
    _named_rule("argument that is the default", t.CALL, _given_default, _DEFAULTS),
    _named_rule("newer arguments of subprocess", t.CALL, _captured),
    _named_rule("cache without a limit", t.CALL, _cache, ("functools.lru_cache",)),
    _named_rule("cast() for type checkers", t.CALL, _cast, ("typing.cast",)),
    _named_rule("needless unpacking", t.CALL, _unpacked),
    _named_rule("absolute path of this file", t.CALL, _real_file, ("os.path.abspath",)),
    _named_rule("copy of a list", t.INDEX, _copy),
    _named_rule("smallest of the smallest", t.CALL, _nested_extremes, ("min", "max")),
    _named_rule("function instead of a lambda", t.LAMBDA, _plain_function),
    _named_rule("strip() of both ends", t.CALL, _stripped, (".lstrip", ".rstrip")),
    _named_rule("shlex.join()", t.CALL, _shell_words, (".join",)),
    _named_rule("six", t.CALL, _six),
)
