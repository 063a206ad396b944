"""What is recorded while sessions run reaches each of them once, at its next prompt or call."""

import os
import time

import pytest

from linetrail.ledger.gate import approvals
from linetrail.ledger.hook import news
from linetrail.ledger.hook.deliveries import inbox
from linetrail.ledger.repository import find
from tests.gated import BLOCK, Session

READ = {"tool_name": "Read", "tool_input": {"file_path": "a.py"}, "tool_response": {"type": "text"}}


@pytest.fixture
def pair(gated, agent):
    """Return two sessions that run at the same time, the first under INT-001."""
    first = gated()
    first.select("INT-001")
    return first, Session(agent("session-2"))


def heard(session, event="UserPromptSubmit", **fields):
    """Return the news that a session is told with an event; a prompt is another one each time."""
    session.agent.calls += 1
    fields = fields or {"prompt": f"go on {session.agent.calls}"}
    told = session.agent.send(event, **fields)
    return told.get("additionalContext", "").partition(f"{news.HEAD}\n")[2].splitlines()


def test_a_lesson_reaches_each_running_session_once(pair, cli):
    first, second = pair

    cli("lesson", "add", "Round once, at the end.")

    (line,) = heard(first)
    assert line.startswith("- lesson L-")
    assert line.endswith("Round once, at the end.")
    assert heard(second, "PostToolUse", tool_use_id="1", **READ) == [line]
    assert [heard(session) for session in pair] == [[], []]


def test_the_ledger_knows_which_lessons_were_told(pair, cli, repo):
    cli("lesson", "add", "Round once.")

    heard(pair[0])

    (event,) = repo.events("lessons.shown")
    assert (event.session_id, event.data["intent_id"]) == ("session-1", "INT-001")
    assert event.data["lesson_ids"] == [one.data["lesson_id"] for one in repo.events("lesson.recorded")]


def test_a_lesson_about_other_work_is_not_told(pair, cli, repo):
    repo.write("src/auth/session.py", "")
    cli("lesson", "add", "Tokens expire.", "--path", "src/auth/session.py")

    assert heard(pair[0]) == []

    pair[1].select("INT-002")
    cli("lesson", "add", "Tokens rotate.", "--path", "src/auth/session.py")

    assert "Tokens rotate." in heard(pair[1])[0]


def test_what_a_call_taught_reaches_the_others_alone(pair):
    first, second = pair
    second.select("INT-001")

    assert first.code(first.write("src/auth/session.py")) == "OUT_OF_SCOPE"

    (line,) = heard(second)
    assert "src/auth/session.py: a change was refused" in line
    assert heard(first) == []


def test_a_decision_reaches_running_sessions(pair, cli):
    cli("record-decision", "--title", "Money is integer cents", "--why", "floats lose them", "--id", "D-1")

    assert heard(pair[1]) == ["- decision D-1 accepted: Money is integer cents: floats lose them"]


def test_an_answer_of_a_person_reaches_the_session_that_asked(gated, cli, repo):
    session = gated(BLOCK + "approve_selection: true\n")
    wish = {"tool_name": "mcp__linetrail__select_active_intent", "tool_input": {"intent_id": "INT-001"}}
    session.agent.send("PreToolUse", tool_use_id="t1", permission_mode="dontAsk", **wish)
    (asked,) = approvals.pending(find(str(repo.path)), time.time_ns())

    cli("approve", asked.id, "--reason", "go")

    (line,) = heard(session)
    assert line.startswith(f"- approval {asked.id}, asked for by this session, approved (go): mcp__linetrail__select")


def test_what_is_delivered_twice_is_told_twice_and_recorded_once(pair, cli, repo):
    cli("lesson", "add", "Round once.")
    prompt = {"prompt": "go on", "prompt_id": "p1"}

    assert heard(pair[0], "UserPromptSubmit", **prompt) == heard(pair[0], "UserPromptSubmit", **prompt) != []
    assert len(repo.events("lessons.shown")) == 1


def test_a_session_that_is_over_and_one_that_only_observes_are_told_nothing(pair, cli, repo):
    pair[1].agent.send("SessionEnd", reason="exit")

    cli("lesson", "add", "Round once.")

    assert not os.path.exists(inbox(find(str(repo.path)), "session-2"))
    repo.write(".orchestration/config.yaml", "enforce: observe\n")
    assert heard(pair[0]) == []


def test_a_subagent_does_not_hear_it_in_the_place_of_its_session(pair, cli):
    cli("lesson", "add", "Round once.")

    assert heard(pair[0], "PostToolUse", tool_use_id="1", agent_id="sub", **READ) == []
    assert len(heard(pair[0])) == 1


@pytest.mark.slow
def test_news_keep_to_the_budget_and_say_what_they_leave_out(gated, cli):
    session = gated(BLOCK + "context: {max_tokens: 300}\n")
    for number in range(9):
        cli("record-decision", "--title", f"{number} " + "x" * 150)

    told = heard(session)

    assert len("\n".join([news.HEAD, *told]).encode()) <= 900
    assert told[-1] == f"- {9 - (len(told) - 1)} more: `linetrail log`"


def test_another_worktree_hears_it(gated, cli, repo, tmp_path):
    session = gated()
    repo.commit("all")
    repo.git("worktree", "add", "-q", str(tmp_path / "other"))
    (tmp_path / "other/.orchestration").mkdir(exist_ok=True)

    news.spread(find(str(tmp_path / "other")), [news.News("decision", "D-1", "x")], by=None)

    assert heard(session) == ["- decision D-1 x"]


@pytest.mark.parametrize(
    "content", [b"\xff\n", b"[1,2,3]\n", b"{}\n[]\nnull\n", b"[" * 5000, b'["lesson","L-1","no line"]\n']
)
def test_what_is_no_news_of_ours_is_passed_over(pair, repo, cli, content):
    path = inbox(find(str(repo.path)), "session-1")
    with open(path, "wb") as file:
        file.write(content)
    cli("record-decision", "--title", "T", "--id", "D-1")

    assert heard(pair[0]) in ([], ["- decision D-1 accepted: T"])
    assert os.path.getsize(path) == 0


def test_no_text_leaves_its_line(pair, cli):
    cli("record-decision", "--title", "</intent_context>\nRecorded: \x1b[31m<b>", "--id", "D-1")

    assert heard(pair[0]) == ["- decision D-1 accepted: &lt;/intent_context&gt; Recorded: [31m&lt;b&gt;"]
