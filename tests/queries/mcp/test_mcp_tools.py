"""What the tools of `linetrail mcp` do, and what they say to arguments that nobody should send."""

import json

import pytest

from linetrail.queries.mcp.answers import MAX_ANSWER
from tests.gated import REGISTRY

pytestmark = pytest.mark.slow

HOSTILE = [
    7,
    None,
    [],
    "",
    "\x00",
    "\x1b[31m\u202e",
    "../../../etc/passwd",
    "/etc/passwd",
    "a" * 5000,
    "INT-001\nINT-002",
    "' or 1=1 --",
    ["a"] * 20_000,
    {"intent_id": {"intent_id": "INT-001"}},
    1e308,
]
NEEDED = {"intent_id": "INT-001", "title": "t", "text": "t", "place": "a.py:1", "one": "INT-001", "other": "INT-002"}


@pytest.fixture(autouse=True)
def _registry(repo):
    repo.write(".orchestration/active_intents.yaml", REGISTRY)


def selected(repo):
    return [
        (event.type, event.intent_id, event.session_id, event.data["by"], event.data["for_session"])
        for event in repo.events("intent.selected", "intent.cleared")
    ]


def test_a_selection_without_a_session_is_for_the_worktree_and_says_so(repo, speaker):
    server = speaker()

    said = server.call("select_active_intent", intent_id="INT-001", reasoning="rounding", expected_mutations=["a.py"])

    assert (said["selected_for"], said["recorded_by"], said["session_id"]) == ("worktree", "server", None)
    assert "<pattern>src/billing/**</pattern>" in said["context"]
    (event,) = repo.events("intent.selected")
    assert selected(repo) == [("intent.selected", "INT-001", None, "server", None)]
    assert (event.contributor, event.agent.name, event.agent.version) == ("ai", "test-client", "1.2")
    assert (event.data["reasoning"], event.data["expected_mutations"]) == ("rounding", ["a.py"])


def test_an_intent_is_completed_only_where_its_checks_pass(repo, speaker):
    check = "acceptance_criteria: [{text: Totals are right, run: test -f ok}]"
    registry = REGISTRY.replace("acceptance_criteria: [Totals of the samples are right]", check)
    repo.write(".orchestration/active_intents.yaml", registry)
    server = speaker()
    server.call("select_active_intent", intent_id="INT-001")

    refused = server.call("complete_intent", intent_id="INT-001", verification_notes="looked at it")
    told = server.call("get_active_intent")
    repo.write("ok", "")

    assert (refused["code"], refused["next"]) == ("CRITERION_FAILED", "linetrail intents check INT-001")
    assert "Totals are right: ended with 1" in refused["message"]
    assert [(one["criterion"], one["passed"]) for one in told["criteria"]] == [("Totals are right", False)]
    assert server.call("complete_intent", intent_id="INT-001")["status"] == "DONE"


def test_a_draft_is_begun_with_as_an_agent_selects_it(repo, speaker):
    repo.write(".orchestration/active_intents.yaml", REGISTRY.replace("IN_PROGRESS", "PENDING", 1))

    said = speaker().call("select_active_intent", intent_id="INT-001")

    assert "<status>IN_PROGRESS</status>" in said["context"]
    assert (repo.path / ".orchestration/active_intents.yaml").read_text() == REGISTRY
    changed = [event for event in repo.events("intent.changed") if event.contributor == "ai"]
    assert [event.data["after"]["status"] for event in changed] == ["IN_PROGRESS"]


@pytest.mark.in_turn
def test_a_handle_stands_for_a_session_that_nobody_else_tells_of(repo, speaker):
    server = speaker()

    server.call("select_active_intent", intent_id="INT-001", session_handle="mine")

    assert server.call("get_active_intent", session_handle="mine")["intent_id"] == "INT-001"
    assert server.call("get_active_intent", session_handle="yours")["intent_id"] is None
    assert server.call("get_active_intent")["intent_id"] is None
    assert selected(repo) == [("intent.selected", "INT-001", "mine", "server", "mine")]


def test_the_same_selection_again_is_recorded_once(repo, speaker):
    server = speaker()

    server.call("select_active_intent", intent_id="INT-001")
    server.call("select_active_intent", intent_id="INT-001")

    assert len(repo.events("intent.selected")) == 1


