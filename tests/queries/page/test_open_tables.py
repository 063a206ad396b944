"""Tables stay open from request to request, and no answer outlives the ledger and the commit that it is of."""

import contextlib
import shutil

import duckdb
import pytest

from linetrail.ledger.errors import DamageWarning
from linetrail.ledger.repository import find
from linetrail.projections.tables import progress
from linetrail.projections.tables.cache import CacheError
from linetrail.queries.page import open_tables
from linetrail.queries.page.catalogue import VIEWS, show
from linetrail.queries.page.open_tables import OpenTables
from linetrail.queries.page.view import Asked, question
from linetrail.queries.page.views import findings, overview
from tests.queries import rich
from tests.queries.page.test_views import SHOWN

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]


@pytest.fixture
def asked(repo, agent):
    repo.commit(files={"a.py": "x = 1\n"})
    repo.start_ledger()
    agent().edit("a.py", "x = 1\n", "x = 2\n")
    repository = find(str(repo.path))
    return Asked(repository, {}, held=OpenTables(repository))


@contextlib.contextmanager
def progress_of(label):
    """Count how often work of this name begins, here or in a process that is asked to do it."""
    begun = []

    @contextlib.contextmanager
    def listener(name, *_):
        begun.extend([name] if name == label else [])
        yield lambda _: None

    with progress.listening(listener):
        yield begun


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
    monkeypatch.setattr(open_tables, "MOST_ROWS", 1)
    with asked.tables() as tables:
        first = asked.held.answer(tables, "lines_by", {"by": "total"})
        assert asked.held.answer(tables, "lines_by", {"by": "total"}) is first
        asked.held.answer(tables, "lines_by", {"by": "file"})
        assert asked.held.answer(tables, "lines_by", {"by": "total"}) is not first


def test_each_answer_says_what_damage_leaves_out_of_the_tables(asked, repo):
    ledger = repo.path / ".orchestration/agent_trace.jsonl"
    first, *others = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join([first, b"no event\n", *others]))

    for _ in range(2):
        with pytest.warns(DamageWarning, match="agent_trace"):
            total(asked)


def test_a_cache_that_went_away_is_made_again(asked, repo):
    first, rows = total(asked)
    shutil.rmtree(repo.path / ".orchestration/cache")
    with pytest.raises(CacheError, match="the cache went away while it was read"), asked.tables() as tables:
        tables.ask("select * from v_events")

    again, same = total(asked)

    assert again is not first
    assert same == rows


def test_findings_are_worked_out_once_until_the_ledger_or_a_policy_changes(asked, repo, agent):
    def found():
        with progress_of("auditing") as audits:
            rules = findings.show(asked).about["rules"]
        return {rule["id"]: rule["count"] for rule in rules}, len(audits)

    first, again = found(), found()
    agent("s2").write("b.py", "y = 1\n")
    later = found()
    (repo.path / ".orchestration/policy.yaml").write_text("rules: {LT003: off}\n")
    without = found()

    assert [audits for _, audits in (first, again, later, without)] == [1, 0, 1, 1]
    assert first[0] == again[0]
    assert sum(later[0].values()) > sum(first[0].values())
    assert later[0].keys() - without[0].keys() == {"LT003"}


def test_a_process_of_its_own_makes_the_tables_of_a_long_ledger(asked, monkeypatch):
    expected = findings.show(asked), total(asked)[1]
    shutil.rmtree(asked.repository.folder + "/cache")
    asked.held.forget()
    monkeypatch.setattr(open_tables, "QUICK_EVENTS", 0)

    with progress_of("auditing") as audits:
        found = findings.show(asked), total(asked)[1]

    assert found == expected
    assert len(audits) == 1


def test_every_view_is_answered_at_the_second_try_where_memory_is_too_small(repo, monkeypatch):
    rich.tell(repo)
    repository = find(str(repo.path))
    roomy = OpenTables(repository)
    expected = {name: show(name, Asked(repository, SHOWN.get(name, {}), held=roomy)) for name in VIEWS}
    monkeypatch.setattr(open_tables, "LIMIT", "set memory_limit = '1MB'")
    tight = OpenTables(repository)

    with pytest.raises(duckdb.OutOfMemoryException):
        overview.show(Asked(repository, {}, held=tight))

    assert {name: show(name, Asked(repository, SHOWN.get(name, {}), held=tight)) for name in VIEWS} == expected


def test_what_memory_is_too_small_for_waits_in_the_cache_and_is_gone_at_the_end(asked, repo, monkeypatch):
    monkeypatch.setattr(open_tables, "LIMIT", "set memory_limit = '30MB'")
    tight, place = OpenTables(asked.repository), repo.path / ".orchestration/cache/computed"

    with tight.opened() as opened:
        tables = opened.tables
        tables.connection.execute("create temp table t as select md5(range::varchar) as m from range(1_000_000)")
        (aside,) = place.glob("aside-*")
        assert sum(file.stat().st_size for file in aside.iterdir()) > 1_000_000
        assert tables.ask("select count(distinct m) from t").rows == [(1_000_000,)]
    tight.forget()

    assert not list(place.glob("aside-*"))
