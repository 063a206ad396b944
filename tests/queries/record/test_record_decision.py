"""`linetrail record-decision` and `decisions`: kept once, found by a prefix, and behind the lines it is about."""

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from linetrail.ledger.errors import StorageError
from linetrail.ledger.intents import selection
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from linetrail.projections.lines.decision_lines import governing
from linetrail.projections.tables.tables import open_tables

CODE = """\
LEEWAY = 60


def refresh(token):
    if token.expires_in < LEEWAY:
        return rotate(token)
    return token


def rotate(token):
    return token.next()
"""
INTENTS = 'active_intents:\n  - {id: INT-1, name: Refresh, status: IN_PROGRESS, owned_scope: ["src/**"]}\n'
SECRET = "ghp_" + "a1B2c3D4e" * 4


@pytest.fixture
def code(repo):
    repo.commit(files={"src/token.py": CODE})
    repo.start_ledger()
    repo.write(".orchestration/active_intents.yaml", INTENTS)
    return repo.path / "src" / "token.py"


@pytest.fixture
def decide(cli):
    """Return a function that records a decision and returns its row."""

    def run(title, *options):
        answer = cli("record-decision", "--title", title, *options, "--json")
        assert answer.status == 0, answer.err
        return answer.rows[0]

    return run


def governed(cli, place):
    return {row["decision_id"]: row["governs"] for row in cli("decisions", "at", place, "--json").rows}


@pytest.mark.slow
def test_what_was_said_is_in_the_ledger_and_in_the_tables(repo, cli, code, decide):
    row = decide(
        *("Refresh early", "--why", "tokens die\nmid-request", "--alternative", "cron at 03:00: races with deploys"),
        *("--alternative", "retry", "--lines", "src/token.py:4-7", "--intent", "INT-1"),
    )

    (event,) = repo.events("decision.recorded")
    assert (event.contributor, event.intent_id, event.session_id) == ("human", "INT-1", None)
    assert event.data["alternatives"] == [
        {"option": "cron at 03:00", "why_rejected": "races with deploys"},
        {"option": "retry", "why_rejected": None},
    ]
    assert event.data["lines"] == ["src/token.py:4-7"]
    assert len(event.data["places"][0]["line_hashes"]) == 4
    (listed,) = cli("decisions", "--json").rows
    assert (listed["decision_id"], listed["rationale"]) == (row["decision_id"], "tokens die\nmid-request")
    assert cli("verify").status == 0


def test_an_agent_decides_in_its_session_for_its_intent(repo, cli, code, decide, monkeypatch):
    monkeypatch.setenv(selection.SESSION_VARIABLE, "session-1")
    selection.write(find(str(repo.path)), "INT-1", session_id="session-1")

    decide("Refresh early")

    (event,) = repo.events("decision.recorded")
    assert (event.contributor, event.session_id, event.intent_id) == ("ai", "session-1", "INT-1")
    assert event.agent.name == "claude-code"


@pytest.mark.slow
def test_an_id_is_found_by_its_first_characters(cli, code, decide):
    row = decide("Refresh early")

    assert cli("decisions", "show", row["decision_id"][:5]).out.startswith(f"{row['decision_id']}  Refresh early")
    assert decide("Refresh late", "--supersedes", row["decision_id"][:5])["supersedes_id"] == row["decision_id"]


@pytest.mark.slow
def test_a_replaced_decision_is_superseded_and_a_proposal_replaces_nothing(cli, code, decide):
    old = decide("One leeway", "--id", "D-1")["decision_id"]
    decide("Per tenant", "--id", "D-2", "--supersedes", old, "--status", "proposed")
    statuses = dict(json_rows(cli, "decision_id", "status"))
    assert statuses == {"D-1": "accepted", "D-2": "proposed"}

    assert cli("record-decision", "--id", "D-2", "--status", "accepted").status == 0

    assert dict(json_rows(cli, "decision_id", "status")) == {"D-1": "superseded", "D-2": "accepted"}
    assert dict(json_rows(cli, "decision_id", "superseded_by_id"))["D-1"] == "D-2"
    assert dict(json_rows(cli, "decision_id", "title"))["D-2"] == "Per tenant"


