"""The circuit breaker opens and closes as told, whoever counts at the same time and whatever the clock does."""

import os
import subprocess
import sys
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linetrail.ledger.gate import breaker
from linetrail.ledger.gate.breaker import CLOSED, SECOND, Settings
from linetrail.ledger.intents import selection
from linetrail.ledger.repository import Repository
from tests.examples import examples

NOW = 1_767_603_600 * SECOND
KEYS = [breaker.session("s1"), breaker.intent("INT-001")]
THREE = Settings(threshold=3, window_s=600, cooldown_s=60)
COUNT = """
import sys
from linetrail.ledger import files
from linetrail.ledger.gate import breaker
from linetrail.ledger.repository import Repository
files.StateFolder.held.__wrapped__.__defaults__ = (60.0,)
settings = breaker.Settings(threshold=1000)
for at in range(int(sys.argv[2])):
    breaker.count(Repository(sys.argv[1], None, None), ["session:s1"], failed=True, now_ns=1000 + at, settings=settings)
"""


@pytest.fixture
def repository(tmp_path):
    return Repository(str(tmp_path), None, None)


@pytest.fixture
def at(repository):
    """Return a function that asks how it stands so many seconds from the beginning."""
    return lambda seconds, keys=KEYS, settings=THREE: breaker.standing(
        repository, keys, NOW + seconds * SECOND, settings
    )


@pytest.fixture
def ended(repository):
    """Return a function that counts calls which ended at these seconds."""

    def count(*seconds, failed=True, keys=KEYS, settings=THREE):
        for second in seconds:
            standing = breaker.count(repository, keys, failed=failed, now_ns=NOW + second * SECOND, settings=settings)
        return standing

    return count


def test_it_is_closed_at_first_and_writes_nothing(repository, at, ended):
    assert at(0) == CLOSED
    assert ended(0, failed=False) == CLOSED
    assert not os.path.exists(os.path.join(repository.folder, "state"))


@pytest.mark.promise("G9")
def test_it_opens_at_the_threshold_and_says_why_and_until_when(at, ended):
    assert ended(0, 1).state == "closed"

    opened = ended(2)

    assert (opened.state, opened.failures, opened.until_ns) == ("open", 3, NOW + 62 * SECOND)
    assert opened.reason == "3 calls in a row failed or were refused within 600 s"
    assert at(61).state == "open"


def test_a_success_in_between_starts_the_count_anew(ended):
    ended(0, 1)
    ended(2, failed=False)

    assert ended(3, 4).state == "closed"


def test_failures_that_are_far_apart_open_nothing(ended):
    assert ended(0, 400, 800, 1200, 1600).state == "closed"


@pytest.mark.promise("G9")
def test_after_the_cooldown_one_call_may_try_and_no_other(at, ended):
    ended(0, 1, 2)

    assert [at(63).state, at(63).state, at(64).state] == ["half_open", "open", "open"]


def test_a_try_that_succeeds_closes_it(at, ended):
    ended(0, 1, 2)
    at(63)

    assert ended(64, failed=False) == CLOSED
    assert at(64) == CLOSED


def test_a_try_that_fails_opens_it_for_twice_as_long(at, ended):
    ended(0, 1, 2)
    at(63)

    assert ended(64).until_ns == NOW + (64 + 120) * SECOND
    assert [at(183).state, at(184).state] == ["open", "half_open"]


def test_the_cooldown_is_doubled_only_up_to_an_hour(at, ended):
    ended(0, 1, 2)
    second = 2
    for _ in range(10):
        second += breaker.MAX_DOUBLED_S
        assert at(second).state == "half_open"
        opened = ended(second)

    assert opened.until_ns == NOW + (second + breaker.MAX_DOUBLED_S) * SECOND


def test_whoever_tries_and_is_never_heard_of_again_blocks_the_others_for_one_cooldown(at, ended):
    ended(0, 1, 2)

    assert [at(63).state, at(122).state, at(123).state] == ["half_open", "open", "half_open"]


def test_a_call_that_was_on_its_way_when_it_opened_closes_nothing(at, ended):
    ended(0, 1, 2)
    ended(3, failed=False)

    assert at(4).state == "open"


