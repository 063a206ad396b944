"""A fleet whose people have pseudonyms: counts over many repositories add up, and none is about too few people."""

import json

import duckdb
import pytest

from linetrail.queries.fleet import layout, objects
from linetrail.queries.fleet.groups import OTHERS, groups
from linetrail.queries.fleet.questions import of_organisation
from tests.fleet.__main__ import Plan, write
from tests.fleet.repository import Faults
from tests.queries.fleet.test_groups import leaks
from tests.queries.page.conftest import Page

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    """Return the URL of a store with its tables, what is true of it, and DuckDB over its files."""
    from linetrail.queries.cli import main

    out = tmp_path_factory.mktemp("fleet")
    truth = write(Plan(out, repositories=8, events=1_500, days=60, kinds=40, faults=Faults(damaged=0, nameless=0.1)))
    url = (out / "store").as_uri()
    assert main(["fleet", "build", url]) == 0
    connection = duckdb.connect()
    for table in layout.require(objects.open_store(url), url).tables:
        if table.files:
            files = [str(out / "store" / file.path) for file in table.files]
            connection.execute(f"create view {table.name} as from read_parquet({files}, hive_partitioning = false)")
    return url, truth, connection


def test_what_people_contribute_is_what_they_did(fleet):
    _, truth, connection = fleet
    sql = "select person, sum(sessions) from contributions_to_v_fleet_work group by all having sum(sessions) > 0"

    did = {person: sessions for person, sessions in truth["total"]["store"]["person"].items() if sessions}
    assert dict(connection.sql(sql).fetchall()) == did


def test_segments_without_a_pseudonym_are_in_no_count(fleet):
    _, truth, connection = fleet
    counted = sum(truth["total"]["store"]["person"].values())

    assert connection.sql("select sum(sessions) from v_fleet_work").fetchall()[0][0] <= counted
    assert counted < truth["total"]["store"]["sessions"]


@pytest.mark.parametrize("group", groups(), ids=lambda group: group.name)
def test_no_slice_of_what_is_published_is_about_too_few(fleet, group):
    _, _, connection = fleet
    contributions = f"select * from {group.contributions}"
    people = [one for (one,) in connection.sql(f"select distinct person from ({contributions}) order by 1").fetchall()]
    parts = ", ".join(f"cast(person = '{one}' as integer) as {one_column(one)}" for one in people)
    by_person = group._replace(measures=tuple(map(one_column, people)))

    cells = connection.execute(by_person.cells(f"select *, {parts} from ({contributions})")).fetchall()
    at = 1 + len(group.dimensions)
    found = [(row[0], row[1:at], row[at:]) for row in cells]
    published = connection.sql(f"select month, {', '.join(group.dimensions)} from {group.name}").fetchall()

    assert {(month, *values) for month, values, _ in found} == {*published}
    assert any(OTHERS in values for _, values, _ in found)
    assert [*leaks(found, 1, 300)] == []


def one_column(person):
    return f"is_{person}"


@pytest.mark.parametrize("name", sorted(of_organisation()))
def test_an_organisation_is_answered(fleet, cli, name):
    answer = cli("fleet", "sql", fleet[0], f"@{name}", "--json")

    assert json.loads(answer.out)["rows"], "nothing is proved by an empty answer"


def test_whatever_it_is_divided_by_a_sum_is_that_of_all_cells(fleet, cli):
    url, truth, connection = fleet
    [(published,)] = connection.sql("select sum(tokens) from v_fleet_work").fetchall()
    dimensions = ("repository", "owner", "agent", "model", "class", "intent", "month")

    answers = [cli("fleet", "sql", url, "@spending", "-p", "by", one, "--json").rows for one in dimensions]

    assert {sum(row["tokens"] for row in rows) for rows in answers} == {published}
    assert 0 < published <= sum(truth["total"]["store"]["model_id"].values())
    assert len({row["dim"] for row in answers[0]} - {OTHERS}) > 1, "repositories are told apart"


def test_a_lead_reads_all_answers_on_one_page(fleet, cli, tmp_path):
    pytest.importorskip("jinja2", reason="needs the extra page")
    url, truth, _ = fleet
    before = len(cli("fleet", "asked", url, "--json").rows)

    assert cli("fleet", "report", url, "--since", "2026-02-01", "--out", "lead.html", cwd=tmp_path).status == 0

    text = (tmp_path / "lead.html").read_text()
    asked = cli("fleet", "asked", url, "--json").rows[before:]
    assert [row["query"] for row in asked] == [f"@{name}" for name in of_organisation()]
    assert {tier for row in asked for tier in row["tiers"]} == {"public"}
    assert all(question.question in text for question in of_organisation().values())
    assert "<svg" in text
    assert ("2026-02" in text, "2026-01" in text) == (True, False)
    assert not [person for person in truth["total"]["store"]["person"] if person in text]
    assert "http://" not in text
    assert "https://" not in text


@pytest.fixture
def server(fleet, repo):
    """Return a server of a repository, entered, that shows the counts of the store, too."""
    pytest.importorskip("starlette", reason="needs the extra page")
    repo.start_ledger()
    served = Page(repo.path, "--fleet", fleet[0])
    yield served.enter()
    served.kill()


def test_a_page_shows_each_question_of_the_organisation(fleet, cli, server):
    url, truth, _ = fleet
    before = len(cli("fleet", "asked", url, "--json").rows)

    page, document = server.see("fleet"), server.rows("fleet", question="agent_mix", since="2026-02-01")

    [first, *_] = of_organisation().values()
    assert page.status == 200
    assert first.question in page.body
    assert all(f"question={name}" in page.body for name in list(of_organisation())[1:])
    assert document["rows"] == cli("fleet", "sql", url, "@agent_mix", "-p", "since", "2026-02-01", "--json").rows
    asked = cli("fleet", "asked", url, "--json").rows[before:]
    assert [row["query"] for row in asked] == [f"@{first.name}", "@agent_mix", "@agent_mix"]
    assert not [person for person in truth["total"]["store"]["person"] if person in page.body + str(document)]


def test_a_page_of_a_question_that_nobody_knows_says_so(server):
    assert server.see("fleet", question="who_is_best").status == 404


def test_a_report_of_a_store_without_tables_says_what_to_do(cli, tmp_path):
    (tmp_path / "empty").mkdir()
    answer = cli("fleet", "report", (tmp_path / "empty").as_uri())

    assert answer.status == 2
    assert "next: linetrail fleet build" in answer.err