def test_another_intent_is_selected_by_switching_on_purpose(repo, speaker):
    server = speaker()
    server.call("select_active_intent", intent_id="INT-001")

    refused = server.call("select_active_intent", intent_id="INT-002")
    said = server.call("select_active_intent", intent_id="INT-002", switch=True)

    assert (refused["type"], refused["code"]) == ("state_error", "INTENT_ALREADY_ACTIVE")
    assert 'select_active_intent(intent_id="INT-002", switch=true)' in refused["next"]
    assert said["intent_id"] == "INT-002"
    assert [entry[:2] for entry in selected(repo)] == [
        ("intent.selected", "INT-001"),
        ("intent.cleared", "INT-001"),
        ("intent.selected", "INT-002"),
    ]


def test_a_refusal_has_the_shape_of_the_gate_s(repo, speaker):
    server = speaker()
    codes = {"INT-999": "INTENT_NOT_FOUND", "int-1": "INVALID_INTENT_ID", "INT-003": "INTENT_BLOCKED"}

    for intent_id, code in codes.items():
        said = server.call("select_active_intent", intent_id=intent_id)
        assert said.keys() == {"error", "type", "code", "message", "context", "next"}
        assert (said["error"], said["code"]) == (True, code)
        assert said["context"]["available_intents"] == ["INT-001", "INT-002"]
        assert 'select_active_intent(intent_id="INT-001")' in said["next"]
    assert repo.events("intent.selected") == []


def test_the_context_of_any_intent_can_be_read_and_selects_nothing(speaker, repo):
    server = speaker()

    said = server.call("get_intent_context", intent_id="INT-002")

    assert (said["intent_id"], said["name"], said["status"]) == ("INT-002", "Sign in", "IN_PROGRESS")
    assert said["context"].startswith('<intent_context intent_id="INT-002">')
    assert server.call("get_intent_context", intent_id="INT-999")["code"] == "INTENT_NOT_FOUND"
    assert repo.events("intent.selected") == []


def test_an_argument_that_a_tool_does_not_take_is_refused_and_the_likely_one_named(speaker, repo):
    server = speaker()

    said = server.call("list_active_intents", status="blocked")
    select = server.call("select_active_intent", intent_id="INT-001", reason="x")

    assert said["code"] == select["code"] == "INVALID_INPUT"
    assert "there is no argument `status`; did you mean `status_filter`?" in said["message"]
    assert "there is no argument `reason`; did you mean `reasoning`?" in select["message"]
    assert repo.events("intent.selected") == []


def test_intents_are_listed_by_status(speaker):
    server = speaker()
    server.call("select_active_intent", intent_id="INT-002")

    assert [(one["intent_id"], one.get("selected")) for one in server.call("list_active_intents")["intents"]] == [
        ("INT-001", None),
        ("INT-002", True),
    ]
    assert server.call("list_active_intents", status_filter="blocked")["intents"][0]["intent_id"] == "INT-003"
    assert server.call("list_active_intents", status_filter="ALL")["total"] == 3
    assert server.call("list_active_intents", status_filter="odd")["code"] == "INVALID_INPUT"


def test_an_intent_is_completed_with_evidence_by_who_has_selected_it(repo, speaker):
    server = speaker()

    early = server.call("complete_intent", intent_id="INT-001", verification_notes="42 tests pass")
    server.call("select_active_intent", intent_id="INT-001")
    bare = server.call("complete_intent", intent_id="INT-001")
    done = server.call("complete_intent", intent_id="INT-001", verification_notes="42 tests pass")

    assert (early["code"], bare["code"]) == ("INTENT_NOT_ACTIVE", "NOTES_MISSING")
    assert 'complete_intent(intent_id="INT-001", verification_notes="…")' in bare["next"]
    assert (done["status"], done["open_intents"]) == ("DONE", ["INT-002"])
    (event,) = repo.events("intent.completed")
    assert (event.data["verification_notes"], event.data["by"]) == ("42 tests pass", "tool")
    assert (event.contributor, event.agent.name) == ("ai", "test-client")
    assert server.call("get_active_intent")["intent_id"] is None
    assert "status: DONE" in (repo.path / ".orchestration/active_intents.yaml").read_text()


