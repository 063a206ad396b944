"""Translate the source of a module into code that does the same and is loaded sooner, for the bundle.

What only readers and type checkers need is left out: docstrings, annotations, what is imported for these, and classes
of `contextlib` that no hook uses. A `typing.NamedTuple` becomes a class whose `__new__` need not be written and
compiled each time, and functions come from where they are without all that lies around them. The rest is compiled as it
stands.
"""

import ast
import importlib
from types import CodeType
from typing import Any

from linetrail.ledger.hook import stand_ins

_OURS = stand_ins.__name__
_PACKAGE, _, _NAME = _OURS.rpartition(".")
# module, name -> the module that has it, too; of `collections.abc` this is so for all names.
_NEARER = {
    ("collections", "defaultdict"): "_collections",
    ("collections", "deque"): "_collections",
    ("functools", "cache"): _OURS,
    ("functools", "lru_cache"): _OURS,
    ("functools", "partial"): "_functools",
    ("functools", "reduce"): "_functools",
    ("functools", "wraps"): _OURS,
    ("heapq", "heapify"): "_heapq",
    ("heapq", "heappop"): "_heapq",
    ("heapq", "heappush"): "_heapq",
    ("importlib", "import_module"): _OURS,
    ("importlib.machinery", "PathFinder"): "_frozen_importlib_external",
    ("importlib.util", "module_from_spec"): "_frozen_importlib",
    ("operator", "or_"): "_operator",
    ("types", "GenericAlias"): _OURS,
    ("types", "MethodType"): _OURS,
    ("types", "ModuleType"): _OURS,
}
# Of the standard library, what is worth it; it has no names of `typing` that it hands on.
_OTHERS = frozenset({"contextlib", "enum", "fnmatch", "json", "json.decoder", "json.encoder", "json.scanner", "shlex"})
_FOR_READERS = ("typing", "collections.abc", "_collections_abc", "types")
# Of `contextlib`, what neither hooks use nor `typing`: to make a class takes longer than to read one.
_LEFT_OUT = frozenset(
    {
        "AsyncContextDecorator",
        "AsyncExitStack",
        "_AsyncGeneratorContextManager",
        "_RedirectStream",
        "aclosing",
        "chdir",
        "closing",
        "redirect_stderr",
        "redirect_stdout",
    }
)
_STAND_INS = "linetrail_stand_ins"


def is_translatable(module: str) -> bool:
    """Return whether the code of a module may be another one."""
    return module in _OTHERS or module.partition(".")[0] == _OURS.partition(".")[0]


def translate(source: bytes, path: str) -> CodeType:
    tree = _Translator().visit(ast.parse(source, path))
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    body = [kept for node in tree.body if (kept := _without_unused(node, used)) is not None]
    if _STAND_INS in used:
        at = sum(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in body)
        body.insert(at, ast.ImportFrom(_PACKAGE, [ast.alias(_NAME, _STAND_INS)], 0))
    code: CodeType = compile(ast.fix_missing_locations(ast.Module(body, [])), path, "exec", dont_inherit=True)
    return code


class _Translator(ast.NodeTransformer):
    def visit_Module(self, node: ast.Module) -> ast.AST:
        return self._without_docstring(node, needs_one=False)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        for arg in ast.walk(node.args):
            if isinstance(arg, ast.arg):
                arg.annotation = None
        return self._without_docstring(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST | None:
        if node.name in _LEFT_OUT:
            return None
        node.bases = [base for base in node.bases if not (isinstance(base, ast.Name) and base.id in _LEFT_OUT)]
        bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
        if bases == ["NamedTuple"] and not node.keywords:
            _make_record(node)
        elif bases == ["Protocol"]:
            node.bases = []
        return self._without_docstring(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        self.generic_visit(node)
        return None if node.value is None else ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = node.func.id if isinstance(node.func, ast.Name) else None
        if called == "cast" and len(node.args) == 2:
            return node.args[1]
        return _any_type(node) if called == "TypeVar" else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        return _any_type(node) if isinstance(node.value, ast.Name) and node.value.id == "Literal" else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Take what stands in for a function from there, where it is named together with its module."""
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and _NEARER.get((node.value.id, node.attr)) == _OURS:
            node.value = ast.copy_location(ast.Name(_STAND_INS, ast.Load()), node.value)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return _any_type(node) if node.id == "Any" else node

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        is_for_readers = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return node.orelse or ast.copy_location(ast.Pass(), node) if is_for_readers else node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        """Import each name from where it is found soonest."""
        if node.level or node.module is None:
            return node
        places: dict[str, list[ast.alias]] = {}
        for alias in node.names:
            places.setdefault(_nearest(node.module, alias.name), []).append(alias)
        return [ast.copy_location(ast.ImportFrom(module, names, 0), node) for module, names in places.items()]

    def _without_docstring(self, node: Any, *, needs_one: bool = True) -> ast.AST:
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            del node.body[0]
        self.generic_visit(node)
        if needs_one and not node.body:
            node.body = [ast.Pass()]
        visited: ast.AST = node
        return visited


def _any_type(node: ast.AST) -> ast.AST:
    """Return what stands for a type that only type checkers know, where types have names of their own."""
    return ast.copy_location(ast.Name("object", ast.Load()), node)


def _make_record(node: ast.ClassDef) -> None:
    """Let a class do by itself what `typing.NamedTuple` would make of it."""
    fields = [part for part in node.body if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)]
    names = [field.target.id for field in fields if isinstance(field.target, ast.Name)]
    defaults = [field.value for field in fields if field.value is not None]
    made = ast.parse(
        f"""
def __new__(_cls, {", ".join(names)}):
    return {_STAND_INS}.make_tuple(_cls, ({"".join(f"{name}, " for name in names)}))
__slots__ = ()
_fields = __match_args__ = {tuple(names)!r}
"""
        + "".join(f"{name} = {_STAND_INS}.field({at}, None)\n" for at, name in enumerate(names))
    ).body
    for part in made:
        for piece in ast.walk(part):
            ast.copy_location(piece, node)
    made[0].args.defaults = defaults  # type: ignore[attr-defined]  # it is a function
    node.bases = [ast.Attribute(ast.Name(_STAND_INS, ast.Load()), "Record", ast.Load())]
    node.body = [*made, *(part for part in node.body if part not in fields)]


def _nearest(module: str, name: str) -> str:
    """Return the module that a name is taken from; another interpreter may keep it elsewhere."""
    near = "_collections_abc" if module == "collections.abc" else _NEARER.get((module, name))
    if near is None:
        return module
    try:
        return near if hasattr(importlib.import_module(near), name) else module
    except ImportError:
        return module


def _without_unused(node: ast.stmt, used: set[str]) -> ast.stmt | None:
    """Leave out what was imported for annotations alone, or has a stand-in."""
    is_one = isinstance(node, ast.ImportFrom) and node.module in _FOR_READERS
    if isinstance(node, ast.Import | ast.ImportFrom) and (is_one or node.names[0].name == "functools"):
        node.names = [alias for alias in node.names if (alias.asname or alias.name) in used]
        return node if node.names else None
    return node
