"""Two weeks of a small billing package: five intents, two models, a person who corrects, moves and re-indents.

Every function is one day, in order.
"""

from stage import Stage
from texts import (
    EXPORT,
    EXPORT_TESTS,
    INTENTS,
    INVOICE,
    INVOICE_TESTS,
    MONEY,
    MONEY_TESTS,
    README,
    REMINDER_TESTS,
    REMINDERS,
    TAX,
    TAX_TESTS,
)

FIRST, SECOND = "claude-sonnet-4-5", "claude-opus-4-5"

PASSED = "Ran {} tests\n\nOK\n"


def tell(stage: Stage) -> None:
    """Live through the two weeks."""
    first_week = (_monday, _tuesday, _thursday, _friday)
    second_week = (_second_monday, _second_tuesday, _second_thursday, _second_friday)
    for day in (*first_week, *second_week):
        day(stage)


def _monday(stage: Stage) -> None:
    """Start by hand, then let the first agent turn floats into cents."""
    stage.write("README.md", README)
    stage.write("billing/__init__.py", "")
    stage.write("billing/invoice.py", INVOICE)
    stage.write("tests/__init__.py", "")
    stage.write("tests/test_invoice.py", INVOICE_TESTS)
    stage.commit("start with invoices and their total")
    stage.write(".orchestration/active_intents.yaml", INTENTS)
    stage.commit("say what we are going to do")
    stage.at(5, 10)
    agent = stage.session("cents", FIRST)
    agent.prompt("Totals are floats and 0.1 + 0.2 shows. Use whole cents everywhere; round half even, and only once.")
    agent.select("INT-001")
    agent.write("billing/money.py", MONEY)
    agent.decide(
        "Round half to even, once, where an amount is read",
        "What is added up later is whole cents, so no error grows.",
        {
            "Decimal everywhere": "every caller would have to know about contexts",
            "round when printing": "totals would differ from the sum of what is printed",
        },
        lines="billing/money.py",
        intent_id="INT-001",
    )
    agent.edit("billing/invoice.py", "    price: float\n", "    price: int  # cents\n")
    agent.edit("billing/invoice.py", "Line(name, quantity, price)", "Line(name, quantity, to_cents(price))")
    agent.edit(
        "billing/invoice.py",
        "from dataclasses import dataclass, field\n",
        "from dataclasses import dataclass, field\n\nfrom billing.money import to_cents\n",
    )
    agent.edit("tests/test_invoice.py", "assertAlmostEqual(invoice.total(), 0.3)", "assertEqual(invoice.total(), 30)")
    agent.look("python -m unittest", "Run the tests", PASSED.format(1))
    agent.bash("git add --all && git commit --quiet --message 'count in whole cents'", "Commit")
    agent.stop()


def _tuesday(stage: Stage) -> None:
    """Correct the agent by hand, before anybody asks it for more."""
    stage.at(6, 9, 20)
    show = "def show(cents):\n"
    stage.edit("billing/money.py", show, f'{show}    """Write cents as people read them."""\n')
    stage.edit("billing/money.py", '    return f"{sign}{euros}.{rest:02d}"', '    return f"{sign}{euros:,}.{rest:02d}"')
    stage.at(6, 9, 40)
    agent = stage.session("cents-again", FIRST)
    agent.prompt("Add tests for money.py. I changed show() to group thousands.")
    agent.select("INT-001")
    agent.fail("billing/money.py", 'return f"{sign}{euros}.{rest:02d}"', 'return f"{sign}{euros:_}.{rest:02d}"')
    agent.write("tests/test_money.py", MONEY_TESTS)
    agent.look("python -m unittest", "Run the tests", PASSED.format(4))
    agent.denied("git push origin main", "not before somebody has looked at it")
    agent.stop()
    stage.at(6, 10, 30)
    stage.edit(".orchestration/active_intents.yaml", "cents\n    status: IN_PROGRESS", "cents\n    status: DONE")
    stage.edit(".orchestration/active_intents.yaml", "country\n    status: DRAFT", "country\n    status: IN_PROGRESS")
    stage.commit("test money, group thousands")


def _thursday(stage: Stage) -> None:
    """Let the other model add the tax; the person turns one of its proposals into something else."""
    stage.at(8, 14)
    agent = stage.session("vat", SECOND)
    agent.prompt("Customers in Austria, France and the Netherlands: add VAT by country and a gross total.")
    agent.select("INT-002")
    agent.write("billing/tax.py", TAX)
    gross = "\n    def gross(self):\n        return self.total() + tax(self.total(), self.country)\n"
    agent.edit(
        "billing/invoice.py",
        "        return sum(line.amount() for line in self.lines)\n",
        "        return sum(line.amount() for line in self.lines)\n" + gross,
        person_made_it="        return sum(line.amount() for line in self.lines)\n"
        + gross.replace("gross(self):\n", 'gross(self):\n        """Return the total with tax."""\n'),
    )
    agent.edit(
        "billing/invoice.py",
        "from billing.money import to_cents\n",
        "from billing.money import to_cents\nfrom billing.tax import tax\n",
    )
    agent.subagent("test-writer", lambda: agent.write("tests/test_tax.py", TAX_TESTS))
    agent.look("python -m unittest", "Run the tests", PASSED.format(6))
    agent.bash("git add --all && git commit --quiet --message 'add VAT by country'", "Commit")
    agent.stop()


