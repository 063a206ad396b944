"""Lower what ECMAScript's modules import and export, and find the files they mean."""

import posixpath
from collections.abc import Sequence
from typing import Final

from linetrail.projections.proof.dialects.ecmascript.tree import DECLARATIONS, Construct, spliced
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term

_SCRIPTS: Final = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts")
# What a written ending can stand for: TypeScript writes the name of the file that it will become.
_SOURCES: Final = {
    **{script: (script,) for script in (".ts", ".tsx", ".mts", ".cts")},
    ".js": (".js", ".ts", ".tsx", ".jsx", ".d.ts"),
    ".jsx": (".jsx", ".tsx"),
    ".mjs": (".mjs", ".mts"),
    ".cjs": (".cjs", ".cts"),
}
# What stands before the name of a module that Node brings, and those that have no name without it.
NODE: Final = "node:"
NODE_ALONE: Final = frozenset(("node:test", "node:test/reporters", "node:sqlite", "node:sea"))


def _import(construct: Construct) -> Term:
    words = [f"type:{token}" for token in construct.tokens if token in ("type", "typeof")]
    words += construct.of("import_attribute").value or ()
    if "import_require_clause" in construct.kinds:
        clause = construct.of("import_require_clause")
        return clause.but(value=(*clause.value, *words))
    source = _path(construct.of("string"))
    if source.startswith(NODE) and source not in NODE_ALONE:
        # a module of Node has two names, and the longer one means no other
        source, words = source.removeprefix(NODE), [NODE, *words]
    return construct.term(t.IMPORT, (source, *words), construct.of("import_clause").kids)


def _path(term: Term) -> str:
    return str(term.value[1])


def _require(construct: Construct) -> Term:
    name, source = construct.terms
    alias = construct.term(t.ALIAS, "=", [name.but(kind=t.BIND)])
    return construct.term(t.IMPORT, (_path(source), "require"), [alias])


def _clause(construct: Construct) -> Term:
    aliases: list[Term] = []
    for kind, term in zip(construct.kinds, construct.terms, strict=True):
        if kind == "identifier":
            aliases.append(_alias(term, "default", term))
        else:
            aliases += term.kids if kind == "named_imports" else (term,)
    return construct.term("ecmascript:imports", "", aliases)


def _alias(at: Term, name: str, local: Term, *words: Term) -> Term:
    kids = [local.but(kind=t.BIND), *words]
    return Term(t.ALIAS, name, kids, line=at.line, start=at.start, end=at.end)


def _whole(construct: Construct) -> Term:
    return _alias(construct.terms[0], "*", construct.terms[0])


def _specifier(construct: Construct) -> Term:
    """Return one imported name; that it is a type alone is a type inside of it."""
    name, local = _outer_and_local(construct)
    return _alias(construct.term(t.NONE), _exported(name), local, *_type_words(construct))


def _type_words(construct: Construct) -> list[Term]:
    return [construct.term(t.TYPE, token) for token in construct.tokens if token in ("type", "typeof")]


def _outer_and_local(construct: Construct) -> tuple[Term, Term]:
    """Return both names of a specifier, which are one when there is no `as`; `default` has no node of its own."""
    names = list(construct.terms)
    if "default" in construct.tokens:
        default = construct.term(t.NAME, "default")
        names.insert(0 if construct.node.children[0].type == "default" else len(names), default)
    if len(names) == 1 and construct.tokens.count("default") > 1:
        names *= 2
    return names[0], names[-1]


def _exported(term: Term) -> str:
    return _path(term) if term.kind == t.LIT else str(term.value)


def _attributes(construct: Construct) -> Term:
    """Return what is said of an imported file (`with { type: "json" }`) as flags of its import."""
    pairs = (term.kids for term in construct.terms[0].kids if term.kind == t.PAIR)
    flags = (f"with {_exported(name)}={_exported(value)}" for name, value in pairs)
    return construct.term("ecmascript:import_attributes", tuple(flags))


