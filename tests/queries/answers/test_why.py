"""`linetrail why`: from a line back to the words that somebody said to an agent."""

import json
import os
import sys
import time
from pathlib import Path

import pytest

from linetrail.ledger.event.event import Event, new_id, rfc3339
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from linetrail.projections.git.target import in_worktree
from linetrail.projections.tables.tables import Tables, made_of
from linetrail.queries.answers.why.line import Span, explained

REGISTRY = """\
active_intents:
  - id: INT-001
    name: Round at the end
    status: IN_PROGRESS
    owned_scope: ["src/**"]
"""


@pytest.fixture(autouse=True)
def _ledger_is_not_committed(repo):
    (repo.path / ".git" / "info" / "exclude").write_text(".orchestration/\n")


def record(repo, event_type, data, **fields):
    """Append an event of a kind that no hook records yet."""
    now = time.time_ns()
    event = Event(new_id(now), rfc3339(now), event_type, None, None, "human", None, None, data)._replace(**fields)
    Ledger(find(str(repo.path))).append([event])


@pytest.mark.slow
def test_an_agents_line_leads_to_its_intent_prompt_and_call(repo, agent, cli):
    session = agent()
    (repo.path / ".orchestration" / "active_intents.yaml").write_text(REGISTRY)
    assert cli("select", "INT-001").status == 0
    session.prompt("say hello")
    session.write("src/hello.py", "print('hello')\n")
    session.prompt("round the total, not each line")
    session.edit("src/hello.py", "print('hello')", "print('hello')\nround(total)")

    [row] = cli("why", "src/hello.py:2", "--json").rows

    assert (row["path"], row["line_no"], row["text"]) == ("src/hello.py", 2, "round(total)")
    assert (row["contributor_type"], row["session_id"], row["evidence"]) == ("ai", "session-1", "observed")
    assert row["prompt"]["prompt_excerpt"] == "round the total, not each line"
    assert row["prompt"]["turn"] == 2
    assert (row["intent"]["intent_id"], row["intent"]["title"]) == ("INT-001", "Round at the end")
    assert (row["tool"]["tool_name"], row["tool"]["operation_name"]) == ("Edit", "edit")
    assert row["session"]["model_id"] == "anthropic/claude-model-x"


@pytest.mark.slow  # ruff comes with what works on linetrail, not with what tests it
def test_a_formatter_s_rewrite_names_the_write_and_the_line_stays_with_its_writer(repo, agent, cli, monkeypatch):
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    writer, other = agent("writer"), agent("other")
    writer.write("a.py", "def  total( values ):\n  return   sum(values)\n")
    other.bash("ruff format --isolated a.py")

    [line] = cli("why", "a.py:2", "--json").rows

    assert (line["text"], line["session_id"]) == ("    return sum(values)", "writer")
    [form] = line["formatted"]
    assert form["command"] == "ruff format --isolated a.py"
    assert "layout   formatted by ruff format --isolated a.py" in cli("why", "a.py:2").out
    [written] = cli("show", line["event_id"], "--json").rows
    [rewrite] = cli("show", form["mutation_id"], "--json").rows
    assert [one["mutation_id"] for one in written["formatted_by"]] == [form["mutation_id"]]
    assert [one["written_mutation_id"] for one in rewrite["formats"]] == [line["event_id"]]


@pytest.mark.slow
def test_of_what_nothing_was_recorded_no_table_is_made(repo, agent, monkeypatch):
    agent().write("a.py", "alpha\n")
    repository = find(str(repo.path))
    made, make = set(), Tables.make
    monkeypatch.setattr(Tables, "make", lambda tables, names: made.update(made_of(names)) or make(tables, names))

    [line] = explained(repository, in_worktree(repository, "a.py"), Span("a.py", 1, 1))

    assert line.why.session["session_id"] == "session-1"
    assert "sessions" in made
    assert made.isdisjoint({"intents", "mutation_classes"})


@pytest.mark.slow
def test_each_line_has_the_prompt_of_its_own_session(repo, agent, cli):
    one, two = agent("one"), agent("two")
    one.prompt("first words")
    two.prompt("second words")
    one.write("a.py", "alpha\n")
    two.edit("a.py", "alpha", "alpha\nbeta")

    prompts = [cli("why", f"a.py:{line}", "--json").rows[0]["prompt"]["prompt_excerpt"] for line in (1, 2)]
    assert prompts == ["first words", "second words"]


