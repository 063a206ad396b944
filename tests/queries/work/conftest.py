"""A shop with intents, for several agents to work on."""

import json
from pathlib import Path

import pytest

from tests.conftest import ClaudeCode, Repo

FILES = {
    "src/cart/total.py": "def total(items):\n    return sum(items)\n",
    "src/cart/items.py": "def items():\n    return []\n",
    "src/pay/card.py": "def charge(amount):\n    return amount\n",
    "tests/test_total.py": "from src.cart.total import total\n",
}
INTENTS = """\
active_intents:
  - {id: INT-001, name: Totals, status: IN_PROGRESS, owned_scope: ["src/cart/**"]}
  - {id: INT-002, name: Payment, status: DRAFT, owned_scope: ["src/pay/**"]}
  - {id: INT-003, name: Rounding, status: DRAFT, owned_scope: ["src/**/*.py"]}
  - {id: INT-004, name: Report, status: DRAFT, owned_scope: ["tests/**"], dependencies: [INT-002]}
"""


@pytest.fixture
def shop(repo, cli):
    """Return a repository with a ledger and four intents, all of it committed."""
    repo.commit(files=FILES)
    assert cli("init", "--agent", "none").status == 0
    repo.commit(files={".orchestration/active_intents.yaml": INTENTS})
    return repo


class Worktree(Repo):
    """A worktree that is there."""

    def __init__(self, path, now):
        self.path, self.now = Path(path), now


@pytest.fixture
def started(shop, cli):
    """Return a function that begins the work for an intent, and returns its worktree with a session in it."""

    def start(intent_id, *words):
        answer = cli("start", intent_id, "--json", *words)
        assert answer.status == 0, answer.err
        made = Worktree(answer.rows[0]["worktree"], shop.now)
        return made, ClaudeCode(made, f"session-{intent_id}", "claude-model-x")

    return start


@pytest.fixture
def returned(started, cli):
    """Return a function that lets an agent write a file for an intent, and gives that back."""

    def give(intent_id, path, content):
        made, agent = started(intent_id)
        agent.write(path, content)
        answer = cli("give-back", intent_id, "--json")
        return made, answer

    return give


@pytest.fixture
def states(cli):
    """Return a function that tells the state of each work."""
    return lambda: {row["intent_id"]: row["state"] for row in json.loads(cli("workers", "--json").out)["rows"]}
