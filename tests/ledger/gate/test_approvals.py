"""An approval is given once, used once, and void after its deadline."""

import json
import os
import subprocess
import sys
import tempfile

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from linetrail.ledger.gate import approvals
from linetrail.ledger.gate.approvals import SECOND, ApprovalError
from linetrail.ledger.repository import Repository
from tests.examples import examples

NOW = 1_767_603_600 * SECOND
TAKE = """
import sys
from linetrail.ledger.gate import approvals
from linetrail.ledger.repository import Repository
taken = approvals.take(Repository(sys.argv[1], None, None), "key", int(sys.argv[2]))
print("none" if taken is None else taken.state)
"""


def ask(repository, key="key", now=NOW, seconds=300, **fields):
    told = {
        "session_id": "s1",
        "intent_id": "INT-001",
        "tool_name": "Bash",
        "tool_call_id": "toolu_1",
        "code": "DANGEROUS_COMMAND",
        "action": "git push --force",
        "reason": "it rewrites what others have",
    }
    return approvals.request(repository, key, now_ns=now, seconds=seconds, **(told | fields))


def say(repository, approval, *, approved=True, reason=None, now=NOW + SECOND, **more):
    return approvals.answer(repository, approval.id, approved=approved, reason=reason, now_ns=now, **more)


@pytest.fixture
def repository(tmp_path):
    return Repository(str(tmp_path), None, None)


@pytest.fixture
def card(repository):
    """Return a function that gives the file of an approval."""
    return lambda approval: os.path.join(repository.folder, "state", "approvals", f"{approval.id}.json")


def test_asked_again_it_is_the_same_request(repository):
    first = ask(repository)

    assert ask(repository, now=NOW + 60 * SECOND) == first
    assert ask(repository, key="another").id != first.id


def test_nothing_is_taken_before_a_person_answers(repository):
    assert approvals.take(repository, "key", NOW) is None

    ask(repository)

    assert approvals.take(repository, "key", NOW + SECOND) is None


def test_an_approval_lets_one_call_through(repository):
    asked = ask(repository)
    say(repository, asked, reason="go ahead")

    taken = approvals.take(repository, "key", NOW + 2 * SECOND)

    assert (taken.id, taken.state, taken.words) == (asked.id, "approved", "go ahead")
    assert approvals.take(repository, "key", NOW + 2 * SECOND) is None
    assert ask(repository, now=NOW + 3 * SECOND).id != asked.id


def test_an_approval_is_for_its_key_alone(repository):
    say(repository, ask(repository))

    assert approvals.take(repository, "another", NOW + 2 * SECOND) is None


def test_a_rejection_is_told_as_often_as_the_agent_asks(repository):
    asked = ask(repository)
    say(repository, asked, approved=False, reason="not on a Friday")

    taken = [approvals.take(repository, "key", NOW + n * SECOND) for n in (2, 3)]

    assert [(one.state, one.words) for one in taken] == [("rejected", "not on a Friday")] * 2
    assert ask(repository, now=NOW + 4 * SECOND).id == asked.id


def test_an_answer_comes_before_the_deadline_and_holds_for_as_long_again(repository):
    asked = ask(repository, seconds=300)
    answered = say(repository, asked, now=NOW + 299 * SECOND)

    assert asked.deadline_ns == NOW + 300 * SECOND
    assert answered.deadline_ns == NOW + 599 * SECOND
    assert approvals.take(repository, "key", NOW + 599 * SECOND) is None
    assert approvals.take(repository, "key", NOW + 598 * SECOND).state == "approved"


def test_after_the_deadline_nobody_can_answer_and_the_agent_asks_anew(repository):
    asked = ask(repository)

    with pytest.raises(ApprovalError, match=f"{asked.id} expired at 2026-01-05T09:05:00"):
        say(repository, asked, now=NOW + 300 * SECOND)

    assert approvals.pending(repository, NOW + 300 * SECOND) == []
    assert ask(repository, now=NOW + 300 * SECOND).id != asked.id


def test_an_approval_from_the_future_is_void(repository):
    say(repository, ask(repository))

    assert approvals.take(repository, "key", NOW - 3600 * SECOND) is None


def test_an_answer_is_final(repository):
    asked = ask(repository)
    say(repository, asked)

    with pytest.raises(ApprovalError, match=f"{asked.id} was approved at .*; nothing waits"):
        say(repository, asked, approved=False)


@pytest.mark.parametrize("name", ["A-2222", "nonsense", "", "../../config", "A-" + "2" * 5000])
def test_an_unknown_id_is_refused_with_what_waits(repository, name):
    asked = ask(repository)

    with pytest.raises(ApprovalError, match=f"waiting: {asked.id}"):
        approvals.answer(repository, name, approved=True, reason=None, now_ns=NOW)


@pytest.mark.parametrize("typed", [str.lower, str.upper, lambda name: f" {name[2:]} "])
def test_an_id_may_be_typed_carelessly(repository, typed):
    asked = ask(repository)

    assert approvals.answer(repository, typed(asked.id), approved=True, reason=None, now_ns=NOW).id == asked.id