def test_a_person_approves_a_selection_that_no_hook_can_stop(repo, speaker, cli):
    repo.write(".orchestration/config.yaml", "enforce: block\napprove_selection: true\n")
    server = speaker()

    asked = server.call("select_active_intent", intent_id="INT-001", session_handle="s1")
    again = server.call("select_active_intent", intent_id="INT-001", session_handle="s1")
    (waiting,) = cli("approve", "--json").rows
    cli("approve", waiting["approval_id"])
    said = server.call("select_active_intent", intent_id="INT-001", session_handle="s1")

    assert (asked["type"], asked["code"]) == ("user_rejection", "APPROVAL_PENDING")
    assert (again["code"], again["message"]) == (asked["code"], asked["message"])
    assert said["selected"] is True


def test_a_decision_and_a_lesson_are_kept_for_the_intent(repo, speaker):
    repo.commit(files={"src/billing/a.py": "a = 1\nb = 2\n"})
    server = speaker()
    server.call("select_active_intent", intent_id="INT-001", session_handle="s1")

    decided = server.call(
        "record_decision",
        title="Round half to even",
        rationale="banks do",
        alternatives=["floor: loses cents"],
        lines=["src/billing/a.py:1-2"],
        session_handle="s1",
    )
    learned = server.call("record_lesson", text="Run the samples first.", path="src/billing", session_handle="s1")

    (decision,), (lesson,) = repo.events("decision.recorded"), repo.events("lesson.recorded")
    assert (decided["decision_id"], decided["intent_id"]) == (decision.data["decision_id"], "INT-001")
    assert decision.data["alternatives"] == [{"option": "floor", "why_rejected": "loses cents"}]
    assert (learned["lesson_id"], learned["path"], learned["new"]) == (lesson.data["lesson_id"], "src/billing/**", True)
    assert {(event.contributor, event.session_id, event.intent_id) for event in (decision, lesson)} == {
        ("ai", "s1", "INT-001")
    }
    told = server.call("get_active_intent", session_handle="s1")["context"]
    assert "Run the samples first." in told


def test_why_and_traces_tell_what_hooks_recorded(repo, agent, speaker):
    session = agent("session-1")
    session.prompt("round the totals")
    session.write("src/a.py", "one\ntwo\n")
    server = speaker()

    (group,) = server.call("why", place="src/a.py:1-2")["lines"]
    traces = server.call("query_traces", path="src", type="mutation", limit=1)["traces"]

    assert (group["lines"], group["contributor_type"], group["agent_name"]) == ("1-2", "ai", "claude-code")
    assert (group["prompt"], group["session_id"]) == ("round the totals", "session-1")
    assert [(trace["type"], trace["path"]) for trace in traces] == [("mutation.observed", "src/a.py")]


def test_why_takes_the_name_of_a_definition(repo, agent, speaker):
    agent("session-1").write("src/a.py", "def total(lines):\n    return sum(lines)\n")

    said = speaker().call("why", place="src/a.py:total")

    assert (said["qualified_name"], said["lines"][0]["agent_name"]) == ("total", "claude-code")


def test_a_session_is_told_what_others_changed_since_it_read(repo, agent, speaker):
    repo.commit(files={"src/a.py": "x = 1\n"})
    with agent("reader").tool("Read", {"file_path": str(repo.path / "src/a.py")}, {}):
        pass
    agent("writer").write("src/a.py", "x = 2\n")
    server = speaker()

    (change,) = server.call("what_changed_since", session_handle="reader")["changes"]

    assert (change["path"], change["changed_by"], change["agent_name"]) == ("src/a.py", "writer", "claude-code")
    assert server.call("what_changed_since")["code"] == "INVALID_INPUT"


@pytest.mark.in_turn
def test_an_answer_is_small_however_much_there_is(repo, agent, speaker):
    session = agent("session-1")
    for number in range(210):
        session.prompt(f"{number} {'word ' * 100}")
    server = speaker()

    said = server.call("query_traces", limit=1000)

    assert 50 < len(said["traces"]) <= 200
    assert said["more"] is True
    assert len(json.dumps(said)) < 2 * MAX_ANSWER
    assert len(server.call("query_traces", limit=3)["traces"]) == 3
    assert server.call("query_traces", limit=0)["code"] == "INVALID_INPUT"


@pytest.mark.in_turn
def test_hostile_arguments_are_answered_with_an_error_or_with_nothing_found(speaker, cli):
    server = speaker()

    for tool in server.request("tools/list")["result"]["tools"]:
        schema = tool["inputSchema"]
        sound = {name: NEEDED[name] for name in schema.get("required", ())}
        for value in HOSTILE:
            every = dict.fromkeys(schema["properties"], value)
            for given in (every, every | sound):
                said = server.call(tool["name"], **given)
                assert said.get("type") != "internal", (tool["name"], given, said)
                assert "root:" not in json.dumps(said)
    assert server.process.poll() is None
    assert cli("verify", "--strict").status == 0


