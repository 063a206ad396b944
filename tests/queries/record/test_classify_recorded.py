"""Recorded changes are judged, each once, and what was found travels with the ledger."""

import json
import shutil
import subprocess
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linetrail.ledger.event.schema import problems
from linetrail.ledger.repository import find
from linetrail.projections import build
from linetrail.projections.classify.classify import judge
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.record.classes import record
from tests.conftest import ClaudeCode, Repo
from tests.examples import examples

TOTAL = "def total(lines):\n    result = 0\n    for line in lines:\n        result += line\n    return result\n"
RENAMED = TOTAL.replace("result", "amount")
MORE, EVOLUTION = f"{TOTAL}x = 1\n", "INTENT_EVOLUTION"
STEPS = [
    ("    result = 0\n", "    amount = 0\n"),
    ("        result += line\n", "        amount += line\n"),
    ("    return result\n", "    return amount\n"),
]


@pytest.fixture
def session(repo, agent, uncommitted_ledger):
    """Return a session in a repository with one committed file."""
    repo.commit("first", {"a.py": TOTAL})
    started = agent()
    started.prompt("tidy up")
    return started


@pytest.fixture
def classes(cli):
    """Return a function that tells what each mutation was judged to be, in the order of the ledger."""

    def ask(columns="mutation_class", cwd=None):
        rows = cli("sql", f"select {columns} from v_mutation_classes order by position", "--json", cwd=cwd).rows
        return [tuple(row.values()) if len(row) > 1 else next(iter(row.values())) for row in rows]

    return ask


def judged(repo, about="mutation"):
    return [event.data for event in repo.events("mutation.classified") if event.data["about"] == about]


def in_steps(session):
    for old, new in STEPS:
        session.edit("a.py", old, new)


def ran(session, command, *, passed, call_id):
    """Run tests in the session's shell; that they fail is what the agent is told."""
    call = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": call_id}
    session.send("PreToolUse", **call)
    if passed:
        session.send("PostToolUse", **call, tool_response={"stdout": "1 passed", "stderr": "", "interrupted": False})
    else:
        session.send("PostToolUseFailure", **call, error="Exit code 1\n1 failed", is_interrupt=False)


@pytest.mark.slow
def test_each_mutation_is_judged_once(repo, session, cli, classes):
    session.write("a.py", RENAMED)
    session.write("b.py", "x = 1\n")
    observed = repo.events("mutation.observed")

    first, second = cli("classify", "--record", "--json"), cli("classify", "--record", "--json")

    assert (first.rows[0]["mutations"], second.rows[0]["mutations"]) == (2, 0)
    assert sum(second.rows[0].values()) == 0
    assert [data["mutation_id"] for data in judged(repo)] == [event.id for event in observed]
    assert classes("label, change_kind, mutation_class, basis") == [
        ("refactor", "rename", "AST_REFACTOR", "syntax"),
        ("evolution", "created", "INTENT_EVOLUTION", "syntax"),
    ]


@pytest.mark.slow
def test_what_is_recorded_is_valid_names_hashes_and_holds_no_content(repo, session, cli):
    secret = "AKIA" + "IOSFODNN7EXAMPLE"
    session.write("a.py", RENAMED + f"\n\nKEY = '{secret}'\n")

    cli("classify", "--record")

    [data] = judged(repo)
    [file] = repo.events("mutation.observed")[0].data["files"]
    [told] = data["files"]
    assert [told[name] for name in ("path", "before_hash", "after_hash")] == [
        file[name] for name in ("path", "before_hash", "after_hash")
    ]
    assert not [problem for line in repo.lines() for problem in problems(line)]
    assert secret not in b"".join(repo.lines()).decode()
    assert cli("verify").status == 0
    with open_tables(find(str(repo.path))) as tables:
        assert not build.findings(tables)


@pytest.mark.slow
def test_steps_that_change_something_alone_may_be_one_refactor(repo, session, cli, classes):
    in_steps(session)

    cli("classify", "--record")

    [run] = judged(repo, "run")
    ids = [event.id for event in repo.events("mutation.observed")]
    assert (run["first_mutation_id"], run["mutation_id"], run["label"]) == (ids[0], ids[-1], "refactor")
    assert classes("label, run_label, mutation_class, computed_from") == [
        ("evolution", "refactor", "AST_REFACTOR", "run")
    ] * len(STEPS)


