"""What hooks load, in one file: the code of modules, their tables, and their patterns as `re` compiles them.

An agent waits for each file that is looked for and opened, and for each pattern that is compiled. A hook that loads
what is not in the bundle yet adds it, once it has answered: our own modules as translation.py shortens them. All that a
module imports while it is executed is read at once with it, and executed before it, past the search for each. The
bundle lies beside the `.pyc` files, and is trusted as they are: the code of a module counts as long as its source has
the same size and time. Where there is none, and none can be written, everything is loaded as ever.
"""

import marshal
import os
import sys
import time

TYPE_CHECKING = False  # as type checkers read it: `typing` itself shall come from the bundle
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ExtensionFileLoader, ModuleSpec, PathFinder, SourceFileLoader
    from types import CodeType, ModuleType
    from typing import Any
else:  # what `importlib.machinery` takes them from, without what that loads besides
    from _frozen_importlib import ModuleSpec
    from _frozen_importlib_external import ExtensionFileLoader, PathFinder, SourceFileLoader

# 1: the size of the index, the index, what the index has the places of.
# 2: code is translated.
# 3: less of `contextlib` and nothing of `types` is loaded.
# 4: what a module imports is kept a second time, as one.
# 5: tables are kept.
VERSION = 5
_SIZE_BYTES = 8
_HERE = os.path.dirname(os.path.abspath(__file__))
# A bundle is for the interpreter and for the places that it was made with.
_MADE_FOR = (VERSION, sys.version, sys.flags.optimize, _HERE, os.path.abspath(os.__file__))
# Nobody writes one for so long.
_ABANDONED_SECONDS = 60
_DAMAGE = (OSError, EOFError, ValueError, TypeError)