@pytest.mark.slow
def test_former_and_later_changes_of_the_line_are_listed(repo, agent, cli):
    one, two = agent("one"), agent("two")
    one.write("a.py", "total = sum(xs)\n")
    two.edit("a.py", "sum(xs)", "sum(ys)")
    repo.write("a.py", "total = sum(zs)\n")
    one.write("b.py", "other\n")
    one.edit("a.py", "zs)\n", "zs)\nmore\n")

    [row] = cli("why", "a.py:1", "--json").rows

    assert (row["contributor_type"], row["mixed"]) == ("unknown", True)
    assert [claim["via"] for claim in row["later"]] == ["unseen"]
    assert [claim["session_id"] for claim in row["earlier"]] == ["one"]
    assert row["session"]["session_id"] == "two"


@pytest.mark.slow
def test_a_change_that_nobody_was_seen_making_is_found_not_later(repo, agent, cli):
    repo.commit("start", {"a.py": "one\n"})
    session = agent()
    session.edit("a.py", "one", "one\ntwo")
    repo.write("a.py", "one\ntwo\nby hand\n")
    session.edit("a.py", "two", "three")
    repo.commit()

    page = cli("why", "a.py:3").out
    assert "\n  found    changed by nobody we saw  " in page
    assert "later" not in page


@pytest.mark.slow
def test_an_empty_line_leaves_no_blanks_behind_its_place(agent, cli):
    agent().write("a.py", "\n")

    assert cli("why", "a.py:1").out.splitlines()[0] == "a.py:1"


@pytest.mark.slow
def test_whoever_reviewed_a_commit_is_named_as_its_message_has_it(repo, agent, cli):
    agent().write("a.py", "one\n")
    repo.commit("a change\n\nReviewed-by: A Person <person@example.org>\nReviewed-by: Another\nTested-by: Nobody Here")
    repo.commit("as yet unread", {"a.py": "one\ntwo\n"})

    read, unread = cli("why", "a.py:1-2", "--json").rows
    assert (read["reviewed_by"], unread["reviewed_by"]) == (["A Person", "Another"], [])
    assert "  reviewed by A Person, Another\n" in cli("why", "a.py:1").out
    assert "reviewed" not in cli("why", "a.py:2").out


@pytest.mark.slow
def test_a_line_that_only_git_knows_says_so(repo, agent, cli):
    revision = repo.commit("a reason of its own", {"a.py": "one\n"})
    agent()

    [row] = cli("why", "a.py:1", "--json").rows
    assert (row["vcs_revision"], row["commit_summary"], row["prompt"]) == (revision, "a reason of its own", None)
    page = cli("why", "a.py:1").out
    assert "Author, presumed" in page
    assert "a reason of its own" in page


@pytest.mark.slow
def test_decisions_about_the_file_are_named(repo, agent, cli):
    agent().write("a.py", "LEEWAY = 60\n")
    alternatives = [{"option": "a cron job", "why_rejected": "it races"}]
    shared = {"rationale": "simple", "status": "accepted", "supersedes": None, "alternatives": alternatives}
    record(repo, "decision.recorded", {"decision_id": "D-1", "title": "one constant", "lines": ["a.py:1-1"]} | shared)
    record(repo, "decision.recorded", {"decision_id": "D-2", "title": "elsewhere", "lines": ["aa.py:1-1"]} | shared)

    [row] = cli("why", "a.py:1", "--json").rows
    assert [decision["decision_id"] for decision in row["decisions"]] == ["D-1"]
    assert row["decisions"][0]["alternatives"] == alternatives
    page = cli("why", "a.py:1").out
    assert "\n  decided  D-1 one constant  accepted\n           because simple\n" in page
    assert "\n           rejected: a cron job (it races)\n" in page