@pytest.mark.slow
def test_a_prompt_or_another_session_ends_a_run(repo, session, agent, cli):
    in_steps(session)
    session.prompt("now change it")
    session.edit("a.py", "    amount = 0\n", "    amount = 1\n")
    agent("session-2").edit("a.py", "    amount = 1\n", "    amount = 2\n")

    cli("classify", "--record")

    assert [run["label"] for run in judged(repo, "run")] == ["refactor"]


@pytest.mark.slow
def test_a_refactor_within_a_run_is_found(repo, session, cli, classes):
    in_steps(session)
    session.edit("a.py", "    amount = 0\n", "    amount = 1\n")
    session.write("b.py", "x = 1\n")

    cli("classify", "--record")
    cli("classify", "--record")

    assert [run["label"] for run in judged(repo, "run")] == ["evolution", "refactor"]
    assert classes() == ["AST_REFACTOR"] * 3 + ["INTENT_EVOLUTION"] * 2


@pytest.mark.slow
def test_a_session_is_shown_with_its_runs(session, cli):
    in_steps(session)

    rows = cli("classify", "--session", "session-1", "--json").rows

    assert [(row["about"], row["label"]) for row in rows] == [("mutation", "evolution")] * 3 + [("run", "refactor")]
    assert rows[-1]["first_mutation_id"] == rows[0]["mutation_id"]
    shown = cli("classify", "--session", "session-1", "--explain").out
    assert "run  refactor   rename" in shown
    assert "renamed local `result` to `amount`" in shown


@pytest.mark.slow
def test_an_event_is_judged_as_what_its_call_did(repo, session, cli):
    session.bash("sed -i s/result/amount/ a.py && echo 'x = 1' > b.py")
    [event] = repo.events("mutation.observed")

    answer = cli("classify", "--event", event.id, "--json")

    assert [(row["path"], row["label"]) for row in answer.rows] == [("a.py", "refactor"), ("b.py", "evolution")]
    assert json.loads(answer.out)["meta"]["label"] == "evolution"
    assert cli("classify", "--event", event.id, "--fail-on", "evolution").status == 1
    assert cli("classify", "--event", repo.events("prompt.submitted")[0].id).status == 1


@pytest.mark.slow
def test_a_file_that_was_renamed_is_judged_with_its_former_name(repo, session, cli, classes):
    session.bash("git mv a.py b.py")

    cli("classify", "--record")

    assert classes("label, change_kind") == [("refactor", "move")]
    assert judged(repo)[0]["files"][0]["from_path"] == "a.py"


@pytest.mark.slow
def test_a_clone_gives_the_same_answers_without_the_contents(repo, session, cli, classes, fresh_clone):
    session.write("a.py", RENAMED)
    session.write("a.py", RENAMED.replace("= 0", "= 1"))
    session.write("a.py", TOTAL)
    cli("classify", "--record")
    before = classes("mutation_id, label, mutation_class, run_label")

    clone = fresh_clone()

    assert not (clone / ".orchestration" / "objects").exists()
    assert classes("mutation_id, label, mutation_class, run_label", cwd=clone) == before
    assert sum(cli("classify", "--record", "--json", cwd=clone).rows[0].values()) == 0


@pytest.mark.slow
def test_what_was_committed_is_judged_from_git(repo, session, cli, classes, fresh_clone):
    session.write("a.py", RENAMED)
    repo.commit("renamed")
    repo.commit("changed", {"a.py": RENAMED.replace("= 0", "= 1")})
    clone = fresh_clone()

    cli("classify", "--record", cwd=clone)

    assert classes("label", cwd=clone) == ["refactor"]


@pytest.mark.slow
def test_what_is_known_nowhere_any_more_is_counted_and_has_no_class(repo, session, cli, classes):
    session.write("a.py", RENAMED)
    session.write("a.py", TOTAL + "x = 1\n")
    shutil.rmtree(repo.path / ".orchestration" / "objects")

    [row] = cli("classify", "--record", "--json").rows

    assert (row["mutations"], row["unknown"]) == (0, 2)
    assert classes() == []
    first = repo.events("mutation.observed")[0].id
    assert cli("classify", "--event", first).status == 1
    assert "cannot be judged" in cli("classify", "--record").out


