"""Every change of the registry is an event, once, whoever made it and whoever comes first."""

import json
import multiprocessing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.event.event import GENESIS, from_line, to_line
from linetrail.ledger.event.schema import problems
from linetrail.ledger.intents import changes as module
from linetrail.ledger.intents.changes import FOUND, UNKNOWN, changes, held, is_recorded, record
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find

NOW = 1_767_603_600_000_000_000
DIGEST, OTHER = f"sha256:{'1' * 64}", f"sha256:{'2' * 64}"


def state(intent_id="INT-001", **fields):
    return {
        "id": intent_id,
        "name": "Totals",
        "status": "IN_PROGRESS",
        "scope": ["src/**"],
        "description": None,
    } | fields


def states(*found):
    return {one["id"]: one for one in found}


def kinds(before, after):
    return [(kind, data["intent_id"]) for kind, data in changes(before, after, DIGEST, FOUND)]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        pytest.param({}, states(state()), [("intent.created", "INT-001")], id="new"),
        pytest.param(states(state()), {}, [("intent.changed", "INT-001")], id="gone"),
        pytest.param(states(state()), states(state(owner="me")), [("intent.changed", "INT-001")], id="another field"),
        pytest.param(states(state()), states(state(scope=[])), [("intent.changed", "INT-001")], id="no scope any more"),
        pytest.param(states(state()), states(state(status="DONE")), [("intent.completed", "INT-001")], id="done"),
        pytest.param(states(state(status="DONE")), states(state()), [("intent.changed", "INT-001")], id="reopened"),
        pytest.param(
            {}, states(state(status="DONE")), [("intent.created", "INT-001")], id="done when it was first seen"
        ),
        pytest.param(states(state()), states(state()), [], id="the same"),
        pytest.param(states(state()), states(state(constraints=[])), [], id="an empty list that was not there"),
        pytest.param(None, states(state()), [("intent.changed", "INT-001")], id="nothing is known"),
        pytest.param(
            states(state("b"), state("a")),
            states(state("b"), state("c")),
            [("intent.created", "c"), ("intent.changed", "a")],
        ),
    ],
)
def test_what_changed_says_which_event_it_is(before, after, told):
    assert kinds(before, after) == told


def test_an_event_tells_the_state_before_and_after_without_what_is_not_there():
    ((_, data),) = changes(states(state()), states(state(status="DONE")), DIGEST, "command", notes="ran all tests")

    same = {"id": "INT-001", "name": "Totals", "scope": ["src/**"]}
    assert data == {
        "intent_id": "INT-001",
        "before": same | {"status": "IN_PROGRESS"},
        "after": same | {"status": "DONE"},
        "registry_digest": DIGEST,
        "verification_notes": "ran all tests",
        "by": "command",
    }


@given(*[st.dictionaries(st.sampled_from("abc"), st.sampled_from(["DRAFT", "DONE"]), max_size=3)] * 2)
def test_the_changes_lead_from_one_state_to_the_other(before, after):
    old, new = (states(*(state(name, status=status) for name, status in found.items())) for found in (before, after))

    reached = dict(old)
    for _, data in changes(old, new, DIGEST, FOUND):
        reached.pop(data["intent_id"], None)
        if data["after"] is not None:
            reached[data["intent_id"]] = data["after"]

    assert {name: one["status"] for name, one in reached.items()} == after


@pytest.fixture
def repository(repo):
    repo.start_ledger()
    return find(str(repo.path))


def say(repository, after, digest=DIGEST, **options):
    with held(repository):
        return record(repository, after, digest, **({"by": FOUND, "author": UNKNOWN, "now_ns": NOW} | options))


def test_what_is_recorded_is_valid_and_not_recorded_again(repository, repo):
    say(repository, states(state()), told=dict)
    say(repository, states(state()), now_ns=NOW + 1)

    (event,) = repo.events()
    assert (event.type, event.intent_id, event.contributor, event.session_id) == (
        "intent.created",
        "INT-001",
        "unknown",
        None,
    )
    assert [problems(line) for line in repo.lines()] == [[]]


