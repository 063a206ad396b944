"""Rules of JavaScript and TypeScript."""

from typing import Final

from linetrail.projections.proof.rules import Rule
from linetrail.projections.proof.rules.ecmascript import calls as ecmascript_calls
from linetrail.projections.proof.rules.ecmascript import chains as ecmascript_chains
from linetrail.projections.proof.rules.ecmascript import declarations as ecmascript_declarations
from linetrail.projections.proof.rules.ecmascript import functions as ecmascript_functions
from linetrail.projections.proof.rules.ecmascript import loops as ecmascript_loops
from linetrail.projections.proof.rules.ecmascript import text as ecmascript_text
from linetrail.projections.proof.rules.ecmascript import types as ecmascript_types
from linetrail.projections.proof.rules.ecmascript import values as ecmascript_values

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