def json_rows(cli, *columns):
    return [tuple(row[name] for name in columns) for row in cli("decisions", "--json").rows]


@pytest.mark.in_turn
@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        pytest.param(["--supersedes", "D-13"], 1, "no decision is called D-13; there is D-12 (First)", id="unknown"),
        pytest.param(["--id", "D-12", "--supersedes", "D-12"], 1, "would replace itself", id="itself"),
        pytest.param(["--lines", "src/token.py:4-70"], 1, "has 11, counted from 1", id="beyond the end"),
        pytest.param(["--lines", "src/token.py:0-2"], 1, "counted from 1", id="line zero"),
        pytest.param(["--lines", "src/token.py:7-4"], 1, "names no lines", id="backwards"),
        pytest.param(["--lines", "src/none.py:1"], 2, "no file src/none.py", id="no such file"),
        pytest.param(["--lines", "../x.py:1"], 2, "outside the repository", id="outside"),
        pytest.param(["--lines", "src"], 2, "is a folder", id="a folder"),
        pytest.param(["--intent", "INT-9"], 1, "no intent INT-9", id="no such intent"),
        pytest.param(["--id", "a b"], 2, "is no id", id="no id"),
        pytest.param(["--id", SECRET], 2, "is no id", id="a secret for an id"),
        pytest.param(["--why", "x" * 4001], 2, "4,001 characters", id="too long"),
        pytest.param(["--alternative", " : why"], 2, "needs words", id="an empty alternative"),
    ],
)
def test_what_cannot_stand_is_refused_with_the_reason_and_nothing_is_written(
    repo, cli, code, decide, options, status, said
):
    decide("First", "--id", "D-12")

    answer = cli("record-decision", "--title", "Second", *options)

    assert answer.status == status
    assert said in answer.err
    assert len(repo.events("decision.recorded")) == 1


@pytest.mark.slow
def test_a_circle_over_several_decisions_is_refused(cli, code, decide):
    decide("a", "--id", "A")
    decide("b", "--id", "B", "--supersedes", "A")
    decide("c", "--id", "C", "--supersedes", "B")

    answer = cli("record-decision", "--id", "A", "--supersedes", "C")

    assert (answer.status, "A replaced C replaced B replaced A" in answer.err) == (1, True)


def test_secrets_and_signs_that_steer_a_terminal_never_reach_the_ledger(repo, cli, code, decide):
    decide(f"Use {SECRET}", "--why", f"\x1b[31mkey={SECRET}", "--alternative", f"{SECRET}: \u202eno {SECRET}")

    line = b"".join(repo.lines())
    assert SECRET.encode() not in line
    assert b"\\u001b" not in line
    assert "\u202e".encode() not in line
    assert b"[redacted:" in line


@pytest.mark.slow
def test_agents_write_json(repo, linetrail, code):
    records = [
        {"title": "One", "why": "because", "alternatives": ["a: slow", {"option": "b"}], "id": "D-1"},
        {"title": "Two", "supersedes": "D-1", "lines": ["src/token.py:1"], "intent": "INT-1"},
    ]

    done = linetrail("record-decision", "--from-json", "-", "--json", stdin=json.dumps(records))

    assert done.returncode == 0, done.stderr
    one, two = json.loads(done.stdout)["rows"]
    assert (one["rationale"], one["alternatives"][1]) == ("because", {"option": "b", "why_rejected": None})
    assert (two["supersedes_id"], two["intent_id"]) == ("D-1", "INT-1")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "[1]", "{", '{"title": 5}', '{"titel": "x"}', '{"title": "x", "lines": "a"}', '{"why": "x"}', "[" * 999],
)
def test_json_that_is_no_decision_is_refused(repo, linetrail, code, text):
    done = linetrail("record-decision", "--from-json", "-", stdin=text)

    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert not repo.lines()


@pytest.mark.slow
def test_two_branches_and_many_processes_never_meet_in_one_id(repo, linetrail, code):
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: linetrail("record-decision", "--title", "Same"), range(4)))

    assert [one.returncode for one in done] == [0] * 4
    assert len({event.data["decision_id"] for event in repo.events("decision.recorded")}) == 4