@pytest.mark.in_turn
@pytest.mark.slow
def test_older_rules_are_followed_by_newer_ones(repo, session, cli, classes, monkeypatch):
    session.write("a.py", RENAMED)
    cli("classify", "--record")
    monkeypatch.setattr("linetrail.queries.record.classes.RULE_VERSION", 10_000)

    record(find(str(repo.path)))

    assert len(judged(repo)) == 2
    assert len(classes()) == 1


class TestDeclared:
    @pytest.mark.in_turn
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("declared", "content", "mutation_class", "basis", "contradiction"),
        [
            pytest.param("AST_REFACTOR", RENAMED, "AST_REFACTOR", "syntax", None, id="a refactor that is one"),
            pytest.param("AST_REFACTOR", MORE, EVOLUTION, "syntax", "REFACTOR_NOT_PROVED", id="one that is none"),
            pytest.param("BUG_FIX", RENAMED, "AST_REFACTOR", "syntax", "FIX_CHANGES_NOTHING", id="a fix that is none"),
            pytest.param("bug_fix", MORE, "BUG_FIX", "call", None, id="a fix, in other words"),
            pytest.param("OPTIMIZATION", MORE, "OPTIMIZATION", "call", None, id="faster"),
            pytest.param("OPTIMIZATION", RENAMED, "AST_REFACTOR", "syntax", None, id="faster, and provably the same"),
            pytest.param("modify", MORE, EVOLUTION, "syntax", None, id="a word that means no class"),
        ],
    )
    def test_a_call_may_say_what_it_is(
        self, repo, session, cli, classes, declared, content, mutation_class, basis, contradiction
    ):
        file = repo.path / "a.py"
        given = {"file_path": str(file), "content": content, "mutation_class": declared}
        with session.tool("Write", given, {"type": "update"}):
            file.write_text(content)

        cli("classify", "--record")

        assert classes("mutation_class, basis, contradiction") == [(mutation_class, basis, contradiction)]
        assert judged(repo)[0]["mutation_class"] == mutation_class
        violations = cli("sql", "@refactor_violations", "--json").rows
        assert len(violations) == (contradiction == "REFACTOR_NOT_PROVED")
        assert len(cli("sql", "@class_contradictions", "--json").rows) == bool(contradiction)


class TestCommits:
    @pytest.mark.slow
    def test_a_commit_says_of_its_changes_what_they_are(self, repo, session, cli, classes):
        session.edit("a.py", "    result = 0\n", "    result = 1\n")
        cli("classify", "--record")
        assert classes() == ["INTENT_EVOLUTION"]

        revision = repo.commit("fix(total): begin with one")
        [row] = cli("classify", "--record", "--json").rows

        assert (row["commits"], row["mutations"]) == (1, 0)
        assert classes("mutation_class, basis, declared_by, vcs_revision") == [
            ("BUG_FIX", "commit", "commit", revision)
        ]
        assert cli("classify", "--record", "--json").rows[0]["commits"] == 0

    @pytest.mark.slow
    def test_a_commit_that_claims_a_refactor_and_changes_something_is_a_violation(self, repo, session, cli, classes):
        session.edit("a.py", "    result = 0\n", "    result = 1\n")
        revision = repo.commit("refactor: begin with one")

        cli("classify", "--record")

        [row] = cli("sql", "@refactor_violations", "--json").rows
        assert (row["about"], row["vcs_revision"], row["words"], row["paths"]) == (
            "commit",
            revision,
            "refactor: begin with one",
            "a.py",
        )
        assert classes("contradiction") == [None]

    @pytest.mark.slow
    def test_a_refactor_in_several_sessions_is_one_in_its_commit(self, repo, session, agent, cli, classes):
        session.edit("a.py", *STEPS[0])
        other = agent("session-2")
        for step in STEPS[1:]:
            other.edit("a.py", *step)
        repo.commit("refactor: names")

        cli("classify", "--record")

        assert (
            classes("label, commit_label, mutation_class, computed_from")
            == [("evolution", "refactor", "AST_REFACTOR", "commit")] * 3
        )
        [[told]] = [data["files"] for data in judged(repo, "commit")]
        first, *_, last = [event.data["files"][0] for event in repo.events("mutation.observed")]
        assert (told["before_hash"], told["after_hash"]) == (first["before_hash"], last["after_hash"])

    @pytest.mark.in_turn
    @pytest.mark.slow
    def test_a_commit_is_found_again_after_a_rebase(self, repo, session, cli, classes):
        first = repo.git("rev-parse", "HEAD")
        session.edit("a.py", "    result = 0\n", "    result = 1\n")
        repo.git("add", "a.py")
        repo.git("commit", "--quiet", "--message", "fix: begin with one")
        repo.git("checkout", "--quiet", "-b", "base", first)
        repo.write("other.txt", "x\n")
        repo.git("add", "other.txt")
        repo.git("commit", "--quiet", "--message", "other")
        repo.git("rebase", "--quiet", "base", "main")

        cli("classify", "--record")

        assert classes("mutation_class, vcs_revision") == [("BUG_FIX", repo.git("rev-parse", "main"))]


