"""What a change was judged to be stands wherever the change or its lines are told of."""

import json

import pytest

pytestmark = pytest.mark.slow

TOTAL = "def total(lines):\n    result = 0\n    for line in lines:\n        result += line\n    return result\n"
RENAMED = TOTAL.replace("result", "amount")


@pytest.fixture
def judged(repo, agent, cli, uncommitted_ledger):
    """Record a refactor and an evolution, and judge both."""
    repo.commit("first", {"a.py": TOTAL, "b.py": "x = 1\n"})
    session = agent()
    session.write("a.py", RENAMED)
    session.write("b.py", "x = 1\ny = 2\n")
    session.write("c.py", "z = 1\n")
    assert cli("classify", "--record").status == 0
    return [event.id for event in repo.events("mutation.observed")]


def test_log_tells_the_class_of_each_change(cli, judged):
    rows = {row["event_id"]: row for row in cli("log", "--type", "mutation.observed", "--json").rows}

    assert [(rows[event]["class"], rows[event]["label"]) for event in judged] == [
        ("AST_REFACTOR", "refactor"),
        ("INTENT_EVOLUTION", "evolution"),
        ("INTENT_EVOLUTION", "evolution"),
    ]
    heading, *lines = cli("log", "--type", "mutation.observed").out.splitlines()
    assert heading.split()[6] == "class"
    assert [line.split()[6] for line in lines] == ["evolution", "evolution", "refactor"]


def test_log_has_no_such_column_where_nothing_is_judged(repo, agent, cli):
    agent().write("a.py", "x = 1\n")

    assert "class" not in cli("log").out.splitlines()[0].split()
    assert {row["class"] for row in cli("log", "--json").rows} == {None}


@pytest.mark.usefixtures("judged")
def test_log_sums_a_judgement_up(cli):
    summaries = [row["summary"] for row in cli("log", "--type", "mutation.classified", "--json").rows]

    assert summaries[0].startswith("run evolution ")
    assert summaries[-1] == "mutation refactor rename"


def test_show_tells_all_that_is_known(cli, judged):
    [row] = cli("show", judged[0], "--json").rows

    told = row["classification"]
    assert (told["mutation_class"], told["change_kind"], told["basis"]) == ("AST_REFACTOR", "rename", "syntax")
    assert told["evidence"] == ["renamed local `result` to `amount` (3 uses)"]
    assert "renamed local" in cli("show", judged[0]).out
    assert "classification" not in cli("show", "1", "--json").rows[0]


@pytest.mark.usefixtures("judged")
def test_blame_tells_what_the_change_was_that_wrote_a_line(cli):
    rows = cli("blame", "a.py", "--json").rows

    assert [row["mutation_class"] for row in rows] == [None, "AST_REFACTOR", None, "AST_REFACTOR", "AST_REFACTOR"]
    assert cli("blame", "a.py", "--json").rows == rows
    assert cli("blame", "b.py", "--porcelain").out.count("linetrail-class INTENT_EVOLUTION\n") == 1


@pytest.mark.usefixtures("judged")
def test_blame_counts_lines_by_class(cli):
    rows = cli("blame", "a.py", "b.py", "c.py", "--by", "class", "--json").rows

    assert [(row["contributor_type"], row["mutation_class"], row["lines"]) for row in rows] == [
        ("ai", "AST_REFACTOR", 3),
        ("human", None, 3),
        ("ai", "INTENT_EVOLUTION", 2),
    ]
    assert "agent" not in rows[0]


def test_what_was_remembered_before_it_was_judged_is_asked_again(repo, agent, cli):
    repo.commit("first", {"a.py": TOTAL})
    agent().write("a.py", RENAMED)
    assert {row["mutation_class"] for row in cli("blame", "a.py", "--json").rows} == {None}

    cli("classify", "--record")

    assert {row["mutation_class"] for row in cli("blame", "a.py", "--json").rows} == {None, "AST_REFACTOR"}


@pytest.mark.usefixtures("judged")
def test_stats_and_diff_count_by_what_changes_are(repo, cli):
    repo.commit("all")

    whole = {row["mutation_class"]: row["lines"] for row in cli("stats", "--by", "change", "--json").rows}
    between = {row["mutation_class"]: row for row in cli("stats", "HEAD^!", "--by", "change", "--json").rows}
    lines = json.loads(cli("diff", "HEAD^!", "--json").out)["rows"]

    assert whole == {"AST_REFACTOR": 3, "INTENT_EVOLUTION": 2, None: 3}
    assert [between[name]["added"] for name in ("AST_REFACTOR", "INTENT_EVOLUTION")] == [3, 2]
    assert {line["mutation_class"] for line in lines if line["change"] == "added"} == set(between) - {None}
    deleted = [line["deleted_by"]["mutation_class"] for line in lines if line["change"] == "deleted"]
    assert deleted == ["AST_REFACTOR"] * 3
