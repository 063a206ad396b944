"""The small changes that a program is tried with: what a slip of the hand would write."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_OPERATORS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPPOSITE = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Mutant(NamedTuple):
    """A program with one change. `lines` are those of the statement; `at_import`: it runs before any function does."""

    path: str
    lines: range
    start: int
    end: int
    new: str
    at_import: bool

    def source(self, root: Path) -> str:
        """Return the changed file."""
        old = (root / self.path).read_bytes()
        return (old[: self.start] + self.new.encode() + old[self.end :]).decode()


def mutants(root: Path, path: str) -> Iterator[Mutant]:
    """Yield every change of a file."""
    source = (root / path).read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, statement, within in _nodes(ast.parse(source), None, within=False):
        for changed, new in _changed(node):
            last = changed.end_lineno or changed.lineno
            start, end = (
                starts[changed.lineno - 1] + changed.col_offset,
                starts[last - 1] + (changed.end_col_offset or 0),
            )
            if new != source[start:end].decode():
                yield Mutant(path, range(statement.lineno, last + 1), start, end, new, not within)


def _nodes(
    node: ast.AST, statement: ast.stmt | None, *, within: bool
) -> Iterator[tuple[ast.expr | ast.stmt, ast.stmt, bool]]:
    """Yield what may be changed: no annotation, no text with holes, nothing for type checkers or the command line."""
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.If) and _is_aside(node.test)):
        return
    if isinstance(node, ast.stmt):
        statement = node
    if statement is not None and isinstance(node, ast.expr | ast.stmt):
        yield node, statement, within
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        inside = within or (isinstance(node, _FUNCTIONS) and name == "body")
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _nodes(child, statement, within=inside)


def _is_aside(test: ast.expr) -> bool:
    return any(isinstance(one, ast.Name) and one.id in ("TYPE_CHECKING", "__name__") for one in ast.walk(test))


def _changed(node: ast.expr | ast.stmt) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Yield what becomes of a node, or of the conditions in it."""
    yield from ((node, new) for new in (_value(node) if isinstance(node, ast.expr) else _statement(node)))
    conditions = [node.test] if isinstance(node, ast.If | ast.While | ast.IfExp) else []
    for part in getattr(node, "generators", ()):
        conditions += part.ifs
    for test in conditions:
        # not where a change of its one operator gives the opposite, too
        is_single = isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], _OPPOSITE)
        if not is_single and not isinstance(test, ast.UnaryOp):
            yield test, f"(not ({ast.unparse(test)}))"


def _value(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Compare():
            for at, one in enumerate(node.ops):
                ops = [*node.ops[:at], _OPERATORS[type(one)](), *node.ops[at + 1 :]]
                yield f"({ast.unparse(ast.Compare(node.left, ops, node.comparators))})"
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield f"({ast.unparse(ast.BoolOp(other, node.values))})"
        case ast.UnaryOp(op=ast.Not()):
            yield f"({ast.unparse(node.operand)})"
        case ast.Constant(value=bool()):
            yield str(not node.value)
        case ast.Constant(value=int()):
            yield from (str(node.value + 1), f"({node.value - 1})")


def _statement(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield "return None"
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Raise() | ast.Delete():
            yield "pass"
        case ast.Break():
            yield "continue"
        case ast.Continue():
            yield "break"