@pytest.mark.slow
def test_the_page_for_people(repo, agent, cli):
    session = agent()
    session.prompt("write it down")
    session.write("a.py", "one\n")
    [event] = repo.events("mutation.observed")
    day = event.timestamp[:10]

    assert cli("why", "a.py:1").out.splitlines() == [
        "a.py:1  one",
        "  author   claude-code (anthropic/claude-model-x), session session-1",
        f'  asked    "write it down"  turn 1, {day}',
        f"  written  Write  toolu_session-1_1  {event.timestamp}  event {event.id}",
        "  evidence observed, confidence 1: a hook saw this write on the disk",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "lines"),
    [
        ("a.py:2", [2]),
        ("a.py:2-3", [2, 3]),
        ("a.py:2,4", [2, 3, 4]),
        ("a.py:2,+2", [2, 3]),
        ("a.py:@@ -1,2 +3,2 @@ def x():", [3, 4]),
        ("a.py:@@ -1 +2 @@", [2]),
    ],
)
def test_lines_are_named_as_people_and_programs_name_them(place, lines, agent, cli):
    agent().write("a.py", "one\ntwo\nthree\nfour\n")

    assert [row["line_no"] for row in cli("why", place, "--json").rows] == lines


@pytest.mark.slow
def test_lines_of_one_change_share_a_page(agent, cli):
    session = agent()
    session.write("a.py", "one\ntwo\nthree\n")
    session.edit("a.py", "two", "2")

    headings = [line for line in cli("why", "a.py:1-3").out.splitlines() if line.startswith("a.py")]

    assert headings == ["a.py:1,3  one  (and 1 more line)", "a.py:2  2"]


@pytest.mark.slow
def test_a_line_says_which_definition_it_is_part_of(agent, cli):
    agent().write("a.py", "X = 1\n\n\nclass A:\n    def b(self):\n        return 1\n")

    assert [(row["node"] or {}).get("qualified_name") for row in cli("why", "a.py:1-6", "--json").rows] == [
        "X", None, None, "A", "A.b", "A.b",
    ]  # fmt: skip
    assert "\n  part of  A.b  (method, lines 5-6)\n" in cli("why", "a.py:6").out


@pytest.mark.slow
def test_who_let_a_write_happen_is_told(repo, agent, cli):
    session = agent()
    session.write("a.py", "one\n")
    [event] = repo.events("mutation.observed")
    call = {"tool_call_id": event.data["tool_call_id"], "source": "linetrail", "approval_id": "A1"}
    said = {"session_id": session.session_id}
    record(repo, "gate.decided", call | {"verdict": "ask", "code": "DANGEROUS", "reason": "a person is asked"}, **said)
    record(repo, "approval.decided", {"approval_id": "A1", "approved": True, "reason": "once"}, **said)
    record(repo, "gate.decided", call | {"verdict": "allow", "code": "APPROVED", "reason": "a person said so"}, **said)

    [row] = cli("why", "a.py:1", "--json").rows
    page = cli("why", "a.py:1", "--color", "always").out

    assert [verdict["verdict"] for verdict in row["verdicts"]] == ["ask", "allow"]
    assert "  held     \x1b[33mDANGEROUS: a person is asked  (a person had to answer)\x1b[0m\n" in page
    assert '  approved by a person "once"' in page
    assert "  allowed  APPROVED: a person said so  by linetrail" in page


@pytest.mark.slow
def test_what_was_refused_and_happened_all_the_same_stands_out(repo, agent, cli):
    session = agent()
    session.write("a.py", "one\n")
    [event] = repo.events("mutation.observed")
    refused = {
        "tool_call_id": event.data["tool_call_id"],
        "verdict": "deny",
        "code": "OUT",
        "reason": "no",
        "enforced": True,
    }
    record(repo, "gate.decided", refused | {"source": "linetrail"}, session_id=session.session_id)

    assert "  refused  OUT: no  (refused, and it happened all the same)\n" in cli("why", "a.py:1").out


@pytest.mark.slow
def test_many_former_changes_are_cut_short(agent, cli):
    session = agent()
    session.write("a.py", "total = sum(a)\n")
    for letter in "bcdef":
        session.edit("a.py", "sum(", f"sum({letter}")

    brief, full = (cli("why", "a.py:1", *options).out for options in ([], ["--full"]))

    assert brief.count("\n  before ") == 4
    assert "\n  before   and 2 more (--full)\n" in brief
    assert (full.count("\n  before "), "more (--full)" in full) == (5, False)


@pytest.mark.slow
def test_a_proposal_that_a_person_changed_says_so(repo, agent, cli):
    agent().write("a.py", "one\n", userModified=True)

    assert "changed by a person before it was accepted" in cli("why", "a.py:1").out


