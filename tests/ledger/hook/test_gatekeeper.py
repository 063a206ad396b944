"""The gate as an agent meets it: calls through the hook, refusals it can act on, and the ledger that tells of both."""

import pytest

from linetrail.ledger.event.schema import problems
from linetrail.ledger.repository import STATES
from tests.gated import REGISTRY, structured, verdicts


def test_no_intent_no_write_and_the_refusal_says_how_to_go_on(gated, repo):
    session = gated()

    told = session.write("src/billing/total.py")

    reason = told["permissionDecisionReason"]
    assert told["permissionDecision"] == "deny"
    assert [line.partition(":")[0].partition(" ")[0] for line in reason.splitlines()[:-1]] == [
        "Refused",
        "Why",
        "Required",
        "Example",
        "Available",
        "Reason",
    ]
    assert structured(told) == {
        "error": True,
        "type": "protocol_violation",
        "code": "NO_INTENT",
        "message": "no intent is selected, and Write changes files",
        "context": {
            "intent_id": None,
            "attempted_action": f"Write {repo.path}/src/billing/total.py",
            "available_intents": ["INT-001", "INT-002"],
            "owner_of_path": ["INT-001"],
        },
    }
    assert not (repo.path / "src/billing/total.py").exists()


def test_the_remedy_of_a_refusal_works_as_it_stands(gated, cli, monkeypatch):
    session = gated()
    example = next(
        line
        for line in session.write("src/billing/total.py")["permissionDecisionReason"].splitlines()
        if line.startswith("Example: ")
    )
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "session-1")

    assert cli(*example.removeprefix("Example: linetrail ").split()).status == 0
    assert session.write("src/billing/total.py") == {}


def test_a_selected_intent_opens_its_scope_and_nothing_else(gated, repo):
    session = gated()

    context = session.select("INT-001")["additionalContext"]
    assert "<name>Round totals</name>" in context
    assert "<constraint>at most 5 lines in a file</constraint>" in context

    assert session.write("src/billing/total.py") == {}
    refused = session.write("src/auth/session.py")
    assert structured(refused)["code"] == "OUT_OF_SCOPE"
    assert structured(refused)["context"]["owner_of_path"] == ["INT-002"]
    assert "linetrail select INT-002 --switch" in refused["permissionDecisionReason"]
    assert [event.intent_id for event in repo.events("mutation.observed")] == ["INT-001"]


@pytest.mark.promise("G12")
def test_every_verdict_is_an_event_that_keeps_the_contract(gated, repo):
    session = gated()
    session.write("src/billing/total.py")
    session.select("INT-001")
    session.write("src/billing/total.py")
    session.read("src/billing/total.py")
    session.ask("Bash", command="git push --force")
    session.ask("mcp__tracker__close")

    assert verdicts(repo) == [
        ("deny", "NO_INTENT"),
        ("allow", "STEERS_ONLY"),
        ("allow", "IN_SCOPE"),
        ("allow", "READS_ONLY"),
        ("deny", "DANGEROUS_COMMAND"),
        ("ask", "UNKNOWN_TOOL"),
    ]
    assert [problem for line in repo.lines() for problem in problems(line)] == []
    refused = repo.events("gate.decided")[0].data
    assert (refused["mode"], refused["enforced"], refused["kind"]) == ("block", True, "generative")
    assert refused["available_intents"] == ["INT-001", "INT-002"]
    assert refused["paths"] == [
        {"path": "src/billing/total.py", "code": None, "expected_hash": None, "found_hash": None}
    ]


@pytest.mark.slow
def test_a_verdict_says_what_kind_of_act_the_call_is_and_an_older_one_keeps_its_word(gated, repo, cli):
    session = gated()
    session.select("INT-001")
    session.ask("TodoWrite", todos=[])
    session.read("src/billing/total.py")
    session.write("src/billing/total.py")
    session.ask("Bash", command="git status")
    session.ask("Bash", command="rm -r src/billing")
    session.ask("mcp__tracker__close")
    acts = ["meta", "generative", "safe", "mutating", "safe", "destructive", "destructive"]

    told = repo.events("gate.decided")

    assert [event.data["act"] for event in told] == acts
    assert [event.data["kind"] for event in told][:4] == ["meta", "meta", "reading", "generative"]
    rows = cli("sql", "select kind, act from v_verdicts order by position", "--json").rows
    assert [row["act"] for row in rows] == acts


@pytest.mark.parametrize(
    ("mode", "decision", "said", "enforced"),
    [
        pytest.param("block", "deny", "permissionDecisionReason", True, id="block"),
        pytest.param("warn", None, "additionalContext", False, id="warn"),
        pytest.param("observe", None, None, False, id="observe"),
    ],
)
def test_the_mode_says_what_a_refusal_does_and_the_ledger_says_both(gated, repo, mode, decision, said, enforced):
    session = gated(f"enforce: {mode}\n")

    told = session.ask("Write", file_path=str(repo.path / "src/a.py"), content="x")

    assert told.get("permissionDecision") == decision
    assert ("(NO_INTENT)" in told.get(said or "", "")) == (said is not None)
    assert ("Let through" in told.get(said or "", "")) == (mode == "warn")
    (verdict,) = repo.events("gate.decided")
    assert (verdict.data["verdict"], verdict.data["code"], verdict.data["enforced"]) == ("deny", "NO_INTENT", enforced)


