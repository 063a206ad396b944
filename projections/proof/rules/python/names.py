"""Rules of names: what has several names in Python or moved to another module goes by one of them."""

from collections.abc import Iterable
from typing import Final

from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.python.meaning import literal, meaning, name
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term

PYTHON: Final = frozenset(("python",))


def _moved(names: str, old: str, new: str) -> dict[str, str]:
    return {f"{old}{one}": f"{new}{one}" for one in names.split()}


_ABSTRACT: Final = """
    Awaitable Coroutine AsyncIterable AsyncIterator AsyncGenerator Iterable Iterator Generator Reversible Container
    Collection Callable Mapping MutableMapping Sequence MutableSequence MutableSet MappingView KeysView ItemsView
    ValuesView Hashable Sized ByteString
"""
_TYPES: Final = {
    **_moved(_ABSTRACT, "typing.", "collections.abc."),
    **_moved(f"{_ABSTRACT} Set Buffer", "collections.", "collections.abc."),
    **_moved("OrderedDict Counter ChainMap", "typing.", "collections."),
    **{f"typing.{one}": one.lower() for one in ("List", "Dict", "Set", "FrozenSet", "Tuple", "Type")},
    "typing.AbstractSet": "collections.abc.Set",
    "typing.ContextManager": "contextlib.AbstractContextManager",
    "typing.AsyncContextManager": "contextlib.AbstractAsyncContextManager",
    "typing.DefaultDict": "collections.defaultdict",
    "typing.Deque": "collections.deque",
    "typing.Match": "re.Match",
    "typing.Pattern": "re.Pattern",
    "typing.re.Match": "re.Match",
    "typing.re.Pattern": "re.Pattern",
    "typing.Text": "str",
    "typing_extensions.Buffer": "collections.abc.Buffer",
}
_ERRORS: Final = {
    **dict.fromkeys(("EnvironmentError", "IOError", "WindowsError", "os.error", "mmap.error"), "OSError"),
    **dict.fromkeys(("select.error", "socket.error", "resource.error"), "OSError"),
    **dict.fromkeys(("asyncio.TimeoutError", "socket.timeout", "asyncio.exceptions.TimeoutError"), "TimeoutError"),
    "concurrent.futures.TimeoutError": "TimeoutError",
}
_FLAGS: Final = {
    f"re.{flag[0]}": f"re.{flag}" for flag in ("ASCII", "IGNORECASE", "LOCALE", "MULTILINE", "UNICODE", "VERBOSE")
} | {"re.S": "re.DOTALL", "re.X": "re.VERBOSE", "re.T": "re.TEMPLATE"}
_OTHERS: Final = {
    "datetime.timezone.utc": "datetime.UTC",
    "io.open": "open",
    "os.getcwdu": "os.getcwd",
    "logging.warn": "logging.warning",
    "logging.WARN": "logging.WARNING",
    "logging.FATAL": "logging.CRITICAL",
    "abc.abstractmethod": "abc.abstractmethod",
    "abc.ABC": "abc.ABC",
    "functools.cache": "functools.cache",
    "itertools.starmap": "itertools.starmap",
    "itertools.pairwise": "itertools.pairwise",
    "os.unlink": "os.remove",
    "pytest.yield_fixture": "pytest.fixture",
    "six.text_type": "str",
    "six.binary_type": "bytes",
    "six.string_types": "str",
    "six.class_types": "type",
    "six.integer_types": "int",
    "six.unichr": "chr",
    "six.callable": "callable",
    "six.next": "next",
    "six.StringIO": "io.StringIO",
    "six.BytesIO": "io.BytesIO",
    "six.wraps": "functools.wraps",
    "six.moves.cStringIO": "io.StringIO",
    "six.moves.reduce": "functools.reduce",
    "six.moves.zip_longest": "itertools.zip_longest",
    "six.moves.filterfalse": "itertools.filterfalse",
    "six.moves.intern": "sys.intern",
    "six.moves.reload_module": "importlib.reload",
    **_moved("range map filter zip input", "six.moves.", ""),
}
# Modules with everything in them.
_MODULES: Final = {
    "typing_extensions": "typing",
    "builtins": "",
    "six.moves.builtins": "",
    "__builtin__": "",
    "mock": "unittest.mock",
    "unittest.mock": "unittest.mock",
    "xml.etree.cElementTree": "xml.etree.ElementTree",
    "xml.etree.ElementTree": "xml.etree.ElementTree",
    **_moved("queue configparser urllib pickle socketserver http copyreg", "six.moves.", ""),
}
_ALIASES: Final = {**_TYPES, **_ERRORS, **_FLAGS, **_OTHERS}
# Names without a module that are aliases, and the only ones that nothing has to import.
_BARE: Final = frozenset(alias for alias in _ALIASES if alias.endswith("Error") and "." not in alias)
# Modules whose every name goes by the module that it is imported from.
_WHOLE: Final = ("typing.", "unittest.mock", "xml.etree.ElementTree", "operator.", "os.", "pathlib.", "shlex.")
_KNOWN: Final = _ALIASES.keys() | set(_ALIASES.values())
_CONSTANTS: Final = {
    "string.ascii_letters": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "string.ascii_lowercase": "abcdefghijklmnopqrstuvwxyz",
    "string.ascii_uppercase": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "string.digits": "0123456789",
    "string.hexdigits": "0123456789abcdefABCDEF",
    "string.octdigits": "01234567",
}
# Methods with several names, whatever they are called on.
_METHODS: Final = {
    "assertEquals": "assertEqual",
    "assertNotEquals": "assertNotEqual",
    "assert_": "assertTrue",
    "assertAlmostEquals": "assertAlmostEqual",
    "assertNotAlmostEquals": "assertNotAlmostEqual",
    "assertRegexpMatches": "assertRegex",
    "assertNotRegexpMatches": "assertNotRegex",
    "assertRaisesRegexp": "assertRaisesRegex",
    "assertItemsEqual": "assertCountEqual",
    "failUnlessEqual": "assertEqual",
    "failUnless": "assertTrue",
    "failIf": "assertFalse",
}


