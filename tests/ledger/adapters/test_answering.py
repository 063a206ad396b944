"""What agents are told, byte for byte in their own protocols."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.adapters.adapter import adapter
from linetrail.ledger.agents import AGENTS
from linetrail.ledger.event.signal import Answer
from tests.ledger.adapters.dialects import DIALECTS
from tests.ledger.adapters.recorded import RESPONSES, agent_of

pytestmark = pytest.mark.in_turn

DENIED = "INT-001 does not own src/auth/session.py (owned: src/billing/**)."
FACTS = "Active intent: INT-001. Owned paths: src/billing/**."
OPEN = "Intent INT-001 is still open."
ANSWERS = {
    "deny": Answer("deny", DENIED),
    "pass": Answer(),
    "context": Answer(context=FACTS),
    "block": Answer("deny", OPEN),
}
# Agents that read no silence: these have to be told to go on.
ANSWERED = {"cursor", "cline"}


@pytest.mark.parametrize("row", RESPONSES, ids=lambda row: f"{row['agent']} {row['event']} {row['verdict']}")
def test_an_answer_is_exactly_what_the_agent_reads(row):
    said = adapter(agent_of(row["agent"])).reply(row["event"], ANSWERS[row["verdict"]])

    assert (said.stdout.decode(), said.stderr.decode(), said.exit_code) == (row["stdout"], row["stderr"], row["exit"])


@pytest.mark.parametrize("agent", AGENTS)
def test_an_event_of_the_future_is_answered_with_nothing(agent):
    said = adapter(agent).reply("EventOfTheFuture", Answer())

    assert said.exit_code == 0
    assert said.stderr == b""
    assert (json.loads(said.stdout) if agent in ANSWERED else said.stdout) is not None
    assert agent in ANSWERED or said.stdout == b""


@pytest.mark.parametrize("agent", AGENTS)
@given(message=st.text(min_size=1), context=st.text(min_size=1), verdict=st.sampled_from(["deny", "ask", None]))
def test_whatever_is_told_stays_one_answer(agent, message, context, verdict):
    module = adapter(agent)
    for event in (*module.GATED, "EventOfTheFuture"):
        said = module.reply(event, Answer(verdict, verdict and message, None if verdict else context))

        assert said.exit_code in (0, 2)
        if said.stdout.startswith(b"{"):
            assert b"\n" not in said.stdout
            json.loads(said.stdout)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_call_is_let_through_only_by_an_answer_that_says_so(agent):
    for event in adapter(agent).GATED:
        said = adapter(agent).reply(event, Answer("deny", DENIED))

        assert DENIED in (said.stdout + said.stderr).decode()


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_a_call_can_be_stopped_where_the_agent_asks_before_it(dialect):
    assert dialect.before in adapter(dialect.agent).GATED


@pytest.mark.parametrize("agent", AGENTS)
def test_an_adapter_is_short(agent):
    source = Path(adapter(agent).__file__).read_text(encoding="utf-8")
    code, _, _ = source.partition("\ndef about()")
    code = re.sub(r"if TYPE_CHECKING:.*\n.*\n\n", "", code)
    code = re.sub(r"^(from [\w.]+ )?import (\([^)]*\)|.*)\n", "", code, flags=re.MULTILINE)

    assert len(code.rstrip().splitlines()) < 140