def test_an_exception_for_one_code_leaves_the_others_as_they_are(gated, repo):
    session = gated("enforce: block\ncodes: {OUT_OF_SCOPE: ask, NO_INTENT: warn}\n")

    assert "additionalContext" in session.ask("Write", file_path=str(repo.path / "src/a.py"), content="x")
    session.select("INT-001")
    assert session.write("src/auth/a.py")["permissionDecision"] == "ask"
    assert session.write(".git/config")["permissionDecision"] == "deny"


@pytest.mark.promise("G8")
@pytest.mark.parametrize(
    "path",
    [
        ".orchestration/active_intents.yaml",
        ".claude/settings.json",
        ".git/hooks/pre-commit",
        ".GIT/config",
        ".mcp.json",
    ],
)
def test_protected_paths_win_over_any_scope(gated, path):
    session = gated(registry=REGISTRY.replace("src/billing/**", '"**"'))
    session.select("INT-001")

    assert session.code(session.write(path)) == "PROTECTED_PATH"


def test_the_six_ways_in_which_a_selection_fails(gated, repo):
    session = gated()

    codes = [session.code(session.select(asked)) for asked in ("INT-999", "int-1", "INT-003")]
    session.select("INT-001")
    codes.append(session.code(session.select("INT-002")))
    repo.write(".orchestration/active_intents.yaml", "active_intents:\n  - id: [\n")
    codes.append(session.code(session.select("INT-001")))
    (repo.path / ".orchestration/active_intents.yaml").unlink()
    codes.append(session.code(session.select("INT-001")))

    assert codes == [
        "INTENT_NOT_FOUND",
        "INVALID_INTENT_ID",
        "INTENT_BLOCKED",
        "INTENT_ALREADY_ACTIVE",
        "REGISTRY_MALFORMED",
        "REGISTRY_UNREADABLE",
    ]
    assert len(repo.events("intent.selected")) == 1


def test_a_tool_that_answered_with_an_error_selects_nothing(gated, repo):
    session = gated()
    session.ask("mcp__linetrail__select_active_intent", intent_id="INT-001")

    session.report([{"type": "text", "text": '{"error": true, "code": "INTENT_NOT_FOUND"}'}])

    assert repo.events("intent.selected") == []


def test_a_malformed_registry_denies_what_writes_and_names_the_line(gated, repo):
    session = gated(registry="active_intents:\n  - id: INT-001\n    name: [\n")

    told = session.write("src/billing/total.py")

    assert session.code(told) == "REGISTRY_MALFORMED"
    assert "active_intents.yaml:4" in told["permissionDecisionReason"]
    assert session.ask("Read", file_path=str(repo.path / "README.md")) == {}
    assert session.ask("Bash", command="ls -la") == {}


def test_where_nobody_owns_a_path_no_intent_is_suggested(gated):
    session = gated()
    session.select("INT-001")

    told = session.write("notebooks/totals.py")

    assert structured(told)["context"]["owner_of_path"] == []
    assert "No open intent owns this one" in told["permissionDecisionReason"]
    assert "linetrail select" not in told["permissionDecisionReason"]


def test_a_constraint_is_checked_on_the_change_itself(gated):
    session = gated()
    session.select("INT-001")

    told = session.write("src/billing/long.py", "x\n" * 6)

    assert session.code(told) == "CONSTRAINT_VIOLATED"
    assert "then has 6 lines" in told["permissionDecisionReason"]
    assert session.write("src/billing/short.py", "x\n" * 5) == {}


@pytest.mark.daily(11)
@pytest.mark.parametrize("key", ["new_path", "destination", "paths", "outputFile", "to", "directory"])
def test_a_tool_that_nobody_knows_is_judged_by_every_place_it_names(gated, repo, key):
    repo.write("src/auth/sub/a.py", "x\n")
    session = gated()
    session.select("INT-001")

    def code(place):
        return session.code(session.ask("RenameFile", **{"path": "src/billing/a.py", key: place}))

    assert code("src/billing/b.py") is None
    assert code("src/auth/b.py") == "OUT_OF_SCOPE"
    assert code("src/auth/sub") == "OUT_OF_SCOPE"
    assert code("../elsewhere/b.py") == "OUTSIDE_REPOSITORY"


def test_a_person_is_asked_about_a_tool_that_nobody_knows_and_that_is_given_a_command(gated):
    session = gated()
    session.select("INT-001")

    told = session.ask("RunInFile", path="src/billing/a.py", command="rm -rf src/auth")
    assert (told["permissionDecision"], session.code(told)) == ("ask", "UNKNOWN_TOOL")
    assert session.code(session.ask("RunInFile", path="src/auth/a.py", command="ls")) == "OUT_OF_SCOPE"
    assert session.ask("RunInFile", path="src/billing/a.py", command="", line=3) == {}


