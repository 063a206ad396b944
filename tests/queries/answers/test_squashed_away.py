"""Lines of agents that were renamed, moved and formatted in commits which a squash made one and gc deleted."""

import pytest

from tests.queries.answers.test_moved_blocks import authors, put, text  # noqa: F401  a fixture is found by its name

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


@pytest.mark.slow
@pytest.mark.parametrize("written", ["before", "beside"])
def test_what_a_person_wraps_that_way_is_their_own(repo, branch, authors, written):  # noqa: F811  the fixture
    branch({**START, "own.py": OWN} if written == "before" else START)
    if written == "before":
        repo.commit("away", {"shop.py": PERSON})
    else:
        repo.commit("person", {"own.py": OWN})
    squashed(repo)

    assert set(authors("own.py")) == {"Author"}