@pytest.mark.slow
def test_lines_are_followed_when_the_block_moves_in_its_file(cli, code, decide):
    decision = decide("Refresh early", "--lines", "src/token.py:4-7")["decision_id"]
    head, _, rest = CODE.partition("def refresh")
    code.write_text(f"import time\n\n{head}\n\n# below\n\n\ndef refresh{rest}")

    assert governed(cli, "src/token.py:12") == {decision: "11-14"}
    assert governed(cli, "src/token.py:1") == {}


@pytest.mark.slow
def test_lines_are_followed_into_another_file(repo, cli, code, decide):
    decision = decide("Refresh early", "--lines", "src/token.py:4-7")["decision_id"]
    repo.write("src/refresh.py", "from x import rotate\n\n" + "".join(CODE.splitlines(True)[3:7]))
    code.write_text(CODE.splitlines(True)[0])

    assert governed(cli, "src/refresh.py") == {decision: "3-6"}
    assert governed(cli, "src/token.py") == {}


@pytest.mark.slow
def test_an_edited_line_is_still_what_was_decided_about(repo, agent, cli):
    repo.commit(files={"other.txt": "x\n"})
    session = agent()
    session.write("src/token.py", CODE)
    answer = cli("record-decision", "--title", "Refresh early", "--lines", "src/token.py:1", "--json")

    session.edit("src/token.py", "LEEWAY = 60", "LEEWAY = 90")

    assert governed(cli, "src/token.py:1") == {answer.rows[0]["decision_id"]: "1"}


@pytest.mark.slow
def test_a_whole_file_follows_a_rename_that_was_seen(repo, agent, cli):
    session = agent()
    session.write("a.py", CODE)
    cli("record-decision", "--title", "About all of it", "--id", "D-1", "--lines", "a.py")
    session.bash("mv a.py b.py")

    assert governed(cli, "b.py:5") == {"D-1": "1-11"}


@pytest.mark.slow
def test_why_can_ask_which_decisions_govern_a_line(repo, code, decide):
    decide("Leeway", "--id", "D-1", "--lines", "src/token.py:1")

    with open_tables(find(str(repo.path))) as tables:
        found = governing(tables, "src/token.py", 1, code.read_bytes())
        none = governing(tables, "src/token.py", 5, code.read_bytes())

    assert [one["decision_id"] for one in found] == ["D-1"]
    assert none == []


@pytest.mark.slow
def test_a_clone_that_never_saw_the_files_has_the_decisions(repo, cli, linetrail, code, decide, tmp_path):
    decide("Leeway", "--id", "D-1", "--lines", "src/token.py:1")
    assert cli("seal").status == 0
    repo.commit("ledger")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(repo.path), str(clone)], check=True)

    assert "D-1" in linetrail("decisions", "at", "src/token.py:1", cwd=clone).stdout


@pytest.mark.slow
def test_without_git_a_decision_is_recorded(tmp_path, linetrail):
    folder = tmp_path / "bare"
    (folder / ".orchestration").mkdir(parents=True)
    (folder / "a.py").write_text(CODE)

    assert linetrail("record-decision", "--title", "x", "--id", "D-1", "--lines", "a.py:1", cwd=folder).returncode == 0
    assert "D-1" in linetrail("decisions", "at", "a.py:1", cwd=folder).stdout


def test_without_a_ledger_the_way_to_one_is_named(repo, cli):
    answer = cli("record-decision", "--title", "x")

    assert (answer.status, "linetrail init" in answer.err) == (2, True)


def test_a_disk_that_refuses_is_said_and_nothing_is_acknowledged(repo, cli, code, decide, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise StorageError(f"cannot write {repo.path}: Read-only file system")

    monkeypatch.setattr(Ledger, "append", refuse)

    answer = cli("record-decision", "--title", "x")

    assert (answer.status, answer.out) == (2, "")
    assert "Read-only file system" in answer.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only_is_said(repo, cli, code):
    folder = repo.path / ".orchestration"
    folder.chmod(0o500)
    try:
        answer = cli("record-decision", "--title", "x")
    finally:
        folder.chmod(0o700)

    assert answer.status == 2