def test_what_waits_is_listed_the_oldest_first(repository):
    second, first = ask(repository, "b", NOW + SECOND), ask(repository, "a", NOW)
    say(repository, ask(repository, "c", NOW))

    assert approvals.pending(repository, NOW + 2 * SECOND) == [first, second]


def test_an_answer_that_cannot_be_recorded_is_none(repository):
    asked = ask(repository)

    def fail(_):
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        say(repository, asked, record=fail)

    assert approvals.pending(repository, NOW + SECOND) == [asked]
    assert approvals.take(repository, "key", NOW + SECOND) is None


def test_secrets_are_taken_out_before_anything_is_kept(repository, card):
    token = "ghp_" + "a1B2" * 9
    asked = ask(repository, action=f"curl -H 'Authorization: Bearer {token}' x", reason=f"uses {token}")
    say(repository, asked, reason=f"never with {token}", approved=False)

    with open(card(asked), encoding="utf-8") as file:
        assert token not in file.read()


def test_long_texts_are_cut(repository):
    asked = ask(repository, action="echo " + "word " * 1000, reason="because " * 1000)

    answered = say(repository, asked, reason="because " * 1000)

    assert [len(text) for text in (asked.action, asked.reason, answered.words)] == [400, 400, 200]


@pytest.mark.slow
def test_only_so_many_wait(repository):
    for number in range(approvals.MAX_WAITING):
        ask(repository, str(number))

    with pytest.raises(ApprovalError, match="100 requests wait"):
        ask(repository, "one more")
    assert ask(repository, "later", NOW + 301 * SECOND)


def test_what_was_void_for_a_day_is_forgotten(repository):
    ask(repository)
    ask(repository, "another", NOW + 2 * approvals.FORGET_NS)

    assert len(os.listdir(os.path.join(repository.folder, "state", "approvals"))) == 1


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda _: b"", id="empty"),
        pytest.param(lambda _: b"[]", id="a list"),
        pytest.param(lambda _: b'{"id": "A-', id="half written"),
        pytest.param(lambda card: json.dumps(card | {"state": "approved"}).encode(), id="approved by nobody"),
        pytest.param(lambda card: json.dumps(card | {"state": ["approved"]}).encode(), id="a list for a state"),
        pytest.param(lambda card: json.dumps(card | {"id": "A-2222"}).encode(), id="another id"),
        pytest.param(lambda card: json.dumps(card | {"seconds": "9"}).encode(), id="a text for a number"),
        pytest.param(lambda card: json.dumps(card | {"more": 1}).encode(), id="unknown fields"),
    ],
)
def test_a_damaged_card_lets_nothing_through_and_hides_no_other(repository, card, change):
    asked, other = ask(repository), ask(repository, "another")
    with open(card(asked), "rb") as file:
        content = change(json.load(file))
    with open(card(asked), "wb") as file:
        file.write(content)

    assert approvals.take(repository, "key", NOW) is None
    assert approvals.pending(repository, NOW) == [other]


@pytest.mark.slow
def test_of_processes_that_take_at_once_one_gets_it(repository):
    say(repository, ask(repository))
    command = [sys.executable, "-c", TAKE, repository.root, str(NOW + 2 * SECOND)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(6)]

    taken = sorted(process.communicate()[0].strip() for process in running)

    assert taken == ["approved", *["none"] * 5]


keys = st.sampled_from(["a", "b"])


class Answers(RuleBasedStateMachine):
    """Whoever asks, answers and takes, in whatever order: no call gets through without an answer of its own."""

    @initialize()
    def begin(self):
        self.folder = tempfile.TemporaryDirectory()
        self.repository = Repository(self.folder.name, None, None)
        self.now = NOW
        self.granted = {}

    def teardown(self):
        self.folder.cleanup()

    @rule(seconds=st.sampled_from([0, 1, 100, 301, -50, -4000]))
    def wait(self, seconds):
        self.now += seconds * SECOND

    @rule(key=keys)
    def ask(self, key):
        asked = ask(self.repository, key, self.now)
        assert asked.holds(self.now)
        assert ask(self.repository, key, self.now) == asked

    @rule(approved=st.booleans())
    def answer_the_oldest(self, approved):
        for one in approvals.pending(self.repository, self.now)[:1]:
            say(self.repository, one, approved=approved, now=self.now)
            if approved:
                self.granted[one.id] = (one.key_digest, self.now)

    @rule(key=keys)
    def take(self, key):
        taken = approvals.take(self.repository, key, self.now)
        if taken is not None and taken.state == "approved":
            key_digest, answered = self.granted.pop(taken.id)
            assert key_digest == approvals.name_of(key)
            assert -approvals.SKEW_NS <= self.now - answered < 300 * SECOND

    @invariant()
    def nothing_that_is_void_waits(self):
        if hasattr(self, "repository"):
            assert all(one.holds(self.now) for one in approvals.pending(self.repository, self.now))


TestAnswers = Answers.TestCase
TestAnswers.settings = settings(max_examples=examples(30), stateful_step_count=20, deadline=None)
