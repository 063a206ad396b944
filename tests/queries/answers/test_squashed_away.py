"""Lines of agents that were renamed, moved and formatted in commits which a squash made one and gc deleted."""

import pytest

from tests.queries.answers.test_moved_blocks import authors, put, text  # noqa: F401  a fixture is found by its name

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]

PERSON = """\
import decimal

RATE = decimal.Decimal("0.2")


def gross(net):
    tax = net * RATE
    return net + tax
"""
AGENT = """\
def statement(customer, invoices, currency, precision):
    selected = [invoice for invoice in invoices if invoice.customer == customer and invoice.currency == currency]
    total = round(sum(invoice.amount for invoice in selected), precision)
    return {"customer": customer, "currency": currency, "total": total, "invoices": [one.number for one in selected]}
"""
FORMATTED = """\
def statement(
    customer,
    invoices,
    currency,
    precision,
):
    selected = [
        invoice
        for invoice in invoices
        if invoice.customer == customer and invoice.currency == currency
    ]
    total = round(
        sum(invoice.amount for invoice in selected), precision
    )
    return {
        "customer": customer,
        "currency": currency,
        "total": total,
        "invoices": [one.number for one in selected],
    }
"""


START = {"shop.py": PERSON, "prices.py": "import math\n\n\ndef half(price):\n    return price / 2\n"}
OWN = "LIMIT = 1\n\n\n" + FORMATTED


@pytest.fixture
def branch(repo, agent):
    """Return a function that lets an agent write a function on a branch, committed there, beside a person's files."""

    def begin(files=START):
        repo.commit("start", files)
        repo.git("checkout", "--quiet", "-b", "side")
        agent().edit("shop.py", "    return net + tax\n", f"    return net + tax\n\n\n{AGENT}")
        repo.commit("agent")

    return begin


def squashed(repo):
    """Make one commit of the branch, and leave nothing of it in git."""
    repo.git("checkout", "--quiet", "main")
    repo.git("merge", "--quiet", "--squash", "side")
    repo.commit("squash")
    repo.git("branch", "--quiet", "-D", "side")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "--quiet", "--prune=now")


@pytest.mark.parametrize(
    "steps",
    [
        "rename, format, move",
        *(pytest.param(steps, marks=pytest.mark.slow) for steps in ("format", "rename, format", "move, format")),
    ],
)
def test_they_stay_the_agents(repo, branch, authors, steps):  # noqa: F811  the fixture
    branch()
    path = "shop.py"
    for step in steps.split(", "):
        if step == "rename":
            repo.git("mv", "shop.py", "store.py")
            path = "store.py"
        elif step == "format":
            repo.write(path, text(repo, path).replace(AGENT, FORMATTED))
        else:
            block = AGENT if AGENT in text(repo, path) else FORMATTED
            repo.write(path, text(repo, path).replace("\n\n" + block, ""))
            put(repo, "prices.py", block)
            path = "prices.py"
        repo.commit(step)
    squashed(repo)

    first = 3 if path == "prices.py" else 5
    assert authors(path) == ["Author"] * first + ["session-1"] * len(FORMATTED.splitlines())


@pytest.mark.parametrize("written", ["before", "beside"])
def test_what_a_person_wraps_that_way_is_their_own(repo, branch, authors, written):  # noqa: F811  the fixture
    branch({**START, "own.py": OWN} if written == "before" else START)
    if written == "before":
        repo.commit("away", {"shop.py": PERSON})
    else:
        repo.commit("person", {"own.py": OWN})
    squashed(repo)

    assert set(authors("own.py")) == {"Author"}


# what a formatter writes -> what the agent wrote
SPELLED = {
    """\
def transfer(account, amount):
    if amount <= 0:
        raise ValueError("nothing to transfer")
    return account.pay(amount)
""": """\
def transfer(account, amount):
    if amount <= 0: raise ValueError('nothing to transfer')
    return account.pay(amount)
""",
    """\
def figures(invoices, rate):
    total = (
        sum(one.amount for one in invoices) * (rate + 1_000_000) - sum(one.discount for one in invoices)
    )
    names = [
        "alpha",
        "beta",
        "gamma",
    ]
    return total, names
""": """\
def figures(invoices,rate):
    total=sum(one.amount for one in invoices)*(rate+1_000_000)-sum(one.discount for one in invoices)
    names=['alpha','beta','gamma']
    return total,names
""",
    """\
const rates = new Map();
export function rate(country) {
  const found = rates.get(country) ?? 'none';
  return (
    found !== 'none' && found.startsWith('EU') && !found.endsWith('x') && found.length < 10
  );
}
""": """\
const rates = new Map()
export function rate(country) {
  const found = rates.get(country) ?? "none"
  return found !== "none" && found.startsWith("EU") && !found.endsWith("x") && found.length < 10
}
""",
}


@pytest.mark.parametrize("formatted", SPELLED)
def test_what_a_formatter_spells_otherwise_stays_the_agents(repo, agent, authors, formatted):  # noqa: F811  the fixture
    repo.commit("start", START)
    repo.git("checkout", "--quiet", "-b", "side")
    agent().write("draft.txt", SPELLED[formatted])
    repo.commit("agent")
    repo.git("mv", "draft.txt", "lib.txt")
    repo.commit("rename")
    repo.write("lib.txt", formatted)
    repo.commit("format")
    squashed(repo)

    assert set(authors("lib.txt")) == {"session-1"}


def test_what_a_person_spells_otherwise_elsewhere_is_their_own(repo, branch, authors):  # noqa: F811  the fixture
    branch()
    repo.commit("person", {"own.py": OWN.replace('"', "'")})
    squashed(repo)

    assert set(authors("own.py")) == {"Author"}