@pytest.mark.slow
def test_a_line_of_an_older_revision(repo, agent, cli):
    agent("one").write("a.py", "one\n")
    repo.commit()
    agent("two").write("a.py", "quite another\n")
    repo.commit()

    [row] = cli("why", "a.py:1", "--rev", "HEAD~1", "--json").rows
    assert (row["text"], row["session_id"]) == ("one", "one")


@pytest.mark.slow
def test_a_path_may_have_colons(repo, agent, cli):
    agent().write("a:b:1.py", "one\n")

    assert cli("why", "a:b:1.py:1", "--json").rows[0]["session_id"] == "session-1"


@pytest.mark.in_turn
@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "complaint"),
    [
        pytest.param("a.py", "names no line", id="no line"),
        pytest.param("a.py:x", "defines no x", id="a word"),
        pytest.param("a.py:0", "no line 0", id="zero"),
        pytest.param("a.py:1-2", "ends at line 1", id="lines behind the end"),
        pytest.param("a.py:2-1", "write a.py:1-2", id="lines in the wrong order"),
        pytest.param("a.py:2", "ends at line 1", id="behind the end"),
        pytest.param("b.py:1", "no file b.py", id="no file"),
    ],
)
def test_a_place_that_is_none_is_refused(place, complaint, repo, agent, cli):
    agent().write("a.py", "one\n")

    answer = cli("why", place, "--json")

    assert (answer.status, answer.out) == (2, "")
    assert complaint in answer.err


@pytest.mark.slow
def test_json_is_one_document(repo, agent, cli):
    agent().write("a.py", "one\n")

    assert json.loads(cli("why", "a.py:1", "--json").out)["schema_version"] == 1


@pytest.mark.slow
def test_a_definition_leads_to_all_intents_and_words_behind_it(repo, agent, cli):
    text = "def total(rows):\n    check(rows)\n    found = sum(rows)\n    return found\n"
    repo.commit("start", {"src/a.py": text})
    (repo.path / ".orchestration").mkdir(exist_ok=True)
    (repo.path / ".orchestration" / "active_intents.yaml").write_text(REGISTRY)
    session = agent("one")
    session.prompt("call it what it is")
    session.edit("src/a.py", "def total(", "def amount_due(")
    assert cli("select", "INT-001").status == 0
    session.prompt("round the total")
    session.edit("src/a.py", "return found", "return round(found)")

    [row] = cli("why", "src/a.py:amount_due", "--json").rows

    assert (row["path"], row["qualified_name"], row["start_line"], row["end_line"]) == ("src/a.py", "amount_due", 1, 4)
    assert [prompt["prompt_excerpt"] for prompt in row["prompts"]] == ["round the total", "call it what it is"]
    assert [intent["intent_id"] for intent in row["intents"]] == ["INT-001"]
    assert [version["change"] for version in row["versions"]] == [["edited"], ["renamed"], ["created"]]
    assert row["last_change"] == row["versions"][0]
    assert [(one["contributor_type"], one["author"], one["lines"]) for one in row["lines"]] == [
        ("ai", None, 2),
        ("human", "Author", 2),
    ]


@pytest.mark.slow
def test_a_page_about_a_definition_says_how_each_version_is_known(repo, agent, cli):
    repo.commit("start", {"a.py": "def total(rows):\n    check(rows)\n    return sum(rows)\n"})
    session = agent("session-abc")
    session.prompt("call it what it is")
    session.edit("a.py", "def total(", "def amount_due(")

    heading, *lines = cli("why", "a.py:amount_due").out.splitlines()

    assert heading.startswith("a.py:amount_due  lines 1-3, node ")
    assert lines[:2] == ["  lines    2 lines by (Author)", "  lines    1 line by claude-code, session session-abc"]
    assert lines[2].startswith('  asked    "call it what it is"  turn 1')
    assert lines[3].split("  ")[-2:] == ["renamed from total", "a.py:amount_due 1-3"]
    assert [line.strip() for line in lines[4:6]] == ["renamed `total` → `amount_due`", "body identical"]


@pytest.mark.slow
def test_what_a_file_does_not_define_is_refused(repo, cli):
    repo.start_ledger()
    repo.commit(files={"a.py": "def total():\n    pass\n"})

    answer = cli("why", "a.py:nothing")

    assert (answer.status, answer.err) == (2, "error: a.py defines no nothing\nnext: grep -nF -e nothing a.py\n")