class TestRepairs:
    @pytest.mark.slow
    def test_tests_that_failed_before_and_pass_after_show_a_fix(self, repo, session, cli, classes):
        ran(session, "pytest -q", passed=False, call_id="t1")
        session.edit("a.py", "    result = 0\n", "    result = 1\n")
        ran(session, "pytest -q", passed=True, call_id="t2")

        cli("classify", "--record")

        failed, passed = repo.events("tool.failed")[-1].id, repo.events("tool.completed")[-1].id
        assert classes("mutation_class, basis, failed_event_id, passed_event_id") == [
            ("BUG_FIX", "tests", failed, passed)
        ]
        assert judged(repo)[0]["basis"][1] == {
            "by": "tests",
            "mutation_class": "BUG_FIX",
            "words": "pytest -q",
            "event_ids": [failed, passed],
        }

    @pytest.mark.slow
    def test_a_run_of_tests_that_comes_later_counts_too(self, session, cli, classes):
        ran(session, "pytest -q", passed=False, call_id="t1")
        session.edit("a.py", "    result = 0\n", "    result = 1\n")
        cli("classify", "--record")
        assert classes() == ["INTENT_EVOLUTION"]

        ran(session, "pytest -q", passed=True, call_id="t2")

        assert classes() == ["BUG_FIX"]

    @pytest.mark.slow
    def test_what_the_session_broke_itself_is_no_fix(self, session, cli, classes):
        session.edit("a.py", "    result = 0\n", "    result = 2\n")
        ran(session, "pytest -q", passed=False, call_id="t1")
        session.edit("a.py", "    result = 2\n", "    result = 1\n")
        ran(session, "pytest -q", passed=True, call_id="t2")

        cli("classify", "--record")

        assert classes() == ["INTENT_EVOLUTION", "INTENT_EVOLUTION"]