def _one_name(term: Term, _place: Place) -> Term | None:
    """Turn typing.List into list, IOError into OSError, re.I into re.IGNORECASE."""
    if term.kind == t.NAME and isinstance(term.value, str) and term.value not in _BARE:
        return None
    written = meaning(term)
    if not written:
        return None
    known = _relocated(written)
    if known in _CONSTANTS:
        return literal("str", _CONSTANTS[known], term)
    if known != written or known in _KNOWN or known.startswith(_WHOLE):
        return name(_ALIASES.get(known, known), term)
    return None


def _relocated(known: str) -> str:
    for module, now in _MODULES.items():
        if known.startswith(module) and known[len(module) : len(module) + 1] in ("", "."):
            return f"{now}{known[len(module) :]}".lstrip(".")
    return known


def _one_method(term: Term, _place: Place) -> Term | None:
    """Turn self.assertEquals into self.assertEqual."""
    holder, field = term.kids
    known = _METHODS.get(str(field.value))
    return term.but(kids=[holder, field.but(value=known)]) if known is not None else None


def _without_twins(term: Term, _place: Place) -> Term | None:
    """Turn except (OSError, OSError) into except OSError."""
    kind, pattern, body = term.kids
    if kind.kind != t.TUPLE:
        return None
    kids = list(_different(kind.kids))
    if len(kids) == 1 and kids[0].kind != t.SPREAD:
        return term.but(kids=[kids[0], pattern, body])
    return term.but(kids=[kind.but(kids=kids), pattern, body]) if len(kids) < len(kind.kids) else None


def _different(types: Iterable[Term]) -> Iterable[Term]:
    seen: set[str] = set()
    for one in types:
        known = meaning(one)
        if not known or known not in seen:
            yield one
        seen.add(known)


RULES: Final = (
    Rule("another name of the same thing", (t.NAME, t.ATTR), _one_name, PYTHON),
    Rule("deprecated name of a method", (t.ATTR,), _one_method, PYTHON),
    Rule("types of exceptions that are the same", (t.CATCH,), _without_twins, PYTHON),
)
