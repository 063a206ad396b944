"""`linetrail fleet charter` says all that is kept, and who asks is written down."""

import json
from pathlib import Path

import pytest

from linetrail.ledger.errors import IntegrityError
from linetrail.projections.tables import models
from linetrail.queries.fleet import access, charter, columns, objects
from linetrail.queries.fleet.access import Entry
from linetrail.queries.fleet.groups import PEOPLE

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "charter.md"


def test_every_column_of_every_view_is_decided_about():
    decided = columns.kinds().keys()
    there = {name for view in columns.views() for name in models.column_comments(view)}

    assert there - decided == set(), "say in queries/fleet/columns.toml whether a store keeps it"
    assert decided - there == {columns.REPO}, "nothing is decided about that is not there"


@pytest.mark.slow
def test_the_charter_in_the_documents_is_the_one_of_today():
    assert DOCUMENT.read_text("utf-8") == charter.text(), "linetrail fleet charter > docs/charter.md"


@pytest.mark.slow
def test_it_names_every_column_threshold_and_question(cli):
    told = cli("fleet", "charter").out
    rows = cli("fleet", "charter", "--json").rows

    assert {
        f"| `{row['column']}` | {row['type']}" for row in rows if f"| `{row['column']}` | {row['type']}" not in told
    } == set()
    assert f"at least {PEOPLE} people" in told
    assert [row["column"] for row in rows if row["kind"] == "people" and row["kept"]] == ["person", "person"]
    assert {row["tier"] for row in rows if row["column"] == "person" and row["kept"]} == {"private"}


@pytest.fixture
def store(tmp_path):
    return objects.open_store((tmp_path / "store").as_uri(), make=True)


def ask(store, *queries):
    return [
        access.record(store, Entry("2026-01-05T10:00:00+00:00", "Ana", query, {}, ["facts"], "duckdb", 1))
        for query in queries
    ]


def test_who_asked_is_a_chain_that_everybody_can_read(store):
    ask(store, "@adoption", "select 1")

    assert [(entry.number, entry.who, entry.query) for entry in access.entries(store)] == [
        (1, "Ana", "@adoption"),
        (2, "Ana", "select 1"),
    ]


@pytest.mark.parametrize("harm", ["remove", "change", "put between"])
def test_what_was_done_to_the_chain_is_noticed(store, tmp_path, harm):
    ask(store, "one", "two", "three")
    second = tmp_path / "store" / "lake" / "asked" / f"{2:012}.json"
    if harm == "remove":
        second.unlink()
    elif harm == "change":
        second.write_text(second.read_text().replace("two", "nothing"))
    else:
        second.write_text(json.dumps(json.loads(second.read_text()) | {"query": "other"}, sort_keys=True) + "\n")

    with pytest.raises(IntegrityError, match="0000000000"):
        list(access.entries(store))


def test_an_end_that_is_cut_off_is_noticed_by_what_a_build_knew(store, tmp_path):
    ask(store, "one", "two")
    asked, head = access.end(store)
    (tmp_path / "store" / "lake" / "asked" / f"{2:012}.json").unlink()

    with pytest.raises(IntegrityError, match="2 had asked"):
        access.require_all(store, asked, head)