def test_one_open_breaker_of_several_is_enough(at, ended):
    ended(0, 1, 2, keys=[KEYS[1]])

    assert (at(3).state, at(3).key) == ("open", KEYS[1])
    assert at(3, keys=[KEYS[0]]) == CLOSED


def test_a_session_s_failures_do_not_stop_its_intent(at, ended):
    ended(0, 1, 2)

    assert at(3).key == KEYS[0]
    assert at(3, keys=[KEYS[1]]) == CLOSED


def test_an_intent_hears_how_its_try_ended(repository, at, ended):
    breaker.trip(repository, [KEYS[1]], "the gate was changed", NOW)
    assert at(61).state == "half_open"

    ended(62)

    assert (at(122).state, at(182).state) == ("open", "half_open")


def test_failures_count_for_the_intent_that_was_selected_and_an_alarm_for_any(repository, at, ended):
    selection.write(repository, None)
    ended(0, 1, 2)

    selection.write(repository, "INT-001", session_id="s1")

    assert (at(3), breaker.standings(repository, NOW + 3 * SECOND, THREE)) == (CLOSED, [])
    breaker.trip(repository, KEYS[:1], "denied, and executed all the same", NOW + 3 * SECOND)
    selection.write(repository, "INT-002", session_id="s1")
    assert at(4).state == "open"


def test_while_one_is_open_nobody_takes_the_try_of_the_other(at, ended):
    ended(0, 1, 2, keys=[KEYS[0]])
    ended(30, 31, 32, keys=[KEYS[1]])

    assert at(63).state == "open"
    assert at(63, keys=[KEYS[0]]).state == "half_open"


def test_a_violation_opens_it_at_once(repository, at):
    breaker.trip(repository, KEYS, "denied, and executed all the same", NOW)

    assert (at(0).state, at(0).reason) == ("open", "denied, and executed all the same")
    assert at(60).state == "half_open"


def test_a_person_closes_one_or_all(repository, at):
    breaker.trip(repository, KEYS, "denied, and executed all the same", NOW)

    assert breaker.reset(repository, KEYS[0]) == [KEYS[0]]
    assert (at(3, keys=[KEYS[0]]), at(3, keys=[KEYS[1]]).state) == (CLOSED, "open")
    assert breaker.reset(repository) == [KEYS[1]]
    assert at(3) == CLOSED
    assert breaker.reset(repository) == []


def test_looking_takes_nobodys_try(repository, at):
    breaker.trip(repository, KEYS, "denied, and executed all the same", NOW)

    seen = [breaker.standings(repository, NOW + 63 * SECOND, THREE) for _ in range(2)]

    assert [[(one.key, one.state) for one in look] for look in seen] == [
        [(key, "half_open") for key in sorted(KEYS)]
    ] * 2
    assert at(63).state == "half_open"


@pytest.mark.promise("G9")
@pytest.mark.parametrize("jump", [-400 * 24 * 3600, -3600, -61], ids=["a year", "an hour", "a minute"])
def test_a_clock_that_is_set_back_keeps_nobody_for_longer_than_a_cooldown(at, ended, jump):
    ended(0, 1, 2)

    assert at(jump).state == "open"
    assert at(jump + 59).state == "open"
    assert at(jump + 60).state == "half_open"


def test_failures_before_the_clock_was_set_back_are_of_unknown_age_and_count_no_more(ended):
    ended(0, 1)

    assert ended(-3600).state == "closed"
    assert ended(-3599, -3598).state == "open"


def test_a_clock_that_is_set_forward_lets_one_call_try(at, ended):
    ended(0, 1, 2)

    assert [at(10**9).state, at(10**9).state] == ["half_open", "open"]


