"""Rules of calls that Python has a shorter word for, or a plainer one, those of files included."""

from collections.abc import Callable, Iterable
from typing import Final

from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.python.meaning import (
    NONE_LITERAL,
    call,
    called,
    keyword,
    literal,
    meaning,
    member,
    method,
    name,
    plain_arguments,
    without,
)
from linetrail.projections.proof.rules.variables import bound
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term, text_of

PYTHON: Final = frozenset(("python",))
# Methods of a path -> functions that are given the path first.
_FUNCTIONS: Final = {
    "exists": "os.path.exists",
    "is_dir": "os.path.isdir",
    "is_file": "os.path.isfile",
    "is_symlink": "os.path.islink",
    "is_absolute": "os.path.isabs",
    "is_mount": "os.path.ismount",
    "samefile": "os.path.samefile",
    "chmod": "os.chmod",
    "lstat": "os.lstat",
    "open": "open",
    "rename": "os.rename",
    "replace": "os.replace",
    "rmdir": "os.rmdir",
    "stat": "os.stat",
    "unlink": "os.remove",
}
_WRITTEN: Final = {("", "read"): "read_text", ("b", "read"): "read_bytes", ("", "write"): "write_text"} | {
    ("b", "write"): "write_bytes"
}


def _path(term: Term) -> Term | None:
    """Return what a path was made of on the spot."""
    arguments = plain_arguments(term)
    return arguments[0] if called(term) == "pathlib.Path" and arguments and len(arguments) == 1 else None


def _as_function(term: Term, _place: Place) -> Term | None:
    """Turn Path(x).exists() into os.path.exists(x)."""
    found = method(term)
    path = _path(found[0]) if found is not None else None
    if found is None or path is None:
        return None
    if found[1] == "mkdir":
        return _folder(term, path)
    function = _FUNCTIONS.get(found[1])
    if function is None or any(_says(one, "missing_ok", "follow_symlinks") for one in term.kids[1:]):
        return None
    return call(name(function, term), path, *term.kids[1:])


def _says(argument: Term, *fields: str) -> bool:
    return argument.kind == t.KWARG and argument.kids[0].value in fields


def _folder(term: Term, path: Term) -> Term | None:
    parents = keyword(term, "parents")
    if parents is None:
        return call(name("os.mkdir", term), path, *term.kids[1:]) if keyword(term, "exist_ok") is None else None
    if parents.value != ("constant", "True"):
        return None
    rest = [one for one in term.kids[1:] if not _says(one, "parents")]
    return call(name("os.makedirs", term), path, *rest)


def _at_once(term: Term, place: Place) -> Term | None:
    """Turn with open(x) as f: y = f.read() into y = Path(x).read_text()."""
    if len(term.kids) != 2 or len(term.kids[1].kids) != 1 or term.value:
        return None
    item, body = term.kids
    opened, target = item.kids
    statement = body.kids[0]
    if called(opened) != "open" or target.kind != t.BIND or not place.variables.live_in(term, bound(target)):
        return None
    used = statement.kids[-1] if statement.kind in (t.ASSIGN, t.EXPR, t.RETURN) else statement
    found = method(used)
    if found is None or found[0].kind != t.NAME or found[0].value is not target.value or len(opened.kids) < 2:
        return None
    made = _whole(opened, found[1], used)
    return statement.but(kids=[*statement.kids[:-1], made]) if made is not None else None


def _whole(opened: Term, verb: str, used: Term) -> Term | None:
    """Return the call that opens a file, reads or writes all of it, and closes it."""
    mode = next((one for one in opened.kids[2:] if one.kind != t.KWARG), None) or keyword(opened, "mode")
    spelled = text_of(mode) if mode is not None else "r"
    if spelled is None or spelled.replace("b", "") != {"read": "r", "write": "w"}.get(verb):
        return None
    rest = [one for one in opened.kids[2:] if one is not mode and not _says(one, "mode")]
    if any(not _says(one, "encoding", "errors", "newline") for one in rest) or len(used.kids) != 1 + (verb == "write"):
        return None
    function = _WRITTEN["b" if "b" in spelled else "", verb]
    holder = call(name("pathlib.Path", opened), opened.kids[1])
    return call(member(holder, function), *used.kids[1:], *rest)


def _alone(term: Term, _place: Place) -> Term | None:
    """Leave out missing_ok=False and exist_ok=False."""
    for one in term.kids[1:]:
        if _says(one, "missing_ok", "exist_ok", "parents") and one.kids[1].value == ("constant", "False"):
            return without(term, one)
    return None


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


def _iterated(term: Term, _place: Place) -> Term | None:
    """Leave out what a loop does by itself: for x in d.keys(), in f.readlines(), in iter(y)."""
    iterable = term.kids[1]
    found = method(iterable)
    if found is not None and found[1] in ("keys", "readlines") and len(iterable.kids) == 1:
        return term.but(kids=[term.kids[0], found[0], *term.kids[2:]])
    if called(iterable) == "iter" and len(iterable.kids) == 2:
        return term.but(kids=[term.kids[0], iterable.kids[1], *term.kids[2:]])
    return None


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


def _unpacked(term: Term, _place: Place) -> Term | None:
    """Turn f(**{"a": 1}) into f(a=1), and f(*[a, b]) into f(a, b)."""
    kids: list[Term] = []
    for one in term.kids:
        kids += _spread_out(one) if one.kind == t.SPREAD else (one,)
    made = term.having(kids)
    return made if made is not term else None


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


def _six_bytes(term: Term, _place: Place) -> Term | None:
    """Turn six.b("a") into b"a"."""
    text = text_of(term.kids[1]) if called(term) == "six.b" and len(term.kids) == 2 else None
    return literal("bytes", text, term) if text and text.isascii() else None


def _named_rule(name: str, kind: str, apply: Callable[[Term, Place], Term | None], calls: Iterable[str] = ()) -> Rule:
    return Rule(name, (kind,), apply, PYTHON, frozenset(calls))


RULES: Final = (
    _named_rule("getattr() with a known name", t.CALL, _attribute, ("getattr",)),
    _named_rule("setattr() with a known name", t.EXPR, _attribute_statement),
    Rule("what a loop iterates by itself", (t.EACH, t.CLAUSE), _iterated, PYTHON),
    _named_rule("mode that is the default", t.CALL, _open_mode, ("open",)),
    _named_rule("argument that is the default", t.CALL, _given_default, _DEFAULTS),
    _named_rule("newer arguments of subprocess", t.CALL, _captured),
    _named_rule("needless unpacking", t.CALL, _unpacked),
    _named_rule("smallest of the smallest", t.CALL, _nested_extremes, ("min", "max")),
    _named_rule("function instead of a lambda", t.LAMBDA, _plain_function),
    _named_rule("six", t.CALL, _six_bytes, ("six.b",)),
    Rule(
        "function for the method of a path",
        (t.CALL,),
        _as_function,
        PYTHON,
        frozenset(tuple(f".{verb}" for verb in (*_FUNCTIONS, "mkdir"))),
    ),
    Rule("whole file at once", (t.WITH,), _at_once, PYTHON),
    Rule("argument of a path that is the default", (t.CALL,), _alone, PYTHON),
)
