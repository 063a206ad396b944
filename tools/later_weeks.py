"""Two more weeks: a second agent, a gate that refuses, an answer of a person to each request, a squash, a refactoring.

Every function is one day, in order.
"""

from codex_session import codex_session
from stage import Session, Stage
from texts import TRANSFER, TRANSFER_TESTS

FIRST, SECOND = "claude-sonnet-4-5", "claude-opus-4-5"
TRANSFERS = "billing/transfer.py"
GATE = """\
enforce: block
codes:
  OUT_OF_SCOPE: ask
  DANGEROUS_COMMAND: ask
"""
FAILED = 'FAIL: test_code\nAssertionError: "EUR119.0" != "EUR119.00"\n'
TOTAL_TESTS = """
    def test_total_of_nothing(self):
        self.assertEqual(Invoice("2026-004").total(), 0)
"""


def tell(stage: Stage) -> None:
    """Live through the two weeks."""
    for day in (_monday, _tuesday, _wednesday, _thursday, _friday):
        day(stage)
    for day in (_second_monday, _second_tuesday, _second_wednesday, _second_thursday, _second_friday):
        day(stage)


def _monday(stage: Stage) -> None:
    """Turn the gate on, and let the second agent begin; one file it is refused, another it is given."""
    stage.at(19, 9)
    stage.commit("start with reduced rates")
    stage.linetrail(
        *("intents", "add", "INT-006", "--name", "Pay by bank transfer", "--status", "IN_PROGRESS"),
        *("--scope", TRANSFERS, "--scope", "tests/**"),
    )
    stage.write(
        ".orchestration/config.local.yaml", "enforce: block\ncodes:\n  OUT_OF_SCOPE: ask\n  DANGEROUS_COMMAND: ask\n"
    )
    stage.at(19, 10)
    agent = codex_session(stage, "transfer")
    agent.prompt("Customers want to pay by bank transfer: the text of the code that banking apps scan, for an invoice.")
    agent.select("INT-006")
    agent.write(TRANSFERS, TRANSFER)
    agent.decide(
        "Make the text of the code, and no picture of it",
        "The shop's printer draws codes itself.",
        {
            "a service that draws it": "would see every invoice",
            "a library that draws it": "the first dependency of this package, for something the printer can do",
        },
        lines=TRANSFERS,
        intent_id="INT-006",
    )
    total = "        return self.total() + tax(self.total(), self.country)\n"
    for _ in range(3):
        agent.change("billing/invoice.py", total, f"{total}\n    def code(self):\n        return code(self)\n")
    stage.answer("reject", "--reason", "an invoice does not know how it is paid; keep it in transfer.py")
    cents = "Amounts are whole cents everywhere.\n"
    agent.change("README.md", cents, f"{cents}\nCodes.\n")
    stage.answer("approve", "--scope", "--reason", "a sentence in the README belongs to it")
    agent.change("README.md", cents, f"{cents}\nCodes of `billing/transfer.py` follow EPC069-12.\n")
    agent.write("tests/test_transfer.py", TRANSFER_TESTS)
    for _ in range(3):
        agent.tests(FAILED, exit_code=1)
    agent.change(TRANSFERS, '    return f"EUR{euros}.{rest}"', '    return f"EUR{euros}.{rest:02d}"')
    agent.tests("OK\n")
    agent.stop()
    stage.commit("pay by bank transfer")


def _tuesday(stage: Stage) -> None:
    """Rewrite by hand what the agent named, and change a proposal before accepting it."""
    stage.at(20, 9)
    stage.edit(TRANSFERS, 'return f"Invoice {invoice.number}"[:LIMIT]', 'return f"{invoice.number} {name}"[:LIMIT]')
    stage.edit(TRANSFERS, "def purpose(invoice):", "def purpose(invoice, name):")
    stage.edit(TRANSFERS, "purpose(invoice)]", "purpose(invoice, name)]")
    stage.at(20, 9, 30)
    agent = stage.session("transfer-review", SECOND)
    agent.prompt("I put the name into the purpose. Check the IBAN before it is printed, by its check digits.")
    agent.select("INT-006")
    agent.read(TRANSFERS)
    checked = "\n\ndef is_iban(text):\n    return _number(text) % 97 == 1\n\n\ndef purpose("
    agent.edit(
        TRANSFERS,
        "\n\ndef purpose(",
        checked,
        person_made_it=checked.replace("(text):\n", '(text):\n    """Return whether the check digits are right."""\n'),
    )
    digits = '\n\ndef _number(text):\n    return int("".join(str(int(sign, 36)) for sign in text[4:] + text[:4]))\n'
    agent.fail_tests("NameError: name '_number' is not defined\n\nFAILED (errors=1)\n")
    agent.edit(TRANSFERS, "\n\ndef is_iban", f"{digits}\n\ndef is_iban")
    written = '    return f"EUR{euros}.{rest:02d}"\n'
    proposed = '    return f"EUR{euros}." + f"{rest:02d}"\n'
    agent.edit(TRANSFERS, written, proposed, person_made_it='    return "EUR{:d}.{:02d}".format(euros, rest)\n')
    agent.look("python -m unittest", "Run the tests", "Ran 9 tests\n\nOK\n")
    agent.stop()
    stage.commit("check the IBAN before it is printed")


