"""Tables stay open from request to request, and no answer outlives the ledger and the commit that it is of."""

import shutil

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.tables.tables import CacheError
from linetrail.queries.page import held
from linetrail.queries.page.held import Held
from linetrail.queries.page.view import Asked, question
from linetrail.queries.page.views import findings


@pytest.fixture
def asked(repo, agent):
    repo.commit(files={"a.py": "x = 1\n"})
    repo.start_ledger()
    agent().edit("a.py", "x = 1\n", "x = 2\n")
    repository = find(str(repo.path))
    return Asked(repository, {}, held=Held(repository))


def total(asked, **told):
    with asked.tables() as tables:
        return tables, question(asked, tables, "lines_by", by="total", **told)["rows"]


def test_the_same_tables_answer_while_nothing_happens(asked):
    first, rows = total(asked)

    assert total(asked) == (first, rows)


def test_an_event_and_a_commit_are_seen_at_once(asked, repo, agent):
    first, (before,) = total(asked)
    agent().write("b.py", "y = 1\nz = 2\n")
    second, _ = total(asked)
    assert second is not first

    repo.commit(files={})
    third, (after,) = total(asked)

    assert third is not second
    assert (before["lines"], after["lines"]) == (1, 3)


def test_only_so_many_rows_are_kept(asked, monkeypatch):
    monkeypatch.setattr(held, "MOST_ROWS", 1)
    with asked.tables() as tables:
        first = asked.held.answer(tables, "lines_by", {"by": "total"})
        assert asked.held.answer(tables, "lines_by", {"by": "total"}) is first
        asked.held.answer(tables, "lines_by", {"by": "file"})
        assert asked.held.answer(tables, "lines_by", {"by": "total"}) is not first


@pytest.mark.slow
def test_a_cache_that_went_away_is_made_again(asked, repo):
    first, rows = total(asked)
    shutil.rmtree(repo.path / ".orchestration/cache")
    with pytest.raises(CacheError), asked.tables() as tables:
        tables.ask("select * from v_events")

    again, same = total(asked)

    assert again is not first
    assert same == rows


def test_findings_are_worked_out_once_until_the_ledger_or_a_policy_changes(asked, repo, agent):
    first = findings.show(asked)
    assert findings.show(asked) is first

    agent("s2").write("b.py", "y = 1\n")
    later = findings.show(asked)
    (repo.path / ".orchestration/policy.yaml").write_text("rules: {LT003: off}\n")
    without = findings.show(asked)

    def by_rule(shown):
        return {rule["id"]: rule["count"] for rule in shown.about["rules"]}

    assert sum(by_rule(later).values()) > sum(by_rule(first).values())
    assert by_rule(later).keys() - by_rule(without).keys() == {"LT003"}
