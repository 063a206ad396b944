"""A shop with intents, for several agents to work on."""

import pytest

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
