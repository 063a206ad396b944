"""The same transcript on two branches: one event, whichever way the branches meet."""

import os
import shutil

import pytest

from linetrail.ledger.event.event import Event, derived_id, new_id, rfc3339
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from linetrail.projections.tables.tables import open_tables

NOW = 1_760_000_000_000_000_000


def told(number):
    """One event of a transcript: the same id wherever it is imported."""
    now = NOW + number * 1_000_000_000
    data = {"signal": f"transcript {number}"}
    key = derived_id(now, "transcript", str(number))
    return Event(key, rfc3339(now), "agent.signalled", "s", None, "unknown", None, None, data)


def own(text):
    now = NOW + 5_500_000_000
    return Event(new_id(now), rfc3339(now), "agent.signalled", "s", None, "unknown", None, None, {"signal": text})


@pytest.fixture
def clones(repo, tmp_path):
    """Two ledgers that began as one."""
    repo.start_ledger()
    Ledger(find(str(repo.path))).append([own("base")])
    Ledger(find(str(repo.path))).seal()
    shutil.copytree(repo.path, tmp_path / "clone")
    return [Ledger(find(str(root))) for root in (repo.path, tmp_path / "clone")]


def merge(source, target):
    folder = os.path.join(target.folder, "segments")
    shutil.copytree(os.path.join(source.folder, "segments"), folder, dirs_exist_ok=True)


def answered(ledger):
    root = os.path.dirname(ledger.folder)
    query = "select payload ->> '$.signal' from v_events order by position"
    with open_tables(find(root)) as tables:
        return [text for (text,) in tables.ask(query).rows]


EXPECTED = sorted(["base", "one", "two", *(f"transcript {number}" for number in range(10))])


@pytest.mark.parametrize("cached", [True, False], ids=["asked before the merge", "asked for the first time"])
def test_both_sealed(clones, cached):
    ours, theirs = clones
    ours.append([own("one"), *map(told, range(10))])
    theirs.append([*map(told, range(10)), own("two")])
    for ledger in clones:
        os.makedirs(os.path.join(ledger.folder, "cache"), exist_ok=True)
        ledger.seal()
    if cached:
        assert len(answered(ours)) == 12

    merge(theirs, ours)

    assert sorted(answered(ours)) == EXPECTED
    assert sorted(answered(ours)) == EXPECTED


@pytest.mark.slow
def test_ours_still_in_the_tail_and_sealed_behind_theirs(clones):
    ours, theirs = clones
    ours.append([own("one"), *map(told, range(10))])
    theirs.append([*map(told, range(10)), own("two")])
    theirs.seal()

    merge(theirs, ours)

    assert sorted(answered(ours)) == EXPECTED
    ours.seal()
    assert sorted(answered(ours)) == EXPECTED
    ours.append([own("later")])
    assert sorted(answered(ours)) == sorted([*EXPECTED, "later"])


def test_an_import_behind_the_merge_is_known(clones):
    ours, theirs = clones
    theirs.append([*map(told, range(10)), own("two")])
    theirs.seal()
    merge(theirs, ours)

    receipts = ours.append([own("one"), *map(told, range(10))])

    assert [receipt.outcome for receipt in receipts] == ["appended", *["already appended"] * 10]
    assert sorted(answered(ours)) == EXPECTED


@pytest.mark.slow
def test_both_clones_give_the_same_answer_in_the_same_order(clones):
    ours, theirs = clones
    ours.append([own("one"), *map(told, range(10))])
    theirs.append([*map(told, range(10)), own("two")])
    for ledger in clones:
        ledger.seal()

    merge(theirs, ours)
    merge(ours, theirs)

    assert answered(ours) == answered(theirs)


def test_a_prompt_that_two_clones_committed_to_under_their_own_salts_is_one_event(clones, cli):
    ours, theirs = clones
    for number, ledger in enumerate(clones):
        data = {"excerpt": "yes", "length": 3, "commitment": f"sha256:{number:064x}"}
        ledger.append([told(1)._replace(type="prompt.submitted", data=data), own(f"clone {number}")])
        ledger.seal()

    merge(theirs, ours)

    assert cli("-C", os.path.dirname(ours.folder), "verify").status == 0
