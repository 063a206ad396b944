"""Every rule of a language, in the order in which they are tried."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final

from linetrail.projections.proof.rules import Rule, curly, flow, go, logic
from linetrail.projections.proof.rules.ecmascript import chains as ecmascript_chains
from linetrail.projections.proof.rules.ecmascript import declarations as ecmascript_declarations
from linetrail.projections.proof.rules.ecmascript import meaning as ecmascript_meaning
from linetrail.projections.proof.rules.ecmascript import values as ecmascript_values
from linetrail.projections.proof.rules.patterns import patterns, table
from linetrail.projections.proof.rules.python import calls as python_calls
from linetrail.projections.proof.rules.python import collections as python_collections
from linetrail.projections.proof.rules.python import meaning as python_meaning
from linetrail.projections.proof.rules.python import names as python_names
from linetrail.projections.proof.rules.python import statements as python_statements
from linetrail.projections.proof.rules.python import text as python_text
from linetrail.projections.proof.rules.rust import rust


def _python() -> Sequence[Rule]:
    return (
        *python_names.RULES,
        *python_text.RULES,
        *python_collections.RULES,
        *patterns("python", table("python/python"), python_meaning.meaning),
        *python_calls.RULES,
        *python_statements.RULES,
    )


def _ecmascript() -> Sequence[Rule]:
    return (
        *ecmascript_declarations.RULES,
        *ecmascript_values.RULES,
        *patterns("ecmascript", table("ecmascript/ecmascript"), ecmascript_meaning.path),
        *ecmascript_chains.RULES,
    )


_OWN: Final[Mapping[str, Callable[[], Sequence[Rule]]]] = {
    "python": _python,
    "ecmascript": _ecmascript,
    "go": lambda: (*go.RULES, *patterns("go", table("go"), go.meaning)),
    "rust": lambda: (*rust.RULES, *patterns("rust", table("rust/rust"), lambda _term: "")),
}


@cache
def rules(dialect: str) -> Mapping[str, Sequence[Rule]]:
    """Return the rules of a dialect by the kind of term that they look at."""
    found: dict[str, list[Rule]] = {}
    own = _OWN.get(dialect, tuple)()
    for rule in (*logic.RULES, *flow.RULES, *python_text.TEMPLATES, *curly.RULES, *own):
        if not rule.dialects or dialect in rule.dialects:
            for kind in rule.kinds:
                found.setdefault(kind, []).append(rule)
    return found