def _wednesday(stage: Stage) -> None:
    """Let both agents work on one file at the same time: the one that has not seen the other's change is refused."""
    stage.at(21, 13)
    other = stage.session("reference", FIRST)
    other.prompt("Some banks want a structured reference (ISO 11649) in place of the purpose. Offer both.")
    other.select("INT-006")
    other.read(TRANSFERS)
    agent = codex_session(stage, "amounts")
    agent.prompt("Amounts above 999,999,999.99 are refused by every bank. Raise for those.")
    agent.select("INT-006")
    agent.read(TRANSFERS)
    limit = '    if cents > 99_999_999_999:\n        raise ValueError(f"{cents} is more than banks transfer at once")\n'
    parted = "    euros, rest = divmod(cents, 100)\n"
    agent.change(TRANSFERS, parted, limit + parted)
    reference = (
        "def reference(invoice):\n"
        '    """Return the invoice\'s number as a creditor reference, RF and two check digits before it."""\n'
        '    plain = invoice.number.replace("-", "")\n'
        "    return f\"RF{98 - _number(f'RF00{plain}') % 97:02d}{plain}\"\n"
    )
    before = "def purpose(invoice, name):\n"
    other.edit(TRANSFERS, before, f"{reference}\n\n{before}")
    other.read(TRANSFERS)
    other.edit(TRANSFERS, before, f"{reference}\n\n{before}")
    stage.at(21, 13, 40)
    agent.read(TRANSFERS)
    agent.change(TRANSFERS, limit, limit.replace("at once", "at a time"))
    agent.tests("OK\n")
    other.read(TRANSFERS)
    other.edit(TRANSFERS, "RF and two check digits before it.", "RF and two check digits in front.")
    agent.stop()
    other.look("python -m unittest", "Run the tests", "Ran 9 tests\n\nOK\n")
    other.decide(
        "Both references in one module",
        "A bank takes either, and the customer's country says which.",
        {"a class for each": "two lines of code in two files"},
        lines=TRANSFERS,
        intent_id="INT-006",
    )
    other.stop()
    stage.commit("offer a structured reference, refuse what no bank transfers")


def _thursday(stage: Stage) -> None:
    """Let a person answer what cannot be undone: no to one command, later to another, yes to a third."""
    stage.at(22, 11)
    agent = codex_session(stage, "tidy")
    agent.prompt("Tidy up: what is built, what is cached, and the history of the branch.")
    agent.select("INT-006")
    for command, answer in {
        "git push --force origin main": ("reject", "--reason", "others have that history already"),
        "git reset --hard HEAD~3": ("reject", "--reason", "three commits of two people"),
        "rm -rf build dist": ("approve", "--reason", "both are made again in a minute"),
    }.items():
        agent.look(command, "", "")
        stage.answer(*answer)
        agent.look(command, "", "")
    agent.stop()
    stage.learn("Nobody rewrites the history of main; commit a correction instead.", ".")


def _friday(stage: Stage) -> None:
    """Let an agent commit twice on a branch, and squash both by hand into one."""
    stage.at(23, 10)
    stage.git("switch", "--quiet", "--create", "countries")
    agent = codex_session(stage, "countries")
    agent.prompt("Only countries of SEPA can be paid so. Refuse the others, with a test.")
    agent.select("INT-006")
    agent.read(TRANSFERS)
    places = 'SEPA = frozenset("AT BE DE ES FR IT LU NL".split())\n'
    agent.change(TRANSFERS, "LIMIT = 140\n", f"LIMIT = 140\n{places}")
    stage.commit("say which countries take part")
    checks = (
        '    if not is_iban(iban) or iban[:2] not in SEPA:\n        raise ValueError(f"no account in SEPA: {iban}")\n'
    )
    agent.change(TRANSFERS, "    fields = [\n", f"{checks}    fields = [\n")
    agent.tests("OK\n")
    agent.stop()
    stage.commit("refuse accounts elsewhere")
    stage.git("switch", "--quiet", "main")
    stage.git("merge", "--quiet", "--squash", "countries")
    stage.commit("transfer within SEPA only")
    stage.git("branch", "--quiet", "--delete", "--force", "countries")


