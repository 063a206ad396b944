"""Rules of Python's files: what pathlib does and what os does is the same."""

from typing import Final

from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.python.meaning import (
    call,
    called,
    keyword,
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


RULES: Final = (
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
