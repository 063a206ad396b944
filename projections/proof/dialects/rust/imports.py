"""Lower Rust's `use`: each name that it brings is an import of its own, however they are bundled."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from linetrail.projections.proof.dialects.lowering import GROUP, Parts, Rule, at
from linetrail.projections.proof.dialects.operators import dotted
from linetrail.projections.proof.dialects.rust.declarations import OFFERED, visibility
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term

if TYPE_CHECKING:
    from tree_sitter import Node

_LIST: Final = "rust:use_list"
_BELOW: Final = "rust:use_below"
_AS: Final = "rust:use_as"
_ALL: Final = "rust:use_all"


def _use(node: "Node", parts: Parts) -> Term:
    flags = visibility(parts)
    made = [_import(node, path, local, flags) for path, local in _brought(dict(parts)["argument"], "")]
    if flags:
        # what others may take from here is more than an import
        made = [at(node, OFFERED, "", (one,)) for one in made]
    return at(node, GROUP, "", made)


def _brought(tree: Term, above: str) -> Iterator[tuple[str, Term | None]]:
    """Yield what a tree of names brings: its path, and the name that it gets here if that is another."""
    if tree.kind == _LIST:
        for kid in tree.kids:
            yield from _brought(kid, above)
    elif tree.kind == _BELOW:
        *path, below = tree.kids
        yield from _brought(below, _joined(above, dotted(path[0]) if path[0].kind != t.NONE else ""))
    elif tree.kind == _AS:
        yield _joined(above, _written(tree.kids[0])), tree.kids[1]
    elif tree.kind == _ALL:
        yield _joined(above, "::".join([*map(_written, tree.kids), "*"])), None
    else:
        yield _joined(above, _written(tree)), None


def _written(path: Term) -> str:
    if path.kind == t.ATTR and path.kids[0].kind == t.NONE:
        return f"::{path.kids[1].value}"
    return dotted(path) if path.kind != t.ATTR else f"{_written(path.kids[0])}::{path.kids[1].value}"


def _joined(above: str, path: str) -> str:
    return f"{above}::{path}" if above else path


def _import(node: "Node", path: str, local: Term | None, flags: tuple[str, ...]) -> Term:
    module, _, name = path.rpartition("::")
    if name == "*":
        return at(node, t.IMPORT, (module, "wildcard", *flags))
    if name == "self" and module:
        # the module itself, and nothing else of its name
        module, _, name = module.rpartition("::")
        flags = ("self", *flags)
    if local is not None and local.value == "_":
        return at(node, t.IMPORT, (path, "_", *flags))
    known = at(node, t.BIND, name) if local is None else local.but(kind=t.BIND)
    given = () if local is None else (Term(t.TOKEN, "as"),)
    return at(node, t.IMPORT, (module, *flags), (at(node, t.ALIAS, name, (known, *given)),))


def _crate(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    name = by["name"]
    local = by.get("alias", name)
    given = (Term(t.TOKEN, "as"),) if "alias" in by else ()
    flags = (str(name.value), "extern", *visibility(parts))
    if local.value == "_":
        return at(node, t.IMPORT, (*flags, "_"))
    return at(node, t.IMPORT, flags, (at(node, t.ALIAS, "*", (local.but(kind=t.BIND), *given)),))


RULES: Final[dict[str, Rule]] = {
    "extern_crate_declaration": _crate,
    "use_declaration": _use,
}
