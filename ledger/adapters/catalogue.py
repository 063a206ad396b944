"""Every agent that linetrail knows, each by its name and in the order of lists: what its module says of it."""

from collections.abc import Collection

from linetrail.ledger.adapters.adapter import adapter
from linetrail.ledger.adapters.agent import Agent
from linetrail.ledger.agents import AGENTS

CATALOGUE = {name: module.about() for name in AGENTS if (module := adapter(name)) is not None}
# Who is meant where nobody is named.
FIRST = next(iter(CATALOGUE))


def lenders(agent: Agent, among: Collection[str]) -> list[Agent]:
    """Return the agents among these whose hooks this one runs, too, from another file than its own."""
    found = [CATALOGUE[name] for name in agent.borrows if name in among]
    return [lender for lender in found if lender.file != agent.file]
