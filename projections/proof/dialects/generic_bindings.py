"""Where languages without a dialect declare parameters and local variables.

A name that is not in a table stays a name that means itself: renaming it is proved by nobody. So a table may leave out
what it likes, but must not let a name be seen where the language does not show it.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Final, NamedTuple

from tree_sitter import Node

from linetrail.projections.proof.dialects.lowering import Parts, at
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term

Tags = Mapping[str, tuple[str, ...]]


class Bindings(NamedTuple):
    """The names of a language.

    `names` are leaves. `binds` says under which field or kind a node declares a name, `members` under which it uses
    that of a member or an argument. `blocks` and `scopes` are constructs whose names end with them; the scope of an
    inner construct is that of the outer one where `joined` says so. `first` are the parts, or the sign before them,
    that do not see yet what their construct declares. `members_of` are bodies whose declarations are no local ones.
    """

    binds: Tags
    members: Tags
    joined: Tags
    first: Tags
    names: frozenset[str]
    blocks: frozenset[str]
    scopes: frozenset[str]
    members_of: frozenset[str]


def _bindings(told: Mapping[str, Any]) -> Bindings:
    tagged = {field: _tags(told.get(field, {})) for field in ("binds", "members", "joined", "first")}
    listed = {field: frozenset(told.get(field, "").split()) for field in ("names", "blocks", "scopes", "members_of")}
    return Bindings._make((tagged | listed)[field] for field in Bindings._fields)


def _tags(told: Mapping[str, str]) -> Tags:
    return {kind: tuple(tags.split()) for kind, tags in told.items()}


_FILE: Final = resources.files(__package__) / "generic.toml"
LANGUAGES: Final[Mapping[str, Bindings]] = {
    language: _bindings(told) for language, told in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
}

# Leaves that name a member whoever uses them.
MEMBERS: Final = frozenset(("field_identifier", "statement_identifier"))
_WORD: Final = re.compile(r"[^\W\d]\w*")
_DEFINED: Final = re.compile(rb"^[ \t]*#[ \t]*define\b(?:[^\n\\]|\\.|\\\r?\n)*", re.MULTILINE | re.DOTALL)


def in_macros(source: bytes) -> frozenset[str]:
    """Return the words in macros: a name among them may be used where nobody sees it."""
    if b"define" not in source:
        return frozenset()
    text = " ".join(macro.decode("utf-8", "replace") for macro in _DEFINED.findall(source))
    return frozenset(_WORD.findall(text))


def bound(language: str, node: Node, parts: Parts, macros: frozenset[str]) -> Term:
    """Return a node with the names that it declares, and a scope where it opens one."""
    names, kind = LANGUAGES[language], node.type
    special = _SPECIAL.get((language, kind))
    if special is not None:
        parts = special(parts)
    binds, members = names.binds.get(kind, ()), names.members.get(kind, ())
    if binds or members:
        parts = [(tag, _named(tag, term, binds, members, macros)) for tag, term in parts]
    if kind in names.members_of:
        parts = [(tag, _free(term)) for tag, term in parts]
    if kind in names.first:
        parts = _ordered(parts, names.first[kind])
    kids = [term for _, term in parts]
    if kind in names.joined:
        kids = [_joined(term, [f"{language}:{inner}" for inner in names.joined[kind]]) for term in kids]
    if kind in names.blocks or kind in names.scopes:
        kids = [at(node, t.BLOCK, "scope", kids)]
    return at(node, f"{language}:{kind}", "", kids)


def _named(tag: str, term: Term, binds: Sequence[str], members: Sequence[str], macros: frozenset[str]) -> Term:
    if term.kind != t.NAME or term.value in macros:
        return term
    if tag in binds and term.value != "_":
        return term.but(kind=t.BIND)
    return term.but(kind=t.FIELD) if tag in members else term


def _free(term: Term) -> Term:
    """Return what declares a member without declaring a variable."""
    if term.kind == t.BIND:
        return term.but(kind=t.NAME)
    if not term.kids or term.kind == t.BLOCK:
        return term
    return term.but(kids=[_free(kid) for kid in term.kids])


def _ordered(parts: Parts, first: Sequence[str]) -> Parts:
    """Put what does not see the names of a construct before them."""
    sign = next((place for place, (tag, term) in enumerate(parts) if tag in first and term.kind == t.TOKEN), None)
    if sign is not None:
        body = next((place for place, (tag, _) in enumerate(parts) if place > sign and tag == "block"), len(parts))
        return [*parts[sign:body], *parts[:sign], *parts[body:]]
    return [*(part for part in parts if part[0] in first), *(part for part in parts if part[0] not in first)]


def _joined(term: Term, kinds: Sequence[str]) -> Term:
    """Take the scope of an inner construct away: it ends with the outer one."""
    if term.kind in kinds:
        return term.but(kids=term.kids[0].kids)
    if not term.kids or term.kind == t.BLOCK:
        return term
    return term.but(kids=[_joined(kid, kinds) for kid in term.kids])


def _navigation(parts: Parts) -> Parts:
    holder, *rest = parts
    return [holder, *((tag, term.but(kind=t.FIELD) if term.kind == t.NAME else term) for tag, term in rest)]


def _argument(parts: Parts) -> Parts:
    if len(parts) < 2 or parts[1][0] != "=" or parts[0][1].kind != t.NAME:
        return parts
    return [(parts[0][0], parts[0][1].but(kind=t.FIELD)), *parts[1:]]


def _template(parts: Parts) -> Parts:
    """Part the names that a string takes from around it from its text: the tree shows `$name` as text."""
    made: Parts = []
    for tag, term in parts:
        word = _WORD.match(str(term.value)) if made and str(made[-1][1].value).endswith("$") and not term.kids else None
        if word is None:
            made.append((tag, term))
        else:
            name, rest = term.but(kind=t.NAME, value=word.group()), term.but(value=str(term.value)[word.end() :])
            made += (tag, name), (tag, rest)
    return made


def _key(parts: Parts) -> Parts:
    if not parts or parts[0][1].kind != t.NAME or len(parts) < 3:
        return parts
    return [(parts[0][0], parts[0][1].but(kind=t.FIELD)), *parts[1:]]


def _local(parts: Parts) -> Parts:
    """Lower what follows `local`: the names come after what they are set to."""
    return [(tag, _assigned(term) if term.kind == "lua:assignment_statement" else _listed(term)) for tag, term in parts]


def _assigned(term: Term) -> Term:
    names = [_listed(kid) for kid in term.kids if kid.kind == "lua:variable_list"]
    return term.but(kids=(*(kid for kid in term.kids if kid.kind != "lua:variable_list"), *names))


def _listed(term: Term) -> Term:
    if term.kind != "lua:variable_list":
        return term.but(kind=t.BIND) if term.kind == t.NAME else term
    return term.but(kids=[kid.but(kind=t.BIND) if kid.kind == t.NAME else kid for kid in term.kids])


def _drawn(parts: Parts) -> Parts:
    """Lower `k, v in f()`."""
    late = [(tag, _listed(term)) for tag, term in parts if term.kind == "lua:variable_list"]
    return [*(part for part in parts if part[1].kind != "lua:variable_list"), *late]


def _labelled(parts: Parts) -> Parts:
    """Bind a parameter of Swift only where callers know it by another name."""
    if not any(tag == "external_name" for tag, _ in parts):
        return parts
    kinds = {"external_name": t.FIELD, "name": t.BIND}
    return [(tag, term.but(kind=kinds.get(tag, t.NAME)) if term.kind == t.NAME else term) for tag, term in parts]


_SPECIAL: Final = {
    ("kotlin", "navigation_expression"): _navigation,
    ("kotlin", "value_argument"): _argument,
    ("kotlin", "string_literal"): _template,
    ("kotlin", "multiline_string_literal"): _template,
    ("lua", "field"): _key,
    ("lua", "for_generic_clause"): _drawn,
    ("lua", "variable_declaration"): _local,
    ("swift", "parameter"): _labelled,
}