def test_the_hash_of_the_file_tells_whether_anything_is_new(repository):
    assert not is_recorded(repository, DIGEST)

    say(repository, states(state()))

    assert is_recorded(repository, DIGEST)
    assert not is_recorded(repository, OTHER)
    assert not is_recorded(repository, None)


def test_another_text_that_says_the_same_is_remembered_and_no_event(repository, repo):
    say(repository, states(state()))
    say(repository, states(state()), OTHER)

    assert is_recorded(repository, OTHER)
    assert len(repo.events()) == 1


def test_a_file_that_went_away_is_told(repository, repo):
    say(repository, states(state()))
    say(repository, {}, None)

    assert repo.events()[-1].data["after"] is None
    assert is_recorded(repository, None)


def test_no_file_is_no_change_where_there_never_was_one(repository, repo):
    say(repository, {}, None, told=lambda: states(state()))

    assert repo.events() == []


def test_a_change_there_and_back_again_is_two_events(repository, repo):
    for number, name in enumerate(["one", "two", "one"]):
        say(repository, states(state(name=name)), now_ns=NOW + number)

    assert [event.data["after"]["name"] for event in repo.events()] == ["one", "two", "one"]


def test_where_nothing_is_remembered_the_ledger_is_asked(repository, repo):
    say(repository, states(state()), told=lambda: states(state(name="Before")))

    (event,) = repo.events()
    assert (event.type, event.data["before"]["name"]) == ("intent.changed", "Before")


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b'{"states": 1, "pending": []}', b'{"states":{},"pending":["x"]}']
)
def test_a_memory_that_cannot_be_read_counts_as_none(repository, repo, damage):
    say(repository, states(state()))
    memory = repo.path / ".orchestration" / "state" / "registry.json"
    memory.write_bytes(damage)

    assert not is_recorded(repository, DIGEST)
    assert [event.type for event in say(repository, states(state()), now_ns=NOW + 1)] == ["intent.changed"]


@pytest.mark.parametrize("appended", [False, True], ids=["before the ledger had it", "after the ledger had it"])
def test_who_dies_in_between_loses_nothing_and_repeats_nothing(repository, repo, monkeypatch, appended):
    class DeadError(BaseException):
        """The process is gone."""

    class Dying(Ledger):
        def append(self, events, **options):
            if appended:
                super().append(events, **options)
            raise DeadError

    monkeypatch.setattr(module, "Ledger", Dying)
    with pytest.raises(DeadError):
        say(repository, states(state()))
    assert not is_recorded(repository, DIGEST)
    monkeypatch.undo()

    say(repository, states(state(), state("INT-002")), OTHER, now_ns=NOW + 1)

    assert [event.intent_id for event in repo.events()] == ["INT-001", "INT-002"]
    assert len({event.id for event in repo.events()}) == 2


@pytest.mark.slow
def test_processes_that_find_the_same_change_at_once_record_it_once(repository, repo):
    say(repository, {}, OTHER, told=dict)
    context = multiprocessing.get_context("fork")
    after = states(*(state(f"INT-{number:03}") for number in range(5)))
    workers = [
        context.Process(target=say, args=(repository, after), kwargs={"now_ns": NOW + number}) for number in range(6)
    ]

    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)

    assert [worker.exitcode for worker in workers] == [0] * 6
    assert [event.intent_id for event in repo.events()] == list(after)


def test_an_event_survives_being_remembered(repository, repo):
    say(repository, states(state(name='"quoted" \u2028 é')))

    (line,) = repo.lines()
    event = from_line(line)
    assert json.loads(to_line(event, 0, GENESIS))["data"]["after"]["name"] == '"quoted" \u2028 é'


def test_a_new_worktree_goes_on_from_what_the_main_one_recorded(repository, repo, tmp_path):
    repo.commit()
    say(repository, states(state(), state("INT-002")))
    repo.git("worktree", "add", "-q", str(tmp_path / "second"))
    (tmp_path / "second" / ".orchestration").mkdir()

    made = say(find(str(tmp_path / "second")), states(state(), state("INT-002", status="DONE")), OTHER)

    assert [(event.type, event.intent_id) for event in made] == [("intent.completed", "INT-002")]
