"""What hooks load in the place of a module does what the module does."""

import contextlib
import importlib
import pickle
import re
import sys
import types
import typing
from pathlib import Path
from types import ModuleType

import pytest

from linetrail.ledger.hook import stand_ins
from linetrail.ledger.hook.bundle import Bundle
from linetrail.ledger.hook.translation import translate

ROOT = Path(__file__).resolve().parents[3]
# The standard library alone is loaded by these; pydantic, yaml and the like, and models of data, are not for hooks.
FOLDERS = ("adapters", "event", "gate", "hook", "intents", "log", "observe", "paths", "redact", "shell")
SOURCE = '''
"""What it is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from nowhere import Nothing

Item = TypeVar("Item")
Kind = Literal["a", "b"]
Given = Callable[[Any], Mapping[str, Any]]
left: list[Nothing] = []
never: Nothing


class Empty(NamedTuple):
    """Nothing."""


class Point(NamedTuple):
    """A place."""

    x: int
    y: int = 2
    shown: Mapping[str, str] = {}

    @property
    def sum(self) -> int:
        """All of it."""
        return self.x + self.y

    def moved(self, by: int = 1, *more: int, **named: int) -> Point:
        there: int = self.x + by
        return self._replace(x=there)


class Reader(Protocol):
    """What reads."""

    def read(self) -> int: ...


@cache
def made(x: int) -> Point:
    return cast("Point", Point(x))


def dressed(function: Callable[[], int]) -> Callable[[], int]:
    @wraps(function)
    def run() -> int:
        return function()

    return run


@dressed
def seven() -> int:
    """Say it."""
    return 7
'''


@pytest.fixture
def both(monkeypatch):
    """Return a module as Python compiles it, and as a hook loads it."""
    made = []
    for name, code in (("plainly", compile(SOURCE, "plainly.py", "exec")), ("shortly", translate(SOURCE.encode(), ""))):
        module = ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        exec(code, vars(module))
        made.append(module)
    return made


@pytest.mark.parametrize(
    "expression",
    [
        "Point(1)",
        "Point(1, y=3, shown={'a': 'b'})",
        "Point(1) == (1, 2, {})",
        "hash(Point(1, 2, ()))",
        "Point(1).sum",
        "Point(1).moved(3)",
        "Point(1)._asdict()",
        "Point._make([1, 2, 3])",
        "Point._fields, Point.__match_args__, Empty._fields",
        "[*Point(1)], Point(1)[0], Point(1).x, len(Point(1)), Empty()",
        "isinstance(Point(1), tuple), hasattr(Point(1), '__dict__')",
        "made(3) is made(3)",
        "seven(), seven.__name__",
        "left, Kind is not None, Item is not None",
        "Reader().read()",
        "Point(1) < Point(2), Point(1) + (4,)",
    ],
)
def test_what_is_translated_is_worth_the_same(both, expression):
    plain, short = both

    if "Reader()" in expression:
        assert eval(expression, vars(short)) is None
        return
    assert repr(eval(expression, vars(short))) == repr(eval(expression, vars(plain)))


@pytest.mark.parametrize(
    "expression", ["Point()", "Point(1, z=2)", "Point(1)._replace(z=2)", "setattr(Point(1), 'x', 2)"]
)
def test_what_is_translated_refuses_the_same(both, expression):
    plain, short = both
    with pytest.raises((TypeError, ValueError, AttributeError)) as expected:
        eval(expression, vars(plain))

    with pytest.raises(expected.type):
        eval(expression, vars(short))


def test_a_record_outlives_pickling(both):
    _, short = both

    assert pickle.loads(pickle.dumps(short.Point(1))) == short.Point(1)


def _modules():
    for folder in FOLDERS:
        for file in sorted((ROOT / "ledger" / folder).rglob("*.py")):
            name = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            imported = re.findall(r"^(?:from|import) (\w+)", file.read_text(), re.MULTILINE)
            if file.parent.name != "data" and not {"pydantic", "yaml", "tree_sitter"}.intersection(imported):
                yield f"linetrail.{name}", file


@pytest.mark.slow
def test_every_module_of_a_hook_can_be_translated():
    seen = 0
    for name, file in _modules():
        plain, short = importlib.import_module(name), ModuleType(name)
        vars(short).update(__name__=name, __file__=str(file), __package__=name, __path__=[])

        exec(translate(file.read_bytes(), str(file)), vars(short))

        for key, value in vars(plain).items():
            if getattr(value, "__module__", None) == name:
                assert hasattr(short, key), f"{name} has lost {key}"
            if isinstance(value, type) and issubclass(value, tuple) and "__new__" in vars(value):
                made = getattr(short, key)
                assert made._fields == value._fields
                assert repr(made.__new__.__defaults__ or ()) == repr(value.__new__.__defaults__ or ()), key
                seen += 1
    assert seen > 100


def test_what_hooks_use_of_contextlib_does_the_same():
    """What is left out of it is named by no module of a hook, nor by `typing`, which they may load."""
    short = ModuleType("contextlib")
    exec(translate(Path(contextlib.__file__).read_bytes(), contextlib.__file__), vars(short))
    files = [typing.__file__, *(file for _, file in _modules())]
    used = {name for file in files for name in re.findall(r"contextlib\.(\w+)", Path(file).read_text())}

    assert len(used) > 3
    assert [name for name in used if not hasattr(short, name)] == []
    done = []
    with short.ExitStack() as stack, short.suppress(ValueError), short.nullcontext():
        stack.enter_context(short.contextmanager(lambda: (yield done.append("entered")))())
        stack.callback(done.append, "left")
        int("")
    assert done == ["entered", "left"]


def test_types_are_what_types_calls_so():
    assert (stand_ins.MethodType, stand_ins.GenericAlias, stand_ins.ModuleType) == (
        types.MethodType,
        types.GenericAlias,
        types.ModuleType,
    )


@pytest.fixture
def patterns(tmp_path, monkeypatch):
    """Return what stands for `re` where no bundle is, as if nobody had loaded that yet."""
    monkeypatch.setitem(sys.modules, "re", re)
    bundle = Bundle(str(tmp_path / "bundle"))
    return stand_ins.Patterns(bundle, re.compile)


@pytest.mark.parametrize(
    "expression",
    [
        "re.compile('a(?P<n>b)', re.IGNORECASE).match('AB')['n']",
        "re.match('a', 'ab').end(), re.match('b', 'ab'), re.fullmatch('ab', 'ab').end(), re.search('b', 'ab').start()",
        "re.findall('a.', 'ab\\na', re.DOTALL), [found.start() for found in re.finditer('a', 'aa')]",
        "re.sub('(a)', r'<\\1>', 'aba', 1), re.sub('A', '', 'aba', flags=re.IGNORECASE)",
        "re.split('[,;]', 'a,b;c'), re.split('[,;]', 'a,b;c', maxsplit=1)",
        "[re.escape(text) for text in ('a.b c', '[*?]-~#&', 'é\\n\\t\\x00/@%\"', '')], re.escape(b'a.b')",
        "int(re.MULTILINE | re.DOTALL), re.VERBOSE == 64, issubclass(re.error, Exception), re.Pattern.__name__",
    ],
)
def test_what_stands_for_re_answers_as_re_does(patterns, expression):
    assert str(eval(expression, {"re": patterns})) == str(eval(expression, {"re": re}))