def _second_monday(stage: Stage) -> None:
    """Refactor twice: one commit is proved to be one, the other changes what a letter says."""
    stage.at(26, 9, 30)
    agent = stage.session("tones", FIRST)
    agent.prompt("Refactor tone(): `found` says nothing. No change of behaviour.")
    agent.select("INT-004")
    agent.read("billing/reminders.py")
    agent.bash("sed -i 's/\\bfound\\b/chosen/g' billing/reminders.py", "Rename found to chosen")
    agent.look("python -m unittest", "Run the tests", "Ran 9 tests\n\nOK\n")
    agent.stop(reason=None)
    stage.commit("refactor: say what tone() chooses")
    agent.prompt("And simplify letter().")
    agent.edit(
        "billing/reminders.py",
        '    if how is None:\n        return ""\n    return f"Invoice',
        '    return how and f"Invoice',
    )
    agent.decide(
        "letter() returns what tone() says",
        "One line fewer; callers only ask whether there is a letter.",
        {"leave it": "an empty text and None mean the same to every caller"},
        lines="billing/reminders.py",
        intent_id="INT-004",
    )
    agent.stop()
    stage.commit("refactor: simplify letter()")


def _second_tuesday(stage: Stage) -> None:
    """Repair by hand what was no refactoring; let a subagent write the test that was missing."""
    stage.at(27, 10)
    stage.edit("billing/reminders.py", "    return how and", '    if how is None:\n        return ""\n    return')
    agent = stage.session("letters", SECOND)
    agent.prompt("letter() returned None for a day. I repaired it; test what it returns when nothing is late.")
    agent.select("INT-004")
    agent.read("tests/test_reminders.py")
    agent.subagent("test-writer", lambda: _test_letters(agent))
    agent.stop()
    stage.linetrail("classify", "--record")
    stage.linetrail("intents", "done", "INT-004", "--notes", "three steps, tested")
    stage.commit("write a letter only where something is late")


def _test_letters(agent: Session) -> None:
    agent.edit(
        "tests/test_reminders.py",
        "from billing.reminders import tone\n",
        "from billing.reminders import letter, tone\n",
    )
    agent.edit(
        "tests/test_reminders.py",
        '        self.assertEqual(tone(issued, date(2026, 2, 14)), "final")\n',
        '        self.assertEqual(tone(issued, date(2026, 2, 14)), "final")\n\n'
        "    def test_no_letter_before_it_is_late(self):\n"
        '        self.assertEqual(letter(None, date(2026, 1, 1), date(2026, 1, 2)), "")\n',
    )


def _second_wednesday(stage: Stage) -> None:
    """Let an agent go on although it was refused, as one whose hooks come too late does."""
    stage.at(28, 15)
    agent = codex_session(stage, "totals")
    agent.prompt("Test that an invoice without lines adds up to nothing.")
    agent.select("INT-006")
    agent.read("tests/test_invoice.py")
    end = "        self.assertEqual(invoice.total(), 30)\n"
    agent.change("tests/test_invoice.py", end, end + TOTAL_TESTS)
    agent.change("billing/__init__.py", "", '"""Invoices for a small shop."""\n', heeds_the_gate=False)
    agent.tests("OK\n")
    agent.stop()
    stage.commit("test an invoice without lines")


def _second_thursday(stage: Stage) -> None:
    """Finish the transfer: a person shortens it, the classes are recorded."""
    stage.at(29, 9)
    stage.edit(TRANSFERS, "LIMIT = 140\n", "LIMIT = 140  # signs\n")
    stage.linetrail("classify", "--record")
    stage.linetrail("intents", "done", "INT-006", "--notes", "scanned with two banking apps")
    stage.commit("finish the transfer")


def _second_friday(stage: Stage) -> None:
    """Leave the newest change uncommitted, where `linetrail status` finds it."""
    stage.at(30, 15)
    agent = stage.session("reduced-rate-2", FIRST)
    agent.prompt("Go on with the reduced rates: look one up, and fall back to the standard rate.")
    agent.select("INT-002")
    agent.read("billing/vat.py")
    end = "    return share(cents, rate(country))\n"
    agent.edit(
        "billing/vat.py", end, f"{end}\n\ndef reduced(country):\n    return REDUCED.get(country, RATES[country])\n"
    )
    agent.stop(reason=None)
