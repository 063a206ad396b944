"""Every rule, in the order in which they are tried."""

from typing import Final

from linetrail.projections.proof.rules import Rule, flow, logic

RULES: Final[tuple[Rule, ...]] = (*logic.RULES, *flow.RULES)
