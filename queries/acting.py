"""Say who works at this command line: the agent in whose shell it runs, or a person."""

from linetrail.ledger import selection
from linetrail.ledger.event import Agent
from linetrail.ledger.intent_changes import Author
from linetrail.ledger.recent import agent_of
from linetrail.ledger.repository import Repository


def author(repository: Repository) -> Author:
    """Return who acts: an agent as the hooks of its session named it, else as the variables of its shell do."""
    shell = selection.shell()
    if shell is None:
        return Author("human")
    known = shell.session_id and agent_of(repository, shell.session_id)
    return Author("ai", known or Agent(shell.agent), shell.session_id)
