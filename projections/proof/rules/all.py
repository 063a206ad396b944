"""Every rule, in the order in which they are tried."""

from typing import Final

from linetrail.projections.proof.rules import (
    Rule,
    ecmascript,
    flow,
    lengths,
    logic,
    python_calls,
    python_collections,
    python_names,
    python_statements,
    python_text,
    python_types,
)

RULES: Final[tuple[Rule, ...]] = (
    *logic.RULES,
    *lengths.RULES,
    *flow.RULES,
    *python_names.RULES,
    *python_text.RULES,
    *python_collections.RULES,
    *python_calls.RULES,
    *python_types.RULES,
    *python_statements.RULES,
    *ecmascript.RULES,
)