def _import_alias(construct: Construct) -> Term:
    name, value = construct.terms
    return construct.term(t.DECLARE, ("import",), [name.but(kind=t.BIND), Term(t.NONE), value])


def _export(construct: Construct) -> Term:
    """Return what is exported, each declaration by itself."""
    flags = _export_flags(construct)
    if "export_clause" in construct.kinds:
        return construct.term(t.EXPORT, flags, _exported_names(construct, flags))
    source = "string" if "from" in flags else ""
    parts = [
        term for kind, term in zip(construct.kinds, construct.terms, strict=True) if kind not in ("decorator", source)
    ]
    decorators = construct.all("decorator")
    made = [_exporting(construct, flags, _decorated(part, decorators)) for part in spliced(parts)]
    if len(made) == 1:
        return made[0]
    return construct.term(DECLARATIONS, "", made) if made else construct.term(t.EXPORT, flags)


def _export_flags(construct: Construct) -> tuple[str, ...]:
    flags = [token if token not in ("type", "typeof") else f"type:{token}" for token in construct.tokens]
    flags = [flag for flag in flags if flag not in (";", "as")]
    if "export_clause" in construct.kinds:
        flags.append("names")
    if "from" in flags:
        flags.append(_path(construct.all("string")[-1]))
    return tuple(flags)


def _exported_names(construct: Construct, flags: Sequence[str]) -> Sequence[Term]:
    names = construct.of("export_clause").kids
    return [_elsewhere(name) for name in names] if "from" in flags else names


def _exporting(construct: Construct, flags: tuple[str, ...], part: Term) -> Term:
    """Return the export of one declaration; of a type nothing is left when the program runs."""
    if part.kind == t.TYPE:
        return part.but(kids=[construct.term(t.EXPORT, flags, part.kids)])
    made = construct.term(t.EXPORT, flags, [part])
    return construct.term(t.TYPE, "", [made]) if "namespace" in flags else made


def _decorated(term: Term, decorators: list[Term]) -> Term:
    if term.kind != t.CLASS or not decorators:
        return term
    *parts, own = term.kids
    return term.but(kids=[*parts, own.but(kids=[*decorators, *own.kids])])


def _export_specifier(construct: Construct) -> Term:
    """Return one exported name and the variable behind it."""
    local, outer = _outer_and_local(construct)
    field = outer.but(kind=t.FIELD, value=_exported(outer))
    value = "" if "as" in construct.tokens else "short"
    return construct.term(t.PAIR, value, [field, local, *_type_words(construct)])


def _elsewhere(pair: Term) -> Term:
    """Return what is exported again: no variable of this file, a name of the other module."""
    field, local, *words = pair.kids
    return pair.but(kids=[field, local.but(kind=t.FIELD, value=_exported(local)), *words])


def _namespace_export(construct: Construct) -> Term:
    name = construct.terms[0] if construct.terms else construct.term(t.FIELD, "default")
    return name.but(kind=t.FIELD, value=_exported(name))


CONSTRUCTS: Final = {
    "import_statement": _import,
    "import_require_clause": _require,
    "import_clause": _clause,
    "namespace_import": _whole,
    "import_specifier": _specifier,
    "import_attribute": _attributes,
    "import_alias": _import_alias,
    "export_statement": _export,
    "export_specifier": _export_specifier,
    "namespace_export": _namespace_export,
}


def files(path: str, written: str) -> list[str]:
    """Return the files that a path written in a file at `path` can mean, best first; none for a package.

    >>> files("src/a.ts", "./b.js")[:2]
    ['src/b.js', 'src/b.ts']
    """
    if not written.startswith("."):
        return []
    stem = posixpath.normpath(posixpath.join(posixpath.dirname(path), written))
    bare, ending = posixpath.splitext(stem)
    if ending in _SOURCES:
        return [bare + source for source in _SOURCES[ending]]
    # the path as it is written comes last: without the ending of the first one it is what to call the file
    return [*(stem + script for script in _SCRIPTS), *(f"{stem}/index{script}" for script in _SCRIPTS), stem]