def test_two_hooks_that_read_the_clock_in_another_order_count_both(ended):
    assert ended(2, 1, 0).state == "open"


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b'{"key": "session:s1", "failed', id="half written"),
        pytest.param(b"[1]", id="a list"),
        pytest.param(b"{}", id="no fields"),
        pytest.param(b'{"key": "session:s1", "failed_ns": ["x"]}', id="texts for numbers"),
        pytest.param(b'{"key": "session:s1", "failed_ns": [], "opened_ns": 1, "cooldown_s": 1e99}', id="for ever"),
        pytest.param(
            b'{"key": "session:s1", "failed_ns": [], "opened_ns": 1, "cooldown_s": 604801}', id="for over a week"
        ),
        pytest.param(b'{"key": "session:s1", "failed_ns": [], "more": 1}', id="unknown fields"),
        pytest.param(b"[" * 100_000, id="deep"),
        pytest.param(b"\xff\xfe", id="not UTF-8"),
    ],
)
def test_a_damaged_card_counts_as_none_or_as_open_where_that_is_asked_for(repository, at, ended, content):
    ended(0, 1, 2, keys=["session:s1"])
    (name,) = os.listdir(os.path.join(repository.folder, "state", "breaker"))
    path = os.path.join(repository.folder, "state", "breaker", name)

    def damage():
        with open(path, "wb") as file:
            file.write(content)

    damage()
    assert at(3) == CLOSED
    damage()
    assert breaker.standings(repository, NOW) == []
    assert ended(3).failures == 1
    damage()
    strict = THREE._replace(strict=True)
    assert (at(3, settings=strict).state, at(3, settings=strict).reason) == ("open", "its record was damaged")
    assert at(63, settings=strict).state == "half_open"


@pytest.mark.promise("G9")
def test_processes_that_count_at_once_lose_nothing(repository, figure):
    command = [sys.executable, "-c", COUNT, repository.root]
    running = [subprocess.Popen([*command, "40"]) for _ in range(4)]

    assert [process.wait() for process in running] == [0] * 4

    (standing,) = breaker.standings(repository, 1000, Settings(threshold=1000))
    figure(f"{standing.failures} failures counted by 4 processes, 0 lost")
    assert standing.failures == 160


@pytest.mark.promise("G9")
def test_of_processes_that_ask_at_once_one_may_try(repository, ended):
    ended(0, 1, 2)
    ask = (
        "import sys; from linetrail.ledger.gate import breaker;"
        "from linetrail.ledger.repository import Repository;"
        f"print(breaker.standing(Repository(sys.argv[1], None, None), {KEYS!r}, {NOW + 100 * SECOND}).state)"
    )
    command = [sys.executable, "-c", ask, repository.root]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(5)]

    answers = sorted(process.communicate()[0].strip() for process in running)

    assert answers == ["half_open", "open", "open", "open", "open"]


steps = st.lists(
    st.tuples(
        st.sampled_from(["failed", "succeeded", "asked", "tripped"]),
        # seconds the clock moves on: a jump back, nothing, a moment, a cooldown, a jump ahead
        st.sampled_from([-100_000, -30, 0, 0, 1, 1, 5, 61, 601, 100_000]),
    ),
    max_size=40,
)


@pytest.mark.promise("G9")
@given(steps)
@settings(max_examples=examples(60))
def test_whatever_happens_it_opens_only_with_a_reason_and_never_for_longer_than_told(history):
    key = ["session:s1"]
    with tempfile.TemporaryDirectory() as folder:
        repository = Repository(folder, None, None)
        now, in_a_row, tripped, was = NOW, 0, False, "closed"
        for step, seconds in history:
            now += seconds * SECOND
            if step == "asked":
                standing = breaker.standing(repository, key, now, THREE)
            elif step == "tripped":
                standing = breaker.trip(repository, key, "seen", now, THREE)
                tripped = True
            else:
                standing = breaker.count(repository, key, failed=step == "failed", now_ns=now, settings=THREE)
                in_a_row = in_a_row + 1 if step == "failed" else 0
            if standing.state != "closed" and was == "closed":
                assert tripped or in_a_row >= THREE.threshold
            if standing.state == "open":
                assert now < standing.until_ns <= now + breaker.MAX_DOUBLED_S * SECOND + breaker.SKEW_NS
            if standing.state == "closed":
                tripped = False
            was = standing.state
        later = now + (breaker.MAX_DOUBLED_S + 2 * THREE.window_s) * SECOND
        assert breaker.standing(repository, key, later, THREE).state != "open"