class Bundle:
    """Finds modules in the bundle, ahead of the search path, and notes what had to come from elsewhere."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: int | None = None
        self._start = 0
        # name -> path of its source, or of what it was compiled to, size and time of that, place of its code
        self._modules: dict[str, tuple[str, tuple[int, int], tuple[int, int]]] = {}
        # pattern, flags -> place of its program
        self._patterns: dict[tuple[str | bytes, int], tuple[int, int]] = {}
        # module -> what it imports, as it is executed, and the place of the code of all of it
        self._imports: dict[str, tuple[tuple[str, ...], tuple[int, int]]] = {}
        # path of a table, its size and time, place of its bytes
        self._tables: dict[str, tuple[tuple[int, int], tuple[int, int]]] = {}
        self._new_modules: dict[str, Loader | ExtensionFileLoader] = {}
        self._new_patterns: list[tuple[str | bytes, int]] = []
        self._new_imports: dict[str, list[str]] = {}
        self._new_tables: dict[str, tuple[tuple[int, int] | None, bytes]] = {}
        # The modules that are being executed, the outermost first: all other patterns come and go with the repository.
        self.executing: list[str] = []
        self._notes_imports = False

    def open(self) -> None:
        """Read the index; where there is none that was made for this interpreter, it stays empty."""
        try:
            self._file = os.open(self._path, os.O_RDONLY)  # read from until the process ends
            size = int.from_bytes(os.read(self._file, _SIZE_BYTES), "big")
            made_for, *index = marshal.loads(os.read(self._file, size))  # noqa: S302  trusted as a .pyc is
        except _DAMAGE:
            return
        if made_for == _MADE_FOR:
            self._start = _SIZE_BYTES + size
            self._modules, self._patterns, self._imports, self._tables = index

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> ModuleSpec | None:
        """Return what loads a module from the bundle, or from its source; others are found as ever."""
        if self._is_current(name):
            source = self._modules[name][0]
            is_python = source.endswith(".py")
            return _spec(Loader(name, source, self) if is_python else ExtensionFileLoader(name, source))
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is ExtensionFileLoader:
            self._new_modules[name] = spec.loader
        elif spec is not None and type(spec.loader) is SourceFileLoader:
            loader = self._new_modules[name] = Loader(name, spec.loader.path, self)
            return _spec(loader)
        return spec

    def code(self, name: str) -> "CodeType | None":
        """Return the code of a module; None where it has to come from its source."""
        if name in self._new_modules or name not in self._modules:
            return None
        code: CodeType | None = self._read(self._modules[name][2])
        return code

    def execute(self, name: str, code: "CodeType", module: "ModuleType") -> None:
        """Execute a module: the outermost after all that it imports, which is noted where it is not known yet."""
        self.executing.append(name)
        try:
            if len(self.executing) == 1:
                self._execute_imports(name)
            exec(code, vars(module))  # noqa: S102  as an import does
        finally:
            self.executing.pop()
        if self._notes_imports and self.executing and not name.startswith(tuple(f"{n}." for n in self.executing)):
            self._new_imports.setdefault(self.executing[0], []).append(name)

    def _execute_imports(self, name: str) -> None:
        """Execute what a module imports; where that is not known, or may have changed, it will be noted."""
        self._notes_imports = False
        names, place = self._imports.get(name, ((), (0, 0)))
        is_known = names and name not in self._new_modules and all(map(self._is_current, names))
        codes: tuple[CodeType, ...] | None = self._read(place) if is_known else None
        for imported, code in zip(names, codes or (), strict=False):
            if imported not in sys.modules:
                self._execute_import(imported, code)
        self._notes_imports = codes is None

    def _execute_import(self, name: str, code: "CodeType") -> None:
        package, _, last = name.rpartition(".")
        if package:
            __import__(package)
        spec = _spec(Loader(name, self._modules[name][0], self))
        module = sys.modules[name] = type(sys)(name)
        vars(module).update(__spec__=spec, __loader__=spec.loader, __package__=spec.parent, __file__=spec.origin)
        if spec.submodule_search_locations is not None:
            module.__path__ = spec.submodule_search_locations
        try:
            exec(code, vars(module))  # noqa: S102  as an import does
        except BaseException:
            del sys.modules[name]
            raise
        if package:
            setattr(sys.modules[package], last, module)

    def _is_current(self, name: str) -> bool:
        known = self._modules.get(name)
        return known is not None and _stamp(known[0]) == known[1]

    def offer_patterns(self) -> None:
        """Let modules take the programs of patterns from here, and note which have to be compiled for them."""
        try:
            from _sre import compile as make  # type: ignore[import-not-found]  # no stub tells of it
        except ImportError:
            return  # it is private to CPython; where it is not, patterns are compiled as ever
        from linetrail.ledger.hook.stand_ins import Patterns

        sys.modules["re"] = Patterns(self, make)

    def program(self, pattern: "Any", flags: int) -> "tuple[Any, ...] | None":
        """Return what makes a pattern without compiling it; None where it has to be compiled."""
        place = self._patterns.get((pattern, flags))
        program: tuple[Any, ...] | None = place and self._read(place)
        return program

    def add_pattern(self, pattern: str | bytes, flags: int) -> None:
        """Note a pattern that has to be compiled, and is the same in every repository."""
        self._new_patterns.append((pattern, int(flags)))

    def table(self, path: str) -> bytes | None:
        """Return the bytes of a table; None where it has to be read."""
        stamp, place = self._tables.get(path, (None, (0, 0)))
        return self._read(place) if stamp is not None and stamp == _stamp(path) else None

    def add_table(self, path: str, stamp: tuple[int, int] | None, content: bytes) -> None:
        """Note a table that had to be read, and its size and time before that."""
        self._new_tables[path] = stamp, content

    def keep(self) -> None:
        """Add what came from elsewhere, if there is such; of two hooks that do so at once, one is lost."""
        new = self._new_modules or self._new_patterns or self._new_imports or self._new_tables
        if not new or sys.dont_write_bytecode:
            return
        import contextlib  # from the bundle

        aside = f"{self._path}.{os.getpid()}"
        try:
            self._tidy()
            file = open(aside, "xb")  # noqa: SIM115  before the work: the folder may be somebody else's
        except OSError:
            return
        try:
            with file:
                file.writelines(self._contents())
            os.replace(aside, self._path)
        except Exception:  # noqa: BLE001  the agent has its answer, and the next hook will try again
            with contextlib.suppress(OSError):
                os.unlink(aside)

    def _tidy(self) -> None:
        """Remove what hooks left that were killed while they wrote."""
        folder, name = os.path.split(self._path)
        for file in os.listdir(folder):
            stem, _, process = file.rpartition(".")
            path = os.path.join(folder, file)
            if stem == name and process.isdigit() and os.stat(path).st_mtime < time.time() - _ABANDONED_SECONDS:
                os.unlink(path)

    def _contents(self) -> list[bytes]:
        """Return all pieces of the file that the next hook reads."""
        new = dict(self._new_modules)  # and none of what it takes to translate these
        from linetrail.ledger.hook import translation

        pieces: list[bytes] = []
        end = 0

        def put(value: "Any") -> tuple[int, int]:
            nonlocal end
            pieces.append(marshal.dumps(value))
            end += len(pieces[-1])
            return end - len(pieces[-1]), len(pieces[-1])

        codes = {name: self._read(place) for name, (_, _, place) in self._modules.items() if name not in new}
        modules = {name: (*self._modules[name][:2], put(code)) for name, code in codes.items()}
        for name, loader in new.items():
            # Its code is read after its time, so that code that is newer is not taken for older.
            if name in sys.modules and (stamp := _stamp(loader.path)) is not None:
                code = loader.get_code(name)
                if translation.is_translatable(name):
                    code = translation.translate(loader.get_data(loader.path), loader.path)
                codes[name] = code
                modules[name] = (loader.path, stamp, put(code))
        patterns = {key: put(self._read(place)) for key, place in self._patterns.items()}
        patterns |= {key: put(_program(*key)) for key in self._new_patterns if key not in patterns}
        known: dict[str, Sequence[str]] = {n: names for n, (names, _) in self._imports.items() if n not in new}
        if not new and not self._new_patterns:  # else what compiles and translates is among it
            known |= self._new_imports
        imports = {
            name: (tuple(names), put(tuple(codes[imported] for imported in names)))
            for name, names in known.items()
            if all(imported in codes for imported in names)
        }
        tables = {path: (stamp, put(self._read(place))) for path, (stamp, place) in self._tables.items()}
        tables |= {path: (stamp, put(content)) for path, (stamp, content) in self._new_tables.items() if stamp}
        index = marshal.dumps((_MADE_FOR, modules, patterns, imports, tables))
        return [len(index).to_bytes(_SIZE_BYTES, "big"), index, *pieces]

    def _read(self, place: tuple[int, int]) -> "Any":
        """Return what is at a place; None, there and from then on, if the file is damaged."""
        try:
            if self._file is not None:
                return marshal.loads(os.pread(self._file, place[1], self._start + place[0]))  # noqa: S302  trusted as a .pyc is
        except _DAMAGE:
            self._modules, self._patterns, self._imports, self._tables = {}, {}, {}, {}
        return None


class Loader(SourceFileLoader):
    """Loads a module from the bundle, else from its source."""

    def __init__(self, name: str, path: str, bundle: Bundle) -> None:
        super().__init__(name, path)
        self._bundle = bundle

    def get_code(self, fullname: str) -> "CodeType | None":
        return self._bundle.code(fullname) or super().get_code(fullname)

    def get_data(self, path: str) -> bytes:
        """Return the bytes of a file; of a table that a module reads, from the bundle."""
        if not path.endswith(".txt"):
            return super().get_data(path)
        content = self._bundle.table(path)
        if content is None:
            stamp, content = _stamp(path), super().get_data(path)
            self._bundle.add_table(path, stamp, content)
        return content

    def exec_module(self, module: "ModuleType") -> None:
        """Execute the module; the patterns that it compiles meanwhile are the same in every repository."""
        code = self.get_code(module.__name__)
        if code is None:
            raise ImportError(f"cannot load module {module.__name__!r}: it has no code")
        self._bundle.execute(self.name, code, module)


def use() -> Bundle:
    """Let modules and patterns come from the bundle from here on."""
    bundle = Bundle(os.path.join(_HERE, "__pycache__", f"bundle.{sys.implementation.cache_tag}"))
    bundle.open()
    sys.meta_path.insert(sys.meta_path.index(PathFinder), bundle)
    bundle.offer_patterns()
    return bundle


def _spec(loader: Loader | ExtensionFileLoader) -> ModuleSpec:
    folder, file = os.path.split(loader.path)
    spec = ModuleSpec(loader.name, loader, origin=loader.path, is_package=file == "__init__.py")
    if spec.submodule_search_locations is not None:
        spec.submodule_search_locations.append(folder)
    spec.has_location = True
    spec.cached = loader.path  # else it is worked out for each module, and nobody asks for it
    return spec


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def _program(pattern: str | bytes, flags: int) -> tuple["Any", ...]:
    """Return what makes a pattern without compiling it, in the order in which `re` hands it on."""
    from re import _compiler, _parser  # type: ignore[attr-defined]  # nor of these

    parsed = _parser.parse(pattern, flags)
    names = [None] * parsed.state.groups
    for name, group in parsed.state.groupdict.items():
        names[group] = name
    words = [int(word) for word in _compiler._code(parsed, flags)]  # noqa: SLF001  re has no other name for it
    return int(flags | parsed.state.flags), words, parsed.state.groups - 1, parsed.state.groupdict, tuple(names)