def _friday(stage: Stage) -> None:
    """Rename a file and a word by hand, and commit both."""
    stage.at(9, 11)
    stage.git("mv", "billing/tax.py", "billing/vat.py")
    for path in ("billing/invoice.py", "tests/test_tax.py"):
        stage.edit(path, "from billing.tax import", "from billing.vat import")
    stage.git("mv", "tests/test_tax.py", "tests/test_vat.py")
    stage.edit(".orchestration/active_intents.yaml", "billing/tax.py", "billing/vat.py")
    stage.edit("billing/vat.py", '    "NL": "21",\n', '    "LU": "17",\n    "NL": "21",\n')
    stage.commit("call it what the tax office calls it")


def _second_monday(stage: Stage) -> None:
    """Let the first model write the export, and use sed across files."""
    stage.at(12, 9, 30)
    stage.edit(".orchestration/active_intents.yaml", "CSV\n    status: DRAFT", "CSV\n    status: IN_PROGRESS")
    agent = stage.session("csv", FIRST)
    agent.prompt("The bookkeeper wants invoices as CSV, one line per position, amounts in cents.")
    agent.select("INT-003")
    agent.write("billing/export.py", EXPORT)
    agent.decide(
        "Amounts in the export are whole cents",
        "The bookkeeper's program reads integers, and a comma means something else in every country.",
        {"euros with a comma": "breaks the file where fields are separated by commas"},
        lines="billing/export.py",
        intent_id="INT-003",
    )
    agent.write("tests/test_export.py", EXPORT_TESTS)
    agent.prompt("price is ambiguous now. Rename it to unit_price in the package, not in the tests.")
    agent.bash("sed -i 's/\\bprice\\b/unit_price/g' billing/invoice.py billing/export.py", "Rename price to unit_price")
    agent.decide(
        "Call it unit_price everywhere",
        "A line has an amount, too, and price did not say of how many.",
        {"keep price as an alias": "two names for one thing"},
        lines="billing/invoice.py:30",
        intent_id="INT-003",
    )
    agent.edit("tests/test_export.py", "quantity,price,amount", "quantity,unit_price,amount")
    agent.look("python -m unittest", "Run the tests", PASSED.format(7))
    agent.bash("git add --all && git commit --quiet --message 'export invoices as CSV'", "Commit")
    agent.stop()


def _second_tuesday(stage: Stage) -> None:
    """Re-indent a file by hand: nobody's authorship changes."""
    stage.at(13, 16)
    text = stage.text("billing/export.py") or ""
    stage.write("billing/export.py", "".join(_indented(line) for line in text.splitlines(keepends=True)))
    stage.write("README.md", f"{README}\nAmounts are whole cents everywhere.\n")
    stage.commit("indent by four, say that amounts are cents")


def _second_thursday(stage: Stage) -> None:
    """Let the other model write reminders, without an intent at first."""
    stage.at(15, 10)
    stage.edit(".orchestration/active_intents.yaml", "payers\n    status: DRAFT", "payers\n    status: IN_PROGRESS")
    agent = stage.session("reminders", SECOND)
    agent.prompt("What would reminders for late payers look like here?")
    agent.look("git log --oneline", "See what was done lately", "call it what the tax office calls it\n")
    agent.prompt("Good. Three steps, two weeks apart, in a module of its own.")
    agent.select("INT-004")
    agent.write("billing/reminders.py", REMINDERS)
    agent.stop(reason=None)
    stage.at(15, 10, 25)
    stage.edit("billing/reminders.py", '(timedelta(days=28), "final")', '(timedelta(days=30), "final")')
    agent.prompt("I moved the last step to 30 days. Test the tones.")
    agent.write("tests/test_reminders.py", REMINDER_TESTS)
    agent.edit("billing/reminders.py", "        if late > after:\n", "        if late >= after:\n")
    agent.look("python -m unittest", "Run the tests", PASSED.format(8))
    agent.stop()
    stage.learn("Run `python -m unittest` from the root; the package is not installed.", "tests/")
    stage.learn("A column that the bookkeeper reads is never renamed without asking.", "billing/export.py", "INT-003")
    stage.at(15, 11)
    stage.commit("remind late payers in three steps")


def _second_friday(stage: Stage) -> None:
    """Leave the newest change uncommitted, where `linetrail status` finds it."""
    stage.at(16, 15)
    agent = stage.session("reduced-rate", FIRST)
    agent.prompt("Books have a reduced rate in Germany. Start with the table.")
    agent.select("INT-002")
    agent.edit(
        "billing/vat.py",
        "\n\ndef rate(country):\n",
        '\n# Reduced rates: books, food.\nREDUCED = {\n    "DE": "7",\n    "FR": "5.5",\n}\n\n\ndef rate(country):\n',
    )
    agent.stop(reason=None)


def _indented(line: str) -> str:
    body = line.lstrip(" ")
    return " " * 2 * (len(line) - len(body)) + body