class TestSealing:
    @pytest.mark.slow
    def test_changes_are_judged_before_they_are_sealed(self, repo, session, cli, classes):
        session.write("a.py", RENAMED)

        assert cli("seal").status == 0

        assert classes("label") == ["refactor"]
        assert repo.lines()
        assert (repo.path / ".orchestration" / "agent_trace.jsonl").read_bytes() == b""

    @pytest.mark.slow
    def test_what_a_hook_sealed_before_is_judged_at_the_next_occasion(self, repo, session, cli, classes):
        in_steps(session)
        session.send("SessionEnd", reason="exit")
        assert (repo.path / ".orchestration" / "agent_trace.jsonl").read_bytes() == b""

        cli("seal")

        assert classes() == ["AST_REFACTOR"] * 3

    @pytest.mark.slow
    def test_a_run_that_goes_on_is_judged_when_it_is_over(self, repo, session, cli):
        session.edit("a.py", *STEPS[0])
        session.edit("a.py", *STEPS[1])
        cli("seal")
        assert judged(repo, "run") == []

        session.edit("a.py", *STEPS[2])
        session.prompt("next")
        cli("seal")

        assert [run["label"] for run in judged(repo, "run")] == ["refactor"]

    @pytest.mark.slow
    def test_sealing_again_records_nothing(self, repo, session, cli):
        session.write("a.py", RENAMED)
        cli("seal")
        before = repo.lines()

        assert cli("seal").out == "nothing to seal\n"

        assert repo.lines() == before

    def test_a_person_may_seal_without_it(self, repo, session, cli):
        session.write("a.py", RENAMED)

        cli("seal", "--no-classify")

        assert judged(repo) == []

    @pytest.mark.in_turn
    @pytest.mark.slow
    def test_rules_that_fail_cost_the_change_that_showed_it(self, repo, session, cli, monkeypatch):
        def broken(step):
            return 1 / 0 if step[0].path == "b.py" else judge(step)

        monkeypatch.setattr("linetrail.queries.record.classes.judge", broken)
        session.write("b.py", "x = 1\n")
        session.write("a.py", RENAMED)

        assert (cli("seal").status, len(judged(repo))) == (0, 1)

        [row] = cli("classify", "--record", "--json").rows
        assert (row["mutations"], row["failed"]) == (0, 2)
        assert "met a bug" in cli("classify", "--record").out

    def test_nothing_that_goes_wrong_keeps_what_was_recorded_from_being_sealed(self, repo, session, cli, monkeypatch):
        def broken(*_, **__):
            raise ZeroDivisionError

        monkeypatch.setattr("linetrail.queries.record.classes.record", broken)
        session.write("a.py", RENAMED)

        answer = cli("seal")

        assert answer.status == 0
        assert "note: changes are not judged: ZeroDivisionError" in answer.err
        assert (repo.path / ".orchestration" / "agent_trace.jsonl").read_bytes() == b""

    @pytest.mark.in_turn
    @pytest.mark.slow
    def test_rules_that_do_not_come_to_an_end_are_stopped(self, repo, session, cli, monkeypatch):
        def endless(step):
            while True:
                time.sleep(0.01)

        monkeypatch.setattr("linetrail.queries.record.classes.judge", endless)
        monkeypatch.setattr("linetrail.queries.record.seal.SECONDS", 0.3)
        session.write("a.py", RENAMED)

        assert cli("seal").status == 0

        assert judged(repo) == []
        monkeypatch.undo()
        cli("seal")
        assert len(judged(repo)) == 1

    @pytest.mark.slow
    def test_a_commit_carries_what_was_judged(self, repo, session, cli, classes, tmp_path):
        (repo.path / ".git" / "info" / "exclude").unlink()
        cli("init", "--agent", "none", "--pre-commit")
        session.write("a.py", RENAMED)
        repo.commit("renamed")
        subprocess.run(["git", "clone", "-q", f"file://{repo.path}", str(tmp_path / "clone")], check=True)

        assert classes("label", cwd=tmp_path / "clone") == ["refactor"]


EDITS = st.lists(st.sampled_from(["rename", "value", "new", "delete", "prompt", "commit", "person"]), max_size=4)


@pytest.mark.in_turn
@pytest.mark.slow
@settings(max_examples=examples(5))
@given(EDITS, EDITS)
def test_recording_twice_records_nothing_the_second_time(tmp_path_factory, first, then):
    repo = Repo(tmp_path_factory.mktemp("twice") / "project")
    repo.commit("first", {"a.py": TOTAL})
    repo.start_ledger()
    session = ClaudeCode(repo, "session-1", "claude-model-x")
    repository = find(str(repo.path))

    for part in (first, then):
        for at, act in enumerate(part):
            play(repo, session, act, at)
        record(repository)
        before = repo.lines()

        assert record(repository).events == 0
        assert repo.lines() == before
        assert not [problem for line in before for problem in problems(line)]


def play(repo, session, act, at):
    content = (repo.path / "a.py").read_text() if (repo.path / "a.py").exists() else TOTAL
    if act == "rename":
        old, new = ("result", "amount") if "result" in content else ("amount", "result")
        session.write("a.py", content.replace(old, new))
    elif act == "value":
        session.write("a.py", content + f"x{at} = {at}\n")
    elif act == "new":
        session.write(f"new{at}.py", TOTAL)
    elif act == "delete":
        session.bash("rm -f a.py")
    elif act == "prompt":
        session.prompt("go on")
    elif act == "commit":
        repo.commit("fix: something")
    else:
        repo.write("a.py", content + "# by hand\n")
