"""Rules of JavaScript and TypeScript."""

from typing import Final

from linetrail.projections.proof.rules import (
    Rule,
    ecmascript_calls,
    ecmascript_chains,
    ecmascript_declarations,
    ecmascript_functions,
    ecmascript_loops,
    ecmascript_text,
    ecmascript_types,
    ecmascript_values,
)

RULES: Final[tuple[Rule, ...]] = (
    *ecmascript_functions.RULES,
    *ecmascript_declarations.RULES,
    *ecmascript_loops.RULES,
    *ecmascript_text.RULES,
    *ecmascript_types.RULES,
    *ecmascript_values.RULES,
    *ecmascript_calls.RULES,
    *ecmascript_chains.RULES,
)
