"""What stands in for parts of the standard library that take a hook longer to load than all that it does.

Modules that come from the bundle use these in the place of `typing.NamedTuple`, of three functions of `functools`, of
three classes of `types`, and of `re`; translation.py puts them there. They do the same for whoever uses them, and no
more of it than hooks need.
"""

import sys
from _functools import _lru_cache_wrapper  # type: ignore[import-not-found]  # no stub tells of it

try:
    from _collections import _tuplegetter as field  # type: ignore[import-not-found]  # nor of this
except ImportError:  # not CPython
    from operator import itemgetter

    def field(at: int, doc: str | None) -> "Any":
        """Return what reads an element of a tuple."""
        return property(itemgetter(at), doc=doc)


TYPE_CHECKING = False  # as type checkers read it
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from re import Match, Pattern
    from types import GenericAlias, ModuleType
    from typing import Any, Protocol, Self

    class Programs(Protocol):
        """What has compiled patterns."""

        # the modules that are being executed
        executing: list[str]

        # what makes a pattern without compiling it; None where it has to be compiled
        def program(self, pattern: Any, flags: int) -> "tuple[Any, ...] | None": ...

        # note a pattern for whoever comes next
        def add_pattern(self, pattern: str | bytes, flags: int) -> None: ...
else:  # made as `types` makes them
    GenericAlias, ModuleType = type(list[int]), type(sys)

make_tuple = tuple.__new__
# As in `re`, where each of them is an `enum.RegexFlag`.
_FLAGS = {"ASCII": 256, "DOTALL": 16, "IGNORECASE": 2, "MULTILINE": 8, "UNICODE": 32, "VERBOSE": 64}
_SPECIAL = {ord(sign): f"\\{sign}" for sign in "()[]{}?*+-|^$\\.&~# \t\n\r\v\f"}


class Record(tuple):  # type: ignore[type-arg]  # a tuple of anything
    """A tuple with names: what every class has that was written as a `typing.NamedTuple`."""

    __slots__ = ()
    _fields: "tuple[str, ...]" = ()

    @classmethod
    def _make(cls, values: "Iterable[Any]") -> "Self":
        return cls(*values)

    def _replace(self, /, **changes: "Any") -> "Self":
        made = make_tuple(type(self), map(changes.pop, self._fields, self))
        if changes:
            raise ValueError(f"Got unexpected field names: {list(changes)!r}")
        return made

    def _asdict(self) -> "dict[str, Any]":
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        told = (f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({', '.join(told)})"

    def __getnewargs__(self) -> "tuple[Any, ...]":
        return tuple(self)


MethodType = type(Record._make)


def import_module(name: str) -> ModuleType:
    __import__(name)
    return sys.modules[name]


def wraps(wrapped: "Callable[..., Any]") -> "Callable[[Any], Any]":
    """Let a function look like the one that it calls."""

    def dress(wrapper: "Any") -> "Any":
        for name in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
            setattr(wrapper, name, getattr(wrapped, name))
        vars(wrapper).update(vars(wrapped))
        wrapper.__wrapped__ = wrapped
        return wrapper

    return dress


def lru_cache(maxsize: int | None = 128, typed: object = None) -> "Callable[[Any], Any]":
    """Remember what a function returned the last so many times."""
    return lambda function: _lru_cache_wrapper(function, maxsize, bool(typed), Record)


def cache(function: "Any") -> "Any":
    """Remember whatever a function returned."""
    return lru_cache(None)(function)


class Patterns(ModuleType):
    """Stands for `re`: takes compiled patterns from the bundle; the module itself is loaded for whatever else."""

    def __init__(self, programs: "Programs", make: "Callable[..., Pattern[Any]]") -> None:
        super().__init__("re")
        self._programs, self._make = programs, make
        self._real = sys.modules.get("re")
        self._compiled: dict[Any, Pattern[Any]] = {}
        vars(self).update(_FLAGS)

    def __getattr__(self, name: str) -> "Any":
        if self._real is None:
            del sys.modules["re"]
            self._real = __import__("re")
            sys.modules["re"] = self
        return getattr(self._real, name)

    def compile(self, pattern: "Any", flags: int = 0) -> "Any":
        found = self._compiled.get((pattern, flags))
        if found is None:
            program = self._programs.program(pattern, flags)
            if program is None and isinstance(pattern, str | bytes) and self._is_ours(pattern):
                self._programs.add_pattern(pattern, flags)
            found = self._make(pattern, *program) if program else self.__getattr__("compile")(pattern, flags)
            self._compiled[pattern, flags] = found
        return found

    def _is_ours(self, pattern: str | bytes) -> bool:
        """Return whether a pattern is the same everywhere: made while a module is executed, or stated by its user."""
        frame = sys._getframe(2)  # noqa: SLF001  it has no other name
        while frame.f_globals is globals() and frame.f_back is not None:
            frame = frame.f_back
        stated = frame.f_code.co_consts, *frame.f_globals.values()
        return bool(self._programs.executing) or any(_has(value, pattern) for value in stated)

    def escape(self, pattern: "Any") -> "Any":
        """Return a pattern that matches a text as it stands."""
        return pattern.translate(_SPECIAL) if isinstance(pattern, str) else self.__getattr__("escape")(pattern)

    def match(self, pattern: "Any", string: "Any", flags: int = 0) -> "Match[Any] | None":
        return self.compile(pattern, flags).match(string)  # type: ignore[no-any-return]  # as `re` returns it

    def fullmatch(self, pattern: "Any", string: "Any", flags: int = 0) -> "Match[Any] | None":
        return self.compile(pattern, flags).fullmatch(string)  # type: ignore[no-any-return]  # as `re` returns it

    def search(self, pattern: "Any", string: "Any", flags: int = 0) -> "Match[Any] | None":
        return self.compile(pattern, flags).search(string)  # type: ignore[no-any-return]  # as `re` returns it

    def findall(self, pattern: "Any", string: "Any", flags: int = 0) -> "Sequence[Any]":
        return self.compile(pattern, flags).findall(string)  # type: ignore[no-any-return]  # as `re` returns it

    def finditer(self, pattern: "Any", string: "Any", flags: int = 0) -> "Iterable[Match[Any]]":
        return self.compile(pattern, flags).finditer(string)  # type: ignore[no-any-return]  # as `re` returns it

    def sub(self, pattern: "Any", repl: "Any", string: "Any", count: int = 0, flags: int = 0) -> "Any":
        return self.compile(pattern, flags).sub(repl, string, count)

    def split(self, pattern: "Any", string: "Any", maxsplit: int = 0, flags: int = 0) -> "Sequence[Any]":
        return self.compile(pattern, flags).split(string, maxsplit)  # type: ignore[no-any-return]  # as `re` returns it


def _has(value: "Any", pattern: str | bytes) -> bool:
    """Return whether a value is a pattern, or a table in which it is."""
    if isinstance(value, dict):
        return any(_has(part, pattern) for part in value.values())
    return any(_has(part, pattern) for part in value) if isinstance(value, tuple | list) else bool(value == pattern)
