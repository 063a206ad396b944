"""Rules of names and types: what Python spells in several ways, or moved to another module, goes by one name."""

import tomllib
from collections.abc import Iterable
from importlib import resources
from typing import Final

from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.python.meaning import NONE_LITERAL, is_none, literal, meaning, name, operands
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term, same

PYTHON: Final = frozenset(("python",))
# Generic types -> how many of their parameters come before those that are None unless something is said.
_OPTIONAL_FROM: Final = {"collections.abc.Generator": 1, "collections.abc.AsyncGenerator": 1}


def _union(term: Term, _place: Place) -> Term | None:
    """Turn Optional[A] into A | None, and Union[A, B] into A | B."""
    if len(term.kids) != 2:
        return None
    known, given = meaning(term.kids[0]), term.kids[1]
    if known == "typing.Optional":
        parts = [*operands(given, "|"), literal(*NONE_LITERAL, given)]
    elif known == "typing.Union":
        parts = [one for kid in (given.kids if given.kind == t.TUPLE else (given,)) for one in operands(kid, "|")]
    else:
        return None
    kept: list[Term] = []
    for part in parts:
        if not any(same(part, other) for other in kept):
            kept.append(part)
    made = kept[0]
    for part in kept[1:]:
        made = Term(t.BINARY, "|", [made, part], line=term.line, start=term.start, end=term.end)
    return made


def _needless_parameters(term: Term, _place: Place) -> Term | None:
    """Turn Generator[A, None, None] into Generator[A]."""
    if len(term.kids) != 2 or term.kids[1].kind != t.TUPLE:
        return None
    first = _OPTIONAL_FROM.get(meaning(term.kids[0]))
    given = term.kids[1].kids
    if first is None or len(given) <= first or not all(map(is_none, given[first:])):
        return None
    return term.but(kids=[term.kids[0], given[0]])


_TABLE: Final = tomllib.loads((resources.files(__package__) / "names.toml").read_text(encoding="utf-8"))
_ABSTRACT: Final = _TABLE["abstract"].split()
_ALIASES: Final[dict[str, str]] = {
    **{f"{module}.{name}": f"collections.abc.{name}" for module in ("typing", "collections") for name in _ABSTRACT},
    **_TABLE["names"],
}
# Names without a module that are aliases, and the only ones that nothing has to import.
_BARE: Final = frozenset(alias for alias in _ALIASES if alias.endswith("Error") and "." not in alias)
# Modules whose every name goes by the module that it is imported from.
_WHOLE: Final = ("typing.", "unittest.mock", "xml.etree.ElementTree", "operator.", "os.", "pathlib.", "shlex.")
_KNOWN: Final = _ALIASES.keys() | set(_ALIASES.values())


def _one_name(term: Term, _place: Place) -> Term | None:
    """Turn typing.List into list, IOError into OSError, re.I into re.IGNORECASE."""
    if term.kind == t.NAME and isinstance(term.value, str) and term.value not in _BARE:
        return None
    written = meaning(term)
    if not written:
        return None
    known = _relocated(written)
    if known in _TABLE["constants"]:
        return literal("str", _TABLE["constants"][known], term)
    if known != written or known in _KNOWN or known.startswith(_WHOLE):
        return name(_ALIASES.get(known, known), term)
    return None


def _relocated(known: str) -> str:
    for module, now in _TABLE["modules"].items():
        if known.startswith(module) and known[len(module) : len(module) + 1] in ("", "."):
            return f"{now}{known[len(module) :]}".lstrip(".")
    return known


def _one_method(term: Term, _place: Place) -> Term | None:
    """Turn self.assertEquals into self.assertEqual."""
    holder, field = term.kids
    known = _TABLE["methods"].get(str(field.value))
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
    Rule("union of types", (t.INDEX,), _union, PYTHON),
    Rule("type parameters that are the default", (t.INDEX,), _needless_parameters, PYTHON),
)
