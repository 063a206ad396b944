"""What the files of the story hold when they are first written. It is made up, but it runs."""

README = """\
# billing

Invoices for a small shop: what is owed, with which tax, and since when.

    python -m unittest
"""
INVOICE = '''\
"""An invoice and what it adds up to."""

from dataclasses import dataclass, field


@dataclass
class Line:
    """One position of an invoice."""

    name: str
    quantity: int
    price: float

    def amount(self):
        return self.quantity * self.price


@dataclass
class Invoice:
    """What one customer owes for one order."""

    number: str
    country: str = "DE"
    lines: list[Line] = field(default_factory=list)

    def add(self, name, quantity, price):
        self.lines.append(Line(name, quantity, price))

    def total(self):
        return sum(line.amount() for line in self.lines)
'''
INVOICE_TESTS = """\
import unittest

from billing.invoice import Invoice


class InvoiceTest(unittest.TestCase):
    def test_total(self):
        invoice = Invoice("2026-001")
        invoice.add("paper", 3, 0.1)
        self.assertAlmostEqual(invoice.total(), 0.3)


if __name__ == "__main__":
    unittest.main()
"""
INTENTS = """\
# What we are at. Say `linetrail select INT-001` before you start.
active_intents:
  - id: INT-001
    name: Every amount in cents
    status: IN_PROGRESS
    owned_scope:
      - billing/money.py
      - billing/invoice.py
      - tests/**
  - id: INT-002
    name: VAT by country
    status: DRAFT
    owned_scope:
      - billing/tax.py
      - billing/invoice.py
      - tests/**
  - id: INT-003
    name: Export invoices as CSV
    status: DRAFT
    owned_scope:
      - billing/export.py
      - tests/**
  - id: INT-004
    name: Remind late payers
    status: DRAFT
    owned_scope:
      - billing/reminders.py
      - tests/**
  - id: INT-005
    name: Pay by card
    status: BLOCKED   # no contract with a payment provider yet
    owned_scope:
      - billing/card.py
"""
MONEY = '''\
"""Money as whole cents; a float never enters a sum."""

from decimal import ROUND_HALF_EVEN, Decimal

CENT = Decimal("0.01")


def to_cents(amount):
    """Turn a price as people write it ("1.99") into cents."""
    return int(Decimal(str(amount)).quantize(CENT, ROUND_HALF_EVEN) * 100)


def share(cents, percent):
    """Return that many percent of an amount, rounded half even, once."""
    return int((Decimal(cents) * Decimal(str(percent)) / 100).quantize(Decimal(1), ROUND_HALF_EVEN))


def show(cents):
    sign = "-" if cents < 0 else ""
    euros, rest = divmod(abs(cents), 100)
    return f"{sign}{euros}.{rest:02d}"
'''
TAX = '''\
"""Value added tax by country."""

from billing.money import share

# Standard rates in percent.
RATES = {
    "AT": "20",
    "DE": "19",
    "FR": "20",
    "NL": "21",
}


def rate(country):
    """Return the standard rate of a country in percent."""
    try:
        return RATES[country]
    except KeyError:
        raise ValueError(f"no VAT rate for {country}") from None


def tax(cents, country):
    """Return the tax on a net amount, in cents."""
    return share(cents, rate(country))
'''
EXPORT = '''\
"""Invoices as CSV, one line per position."""

import csv
import io

COLUMNS = ["number", "country", "name", "quantity", "price", "amount"]


def rows(invoice):
  for line in invoice.lines:
    yield [
      invoice.number,
      invoice.country,
      line.name,
      line.quantity,
      line.price,
      line.amount(),
    ]


def to_csv(invoices):
  out = io.StringIO()
  writer = csv.writer(out, lineterminator="\\n")
  writer.writerow(COLUMNS)
  for invoice in invoices:
    writer.writerows(rows(invoice))
  return out.getvalue()
'''
REMINDERS = '''\
"""Who has to be reminded, and how firmly."""

from datetime import timedelta

DUE = timedelta(days=14)
STEPS = [
    (timedelta(days=0), "friendly"),
    (timedelta(days=14), "firm"),
    (timedelta(days=28), "final"),
]


def tone(issued, today):
    """Return how to remind today; None while nothing is late."""
    late = today - issued - DUE
    found = None
    for after, name in STEPS:
        if late > after:
            found = name
    return found


def letter(invoice, issued, today):
    """Write the reminder, or nothing while the invoice is not late."""
    how = tone(issued, today)
    if how is None:
        return ""
    return f"Invoice {invoice.number} of {issued:%Y-%m-%d} is late. This is a {how} reminder."
'''
MONEY_TESTS = """\
import unittest

from billing.money import share, show, to_cents


class MoneyTest(unittest.TestCase):
    def test_to_cents(self):
        self.assertEqual(to_cents("1.99"), 199)
        self.assertEqual(to_cents(0.125), 12)

    def test_share_rounds_half_even(self):
        self.assertEqual(share(250, 1), 2)

    def test_show(self):
        self.assertEqual(show(-123456), "-1,234.56")
"""
EXPORT_TESTS = """\
import unittest

from billing.export import to_csv
from billing.invoice import Invoice


class ExportTest(unittest.TestCase):
    def test_one_line_per_position(self):
        invoice = Invoice("2026-002", "AT")
        invoice.add("ink", 2, "9.90")

        text = to_csv([invoice])

        self.assertEqual(text, "number,country,name,quantity,price,amount\\n2026-002,AT,ink,2,990,1980\\n")
"""
REMINDER_TESTS = """\
import unittest
from datetime import date

from billing.reminders import tone


class ToneTest(unittest.TestCase):
    def test_tones(self):
        issued = date(2026, 1, 1)
        self.assertIsNone(tone(issued, date(2026, 1, 14)))
        self.assertEqual(tone(issued, date(2026, 1, 15)), "friendly")
        self.assertEqual(tone(issued, date(2026, 1, 29)), "firm")
        self.assertEqual(tone(issued, date(2026, 2, 14)), "final")
"""
TAX_TESTS = """\
import unittest

from billing.tax import tax


class TaxTest(unittest.TestCase):
    def test_standard_rate(self):
        self.assertEqual(tax(10_000, "DE"), 1_900)
        self.assertEqual(tax(10_000, "NL"), 2_100)

    def test_unknown_country(self):
        with self.assertRaises(ValueError):
            tax(10_000, "XX")
"""
TRANSFER = '''\
"""Pay by bank transfer: the text of the code that banking apps scan (EPC069-12)."""

LIMIT = 140


def amount(cents):
    """Write an amount as banks read it."""
    euros, rest = divmod(cents, 100)
    return f"EUR{euros}.{rest}"


def purpose(invoice):
    """Return what the customer's bank statement will say."""
    return f"Invoice {invoice.number}"[:LIMIT]


def code(invoice, iban, name):
    """Return the text of the code, a line for each field."""
    fields = [
        "BCD",
        "002",
        "1",
        "SCT",
        "",
        name,
        iban,
        amount(invoice.gross()),
    ]
    return "\\n".join([*fields, "", "", purpose(invoice)])
'''
TRANSFER_TESTS = """\
import unittest

from billing.invoice import Invoice
from billing.transfer import code


class TransferTest(unittest.TestCase):
    def test_code(self):
        invoice = Invoice("2026-003", "DE")
        invoice.add("desk", 1, "100")

        lines = code(invoice, "DE02120300000000202051", "Shop").splitlines()

        self.assertEqual(lines[7], "EUR119.00")
"""