def test_what_a_server_may_not_write_is_seen_wherever_it_is_named(gated):
    session = gated()
    session.select("INT-001")

    told = session.ask("mcp__files__write", files=[{"at": {"place": ".git/hooks/pre-commit"}, "content": "x\n"}])
    assert session.code(told) == "PROTECTED_PATH"


def test_what_is_exempt_needs_no_intent(gated, repo):
    repo.start_ledger()
    repo.write(".orchestration/.intentignore", "*.md\nnotes/\n")
    session = gated()

    assert session.write("README.md") == {}
    assert session.write("notes/a.txt") == {}
    assert session.ask("Bash", command="touch notes/b.txt") == {}
    assert session.code(session.ask("Bash", command="touch notes/b.txt src/b.py")) == "NO_INTENT"
    assert session.code(session.ask("Bash", command="touch notes/b.txt $OTHER")) == "NO_INTENT"
    assert session.code(session.write("src/a.py")) == "NO_INTENT"
    assert session.code(session.write(".claude/notes.md")) == "PROTECTED_PATH"


def test_a_session_that_is_cleared_starts_without_its_intent_and_is_told(gated, repo):
    session = gated()
    session.select("INT-001")

    told = session.agent.send("SessionStart", source="clear", model="m")

    assert "No intent is selected" in told["additionalContext"]
    assert repo.events("intent.cleared")[-1].data["reason"] == "the session was cleared"
    assert session.code(session.write("src/billing/a.py")) == "NO_INTENT"


@pytest.mark.parametrize("source", ["resume", "compact", "fork"])
def test_a_session_that_goes_on_keeps_its_intent_and_says_so(gated, repo, source):
    session = gated()
    session.select("INT-001")

    told = session.agent.send("SessionStart", source=source, model="m")

    assert "<intent_context intent_id=" in told["additionalContext"]
    assert repo.events("intent.selected")[-1].data["by"] == "session"
    assert session.write("src/billing/a.py") == {}


def test_an_intent_that_was_closed_meanwhile_is_not_carried_over(gated, repo):
    session = gated()
    session.select("INT-001")
    repo.write(".orchestration/active_intents.yaml", REGISTRY.replace("status: IN_PROGRESS", "status: DONE", 1))

    assert session.code(session.write("src/billing/a.py")) == "INTENT_CLOSED"
    told = session.agent.send("SessionStart", source="resume", model="m")

    assert "No intent is selected" in told["additionalContext"]
    assert repo.events("intent.cleared")[-1].data["reason"] == "INT-001 is DONE"


def test_a_call_asked_for_again_is_judged_by_what_holds_now(gated, cli, repo, monkeypatch):
    session = gated()
    session.write("src/billing/total.py")
    refused = session.call
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "session-1")

    def again():
        return session.code(session.agent.send("PreToolUse", **refused))

    assert [again(), again()] == ["NO_INTENT"] * 2
    assert cli("select", "INT-001").status == 0
    assert [again(), again()] == [None] * 2
    assert cli("select", "--clear").status == 0
    assert [again(), again()] == ["NO_INTENT"] * 2

    decided = [event for event in repo.events("gate.decided") if event.data["tool_call_id"] == refused["tool_use_id"]]
    assert [event.data["verdict"] for event in decided] == ["deny", "allow", "deny"]


def test_what_a_person_approved_once_stays_approved_for_the_same_delivery(gated, cli, repo):
    session = gated()
    call = {"permission_mode": "dontAsk", "tool_name": "mcp__tracker__close", "tool_input": {"id": 7}}

    def ask(call_id):
        return session.agent.send("PreToolUse", **call, tool_use_id=call_id)

    assert structured(ask("toolu_1"))["code"] == "APPROVAL_PENDING"
    assert cli("approve", repo.events("gate.decided")[-1].data["approval_id"]).status == 0

    assert [ask("toolu_1") for _ in range(3)] == [{}] * 3
    assert structured(ask("toolu_2"))["code"] == "APPROVAL_PENDING"


def test_all_that_is_remembered_is_in_folders_that_no_link_may_stand_for(gated, repo, hook):
    session = gated()
    repo.write("src/billing/total.py", "x = 0\n")

    session.write("src/billing/total.py")
    session.select("INT-001")
    session.read("src/billing/total.py")
    session.write("src/billing/total.py")
    session.agent.send("Stop")
    unnamed = {"session_id": "s2", "cwd": str(repo.path), "hook_event_name": "BeforeTool", "tool_name": "write_file"}
    hook(unnamed | {"tool_input": {"file_path": "src/billing/total.py", "content": ""}}, "gemini-cli")

    found = {path.name for path in (repo.path / ".orchestration" / "state").iterdir() if path.is_dir()}
    assert {"judged", "seen", "turns", "open"} <= found <= set(STATES)