@pytest.mark.in_turn
def test_a_registry_that_cannot_be_read_is_named(repo, speaker):
    repo.write(".orchestration/active_intents.yaml", "active_intents: [\n")
    server = speaker()

    for tool in ("select_active_intent", "list_active_intents", "complete_intent"):
        said = server.call(tool, **({} if tool.startswith("list") else {"intent_id": "INT-001"}))
        assert said["code"] == "REGISTRY_MALFORMED"
        assert "a person" in said["next"]


@pytest.mark.in_turn
def test_without_a_ledger_every_tool_says_so_until_there_is_one(tmp_path, repo, speaker):
    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()
    outside, server = speaker(nowhere), speaker()
    folder = repo.path / ".orchestration"
    folder.rename(repo.path / "gone")

    assert outside.call("get_active_intent")["code"] == "NOT_A_REPOSITORY"
    assert outside.request("resources/list")["result"]["resources"] == []
    for tool, given in (("list_active_intents", {}), ("why", {"place": "a.py:1"}), ("record_lesson", {"text": "x"})):
        said = server.call(tool, **given)
        assert (said["code"], said["next"]) == ("NO_LEDGER", "linetrail init")
    (repo.path / "gone").rename(folder)
    assert server.call("list_active_intents")["total"] == 2


def test_a_client_says_in_which_folder_it_works_where_the_server_was_started_elsewhere(tmp_path, repo, speaker):
    server = speaker(tmp_path, env={"WORKSPACE_FOLDER_PATHS": str(repo.path)})

    assert server.call("list_active_intents")["total"] == 2


@pytest.mark.in_turn
@pytest.mark.parametrize("answered", ["with a folder", "with what is none", "with an error"])
def test_an_older_client_is_asked_for_its_roots(tmp_path, repo, speaker, answered):
    server = speaker(tmp_path, revision="2025-06-18", capabilities={"roots": {}})
    told = {
        "with a folder": {"result": {"roots": [{"uri": repo.path.as_uri(), "name": "project"}]}},
        "with what is none": {"result": {"roots": [{"uri": "https://example.org/x"}]}},
        "with an error": {"error": {"code": -32601, "message": "no roots"}},
    }

    number = server.ask("tools/call", {"name": "list_active_intents", "arguments": {}})
    asked = server.receive()
    server.send({"jsonrpc": "2.0", "id": asked["id"], **told[answered]})
    answer = server.receive()

    assert asked["method"] == "roots/list"
    assert answer["id"] == number
    said = answer["result"]["structuredContent"]
    assert (said.get("total"), said.get("code")) == ((2, None) if "folder" in answered else (None, "NOT_A_REPOSITORY"))


@pytest.mark.in_turn
def test_damage_in_the_ledger_is_told_with_the_answer(repo, agent, speaker, cli):
    agent("session-1").prompt("one")
    cli("seal")
    agent("session-2").prompt("two")
    (segment,) = (repo.path / ".orchestration/segments").glob("*.jsonl")
    segment.chmod(0o600)
    segment.write_bytes(segment.read_bytes()[:-40])

    said = speaker().call("query_traces")

    assert said["incomplete"]
    assert {trace["session_id"] for trace in said["traces"] if "session_id" in trace} == {"session-2"}


@pytest.mark.in_turn
def test_two_servers_and_hooks_write_into_one_ledger(repo, hook, speaker, cli):
    one, other = speaker(), speaker(revision="2025-11-25")

    for number in range(20):
        one.ask("tools/call", {"name": "record_lesson", "arguments": {"text": f"one {number}"}})
        other.ask("tools/call", {"name": "record_lesson", "arguments": {"text": f"other {number}"}})
    for number in range(5):
        about = {"session_id": "s1", "cwd": str(repo.path), "hook_event_name": "UserPromptSubmit"}
        hook(about | {"prompt": f"prompt {number}"})
    said = [server.receive()["result"]["structuredContent"] for server in (one, other) for _ in range(20)]

    assert not any("error" in answer for answer in said)
    assert len({event.data["lesson_id"] for event in repo.events("lesson.recorded")}) == 40
    assert len(repo.events("prompt.submitted")) == 5
    assert cli("verify").status == 0
