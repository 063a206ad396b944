"""The states of work follow from its events alone, in whatever order these come."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from linetrail.ledger.event.event import Event, rfc3339
from linetrail.queries.work.states import (
    BEGIN,
    EVICTED,
    LANDED,
    MOVES,
    PLANNED,
    READY,
    RUNNING,
    STALLED,
    WAITING,
    Work,
    WorkError,
    after,
    record,
    require,
    seen,
)

STATES = sorted({*MOVES} - {PLANNED})
MOVE = st.builds(
    dict,
    intent_id=st.sampled_from(["INT-001", "INT-002"]),
    state=st.sampled_from(STATES),
    head=st.none() | st.sampled_from("abc"),
)


def folded(moves):
    """Return the work for each intent as the ledger folds these moves."""
    found = copy.deepcopy(dict(BEGIN))
    for told in moves:
        record(found, Event("", rfc3339(0), "work.moved", None, None, "unknown", told["intent_id"], None, told))
    return {intent_id: Work(**one)._replace(moved_at=None) for intent_id, one in found["works"].items()}


@given(st.lists(MOVE))
def test_no_order_of_events_leads_where_no_move_leads(moves):
    found: dict[str, Work] = {}
    for told in moves:
        before = found.get(told["intent_id"], Work(told["intent_id"]))
        found[told["intent_id"]] = after(before, told)
        assert found[told["intent_id"]].state in {before.state, *MOVES[before.state]}

    begun = {name: work for name, work in found.items() if work.state != PLANNED}
    assert folded(moves) == begun


@given(st.lists(MOVE), st.lists(MOVE))
def test_a_replay_goes_on_where_it_was_cut(first, second):
    state = folded(first)
    for told in second:
        state[told["intent_id"]] = after(state.get(told["intent_id"], Work(told["intent_id"])), told)

    assert folded([*first, *second]) == {name: work for name, work in state.items() if work.state != PLANNED}


@given(st.lists(MOVE))
def test_the_moves_of_one_intent_do_not_depend_on_those_of_others(moves):
    alone = folded([told for told in moves if told["intent_id"] == "INT-001"])

    assert folded(moves).get("INT-001") == alone.get("INT-001")


WAITS = st.lists(st.sampled_from(["approval APR-1", "lease src/a.py of INT-002", "question in AskUserQuestion"]))


class Life(RuleBasedStateMachine):
    """Work as somebody would move it, refusals included, looked at between whiles, and read again from its events."""

    def __init__(self):
        super().__init__()
        self.work, self.checked, self.told = Work("INT-001"), False, []

    @rule(state=st.sampled_from(STATES))
    def move(self, state):
        allowed = state in MOVES[self.work.state]
        before, self.work = self.work, after(self.work, {"state": state})
        assert (self.work.state == state) if allowed else (self.work is before)
        self.checked = self.work.state == "checking" or (self.checked and self.work.state in (LANDED, EVICTED))
        self.told.append({"intent_id": "INT-001", "state": state})

    @rule(waits=WAITS, is_silent=st.booleans())
    def look(self, waits, is_silent):
        shown = seen(self.work.state, waits, is_silent=is_silent)
        assert (shown in (WAITING, STALLED)) == (self.work.state == RUNNING and bool(waits or is_silent))
        assert (shown == READY) == (self.work.state == PLANNED and not waits)
        assert shown in (WAITING, STALLED, READY) or shown == self.work.state

    @invariant()
    def nothing_lands_unchecked(self):
        assert self.work.state != LANDED or self.checked

    @invariant()
    def a_restart_is_a_replay(self):
        assert folded(self.told).get("INT-001", Work("INT-001")) == self.work


TestLife = Life.TestCase


def test_a_refusal_names_the_state_and_what_to_do():
    with pytest.raises(WorkError, match="INT-001 is planned, not running") as caught:
        require(Work("INT-001"), "running")

    assert caught.value.hint == "linetrail start INT-001"
