"""Tables become text that says the same and does nothing else."""

import csv
import io
import json
import re
from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.projections.tables.table import Table
from linetrail.queries.render.text import columns, comma_separated, document, json_lines, plain, text_table

anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
STEERING = "\x1b[2J\x9b31m\u202eevil\u2066\u2028"


@given(st.lists(st.lists(anything, min_size=2, max_size=2), max_size=3))
def test_json_gives_every_text_back(rows):
    table = Table(("a", "b"), [tuple(row) for row in rows])

    assert json.loads(document(table, {}))["rows"] == [dict(zip("ab", row, strict=True)) for row in rows]
    assert [json.loads(line) for line in json_lines(table).splitlines()] == json.loads(document(table, {}))["rows"]


@pytest.mark.parametrize(
    "form", [text_table, comma_separated, json_lines, lambda table: document(table, {"q": STEERING})]
)
@given(anything.map(lambda text: text + STEERING))
def test_no_form_lets_a_sign_through_that_steers_a_terminal(form, text):
    printed = form(Table(("a",), [(text,)]))

    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]", printed)


@given(st.lists(st.tuples(anything, st.integers() | st.none()), max_size=4))
def test_columns_align_and_lines_have_no_trailing_blanks(rows):
    lines = text_table(Table(("name", "number"), rows)).split("\n")

    assert len(lines) == len(rows) + 1
    assert all(line == line.rstrip() for line in lines)
    assert len({columns(line) for line, (_, number) in zip(lines[1:], rows, strict=True) if number is not None}) <= 1


def test_a_line_fits_the_width_when_one_is_given():
    table = Table(("id", "what"), [(1, "a long sentence " * 20), (2, "日本語" * 40)])

    lines = text_table(table, width=40).splitlines()

    assert max(map(columns, lines)) == 40
    assert all(line.endswith("…") for line in lines[1:])


def test_unknown_is_null_for_programs_and_a_dash_for_people():
    table = Table(("a",), [(None,)])

    assert json.loads(document(table, {}))["rows"] == [{"a": None}]
    assert text_table(table) == "a\n-"
    assert comma_separated(table) == 'a\n""'


def test_types_that_json_does_not_have():
    row = (
        datetime.fromisoformat("2026-01-05T09:00"),
        date(2026, 1, 5),
        Decimal(7),
        Decimal("0.5"),
        float("nan"),
        b"\x01",
        UUID(int=1),
        (1,),
    )

    assert list(json.loads(json_lines(Table(tuple("abcdefgh"), [row]))).values()) == [
        "2026-01-05T09:00:00.000000Z", "2026-01-05", 7, 0.5, None, "01", str(UUID(int=1)), [1],
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1"])
def test_no_cell_of_a_spreadsheet_is_a_formula(text):
    [_, (cell, number)] = csv.reader(io.StringIO(comma_separated(Table(("a", "b"), [(text, -1)]))))

    assert cell.startswith("'")
    assert number == "-1"


def test_plain_is_one_line():
    assert plain("a\r\nb\tc") == "a  b c"


@pytest.mark.slow
def test_one_long_cell_does_not_make_every_line_as_long():
    table = Table(("a", "b"), [("x" * 1_000_000, 1), ("y", 2)] + [("z", 3)] * 1_000)

    text = text_table(table)

    assert len(text) < 2_000_000
    assert text.splitlines()[1] == "x" * 1_000_000 + "  1"
    assert max(map(len, text_table(table, width=40).splitlines())) == 40


def test_a_cell_is_shortened_by_the_places_it_takes():
    assert text_table(Table(("a",), [("日本語テキスト",)]), width=9, header=False) == "日本語テ…"
