"""What is in scope and needs a person's yes all the same: asked for, answered, put off, taken back."""

import json

import pytest

from linetrail.ledger.event.schema import problems
from linetrail.ledger.gate.gate import is_kind_of
from tests.gated import BLOCK, REGISTRY, structured, verdicts
from tests.ledger.adapters.dialect import EVERY_AGENT
from tests.ledger.adapters.dialects import DIALECTS
from tests.ledger.adapters.test_end_to_end import Spoken

TOTAL = "src/billing/total.py"
ALL = REGISTRY.replace("    owned_scope: [src/billing/**]", "    approval: all\n    owned_scope: [src/billing/**]")
DESTRUCTIVE = ALL.replace("approval: all", "approval: destructive")
DONE = REGISTRY.replace("status: IN_PROGRESS", "status: DONE", 1)


@pytest.fixture
def spoken(repo, hook, cli):
    """Return a function that has an agent work for INT-001 of a registry."""

    def start(name, registry=ALL, config=EVERY_AGENT):
        repo.write(".orchestration/config.yaml", config)
        repo.write(".orchestration/active_intents.yaml", registry)
        cli("select", "INT-001", "--session", "session-1")
        return Spoken(repo, hook, DIALECTS[name])

    return start


@pytest.fixture
def session(gated, cli):
    """Return a function that starts Claude Code in a mode without dialogs, working for INT-001."""

    def start(config=BLOCK, registry=ALL):
        begun = gated(config, registry)
        cli("select", "INT-001", "--session", "session-1")
        begun.agent.fields = {"permission_mode": "dontAsk"}
        return begun

    return start


def ask(session, tool="Write", **given):
    """Return what is said to a call in a mode in which no dialog opens."""
    session.agent.calls += 1
    given = given or {"file_path": TOTAL, "content": "CENT = 1\n"}
    call = {"tool_name": tool, "tool_input": given, "tool_use_id": f"toolu_{session.agent.calls}"}
    return session.agent.send("PreToolUse", permission_mode="dontAsk", **call)


def code(told):
    return structured(told)["code"] if told else None


def waiting(repo):
    return repo.events("gate.decided")[-1].data["approval_id"]


def test_an_agent_with_a_dialog_asks_in_it(spoken, repo):
    agent = spoken("claude-code")

    told = json.loads(agent.before(TOTAL).stdout)["hookSpecificOutput"]

    assert (told["permissionDecision"], structured(told)["code"]) == ("ask", "APPROVAL_REQUIRED")
    assert repo.events("gate.decided")[-1].data["rule"] == "INT-001: approval: all"


@pytest.mark.parametrize("name", ["codex", "gemini-cli"])
def test_for_an_agent_without_a_dialog_the_approval_waits_and_lets_the_call_through(spoken, repo, cli, name):
    agent = spoken(name)

    assert "APPROVAL_PENDING" in agent.reason(agent.before(TOTAL))
    assert cli("approve", waiting(repo)).status == 0

    assert agent.goes_on(agent.before(TOTAL), agent.dialect.before)
    assert "APPROVAL_PENDING" in agent.reason(agent.before("src/billing/tax.py"))


@pytest.mark.daily(1)
@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini-cli"])
def test_whoever_only_observes_asks_nobody(spoken, repo, name):
    agent = spoken(name, config="enforce: observe\n")

    assert agent.goes_on(agent.before(TOTAL), agent.dialect.before)
    assert repo.events("gate.decided")[-1].data["code"] == "APPROVAL_REQUIRED"


@pytest.mark.daily(3)
@pytest.mark.parametrize(
    ("registry", "tool", "given", "asked"),
    [
        pytest.param(DESTRUCTIVE, "Write", {}, False, id="destructive: a write"),
        pytest.param(DESTRUCTIVE, "Bash", {"command": f"rm {TOTAL}"}, True, id="destructive: a command"),
        pytest.param(DESTRUCTIVE, "Bash", {"command": "ls src"}, False, id="destructive: a command that reads"),
        pytest.param(ALL, "Write", {}, True, id="all: a write"),
        pytest.param(ALL, "Bash", {"command": f"touch {TOTAL}"}, True, id="all: a command"),
        pytest.param(ALL, "Read", {"file_path": TOTAL}, False, id="all: a read"),
        pytest.param(REGISTRY, "Write", {}, False, id="nothing said"),
    ],
)
def test_an_intent_says_what_of_it_needs_a_yes(session, repo, registry, tool, given, asked):
    session = session(registry=registry)
    repo.write(TOTAL, "CENT = 1\n")

    assert code(ask(session, tool, **given)) == ("APPROVAL_PENDING" if asked else None)


def test_a_patch_that_deletes_is_destructive(spoken, repo):
    agent = spoken("codex", DESTRUCTIVE)
    repo.write(TOTAL, "CENT = 1\n")
    gone = {"command": f"*** Begin Patch\n*** Delete File: {TOTAL}\n*** End Patch"}

    told = agent.send("PreToolUse", agent.dialect.tool("before", "apply_patch", gone))

    assert "APPROVAL_PENDING" in agent.reason(told)


@pytest.mark.daily(4)
@pytest.mark.parametrize(
    ("settings", "tool", "given", "asked"),
    [
        pytest.param("codes: {IN_SCOPE: ask}", "Write", {}, True, id="in scope, a file"),
        pytest.param("codes: {IN_SCOPE: ask}", "Bash", {"command": f"touch {TOTAL}"}, False, id="not a command"),
        pytest.param("codes: {INTENT_OPEN: ask}", "Bash", {"command": f"touch {TOTAL}"}, True, id="a command"),
        pytest.param("approvals: {paths: [src/billing/t*]}", "Write", {}, True, id="a path"),
        pytest.param("approvals: {paths: [src/auth/**]}", "Write", {}, False, id="another path"),
        pytest.param("approvals: {paths: ['src/**', '!src/billing/**']}", "Write", {}, False, id="but not this one"),
        pytest.param(
            "approvals: {commands: [touch]}", "Bash", {"command": f"cd src && touch ../{TOTAL}"}, True, id="a kind"
        ),
        pytest.param("approvals: {commands: [cat]}", "Bash", {"command": f"cat {TOTAL}"}, False, id="it only reads"),
        pytest.param("approvals: {commands: [npm publish]}", "Bash", {"command": f"touch {TOTAL}"}, False, id="other"),
        pytest.param("approvals: {commands: [git push]}", "Bash", {"command": "git push"}, True, id="danger"),
    ],
)
def test_the_settings_say_what_needs_a_yes(session, repo, settings, tool, given, asked):
    session = session(f"{BLOCK}{settings}\n", REGISTRY)
    repo.write(TOTAL, "CENT = 1\n")

    assert code(ask(session, tool, **given)) == ("APPROVAL_PENDING" if asked else None)


@pytest.mark.parametrize(
    "command", ["git push && rm -rf ~", "git push $(rm -rf ~)", "rm -rf ~ git push", "git push\nrm -rf ~"]
)
def test_a_yes_that_is_wanted_for_one_command_is_not_asked_for_another(session, command):
    session = session(f"{BLOCK}approvals: {{commands: [git push]}}\n", REGISTRY)

    assert code(ask(session, "Bash", command=command)) == "DANGEROUS_COMMAND"


def test_who_is_asked_is_told_what_is_dangerous(session):
    session = session(f"{BLOCK}approvals: {{commands: [git push]}}\n", REGISTRY)

    told = ask(session, "Bash", command="git push origin x")

    assert "it changes a repository that others share" in told["permissionDecisionReason"]


def test_what_an_intent_says_counts_before_what_is_said_of_all(session):
    config = BLOCK + "codes: {IN_SCOPE: ask}\napprovals: {paths: [src/billing/tax.py]}\n"
    session = session(config, ALL.replace("approval: all", "approval: none"))

    assert ask(session) == {}
    assert code(ask(session, file_path="src/billing/tax.py", content="x")) == "APPROVAL_PENDING"


def test_the_code_asks_in_every_mode_as_other_codes_do(session, monkeypatch):
    session = session("enforce: observe\ncodes: {IN_SCOPE: ask}\n", REGISTRY)

    assert code(ask(session)) == "APPROVAL_PENDING"

    monkeypatch.setenv("LINETRAIL_ENFORCE", "observe")
    assert ask(session) == {}


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("codes: {IN_SCOPE: block}", "config.yaml:2: expected one of ask, not 'block'"),
        ("approvals: {paths: [../x]}", "it climbs"),
        ("approvals: {paths: src}", "expected a list of names"),
        ("approvals: {command: [x]}", "there is no setting 'command' here"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_an_error(session, repo, settings, said):
    told = ask(session(f"{BLOCK}{settings}\n", REGISTRY))

    assert code(told) == "SETTINGS_MALFORMED"
    assert said in told["permissionDecisionReason"]


@pytest.mark.parametrize(
    ("command", "kind", "is_kind"),
    [
        ("git push", "git push", True),
        ('bash -c "git push"', "git push", True),
        ("g'i't push", "git push", True),
        ("/usr/bin/git -C sub push --force", "git push", True),
        ("x=$(git push)", "git push", True),
        ("cd a;git push", "git push", True),
        ("git log && echo push", "git push", True),
        ("push git", "git push", False),
        ("git pull", "git push", False),
        ("npm run deploy:live", "npm run deploy*", True),
        ("", "git push", False),
    ],
)
def test_a_kind_of_command_is_found_wherever_it_stands(command, kind, is_kind):
    assert is_kind_of(command, kind) is is_kind


def test_for_the_session_the_like_passes_and_nothing_else(session, repo, cli):
    session = session()
    ask(session)
    approval = waiting(repo)

    assert cli("approve", approval, "--session").status == 0

    assert [ask(session), ask(session, file_path=TOTAL, content="CENT = 2\n")] == [{}, {}]
    assert verdicts(repo)[-1] == ("allow", "APPROVED")
    assert waiting(repo) == approval
    assert code(ask(session, file_path="src/billing/tax.py", content="x")) == "APPROVAL_PENDING"
    assert code(ask(session, file_path="src/auth/x.py", content="x")) == "OUT_OF_SCOPE"
    long = ask(session, file_path=TOTAL, content="x = 1\n" * 9)
    assert code(long) == "CONSTRAINT_VIOLATED"
    (event,) = repo.events("approval.decided")
    assert (event.data["extent"], event.data["covers"]) == ("session", [TOTAL])


def test_another_session_is_asked_for_itself(session, repo, cli, agent):
    begun = session()
    ask(begun)
    cli("approve", waiting(repo), "--session")
    cli("select", "INT-001", "--session", "session-2")
    other = agent("session-2")
    call = {"tool_name": "Write", "tool_input": {"file_path": TOTAL, "content": "x"}, "tool_use_id": "t"}

    assert code(other.send("PreToolUse", permission_mode="dontAsk", **call)) == "APPROVAL_PENDING"


def test_an_approval_for_the_session_is_taken_back(session, repo, cli):
    session = session()
    ask(session)
    approval = waiting(repo)
    cli("approve", approval, "--session")

    answer = cli("approvals", "revoke", approval, "--reason", "enough for today")

    assert answer.status == 0
    assert code(ask(session)) == "APPROVAL_PENDING"
    (event,) = repo.events("approval.revoked")
    assert (event.data["approval_id"], event.data["extent"], event.data["reason"], event.contributor) == (
        approval,
        "session",
        "enough for today",
        "human",
    )
    assert [problem for line in repo.lines() for problem in problems(line)] == []


def test_an_approval_for_the_session_that_somebody_wrote_by_hand_counts_for_nothing(session, repo, cli):
    session = session()
    ask(session)
    cli("approve", waiting(repo), "--session")
    (card,) = (repo.path / ".orchestration/state/approvals").glob("A-*")
    card.write_text(card.read_text().replace(TOTAL, "src/auth/x.py").replace("APPROVAL_REQUIRED", "OUT_OF_SCOPE"))

    assert code(ask(session, file_path="src/auth/x.py", content="x")) == "OUT_OF_SCOPE"


def test_not_now_is_no_denial_and_the_request_stays_open(session, repo, cli):
    session = session()
    ask(session)
    approval = waiting(repo)

    assert cli("approvals", "defer", approval, "--reason", "after the release").status == 0

    told = ask(session)
    assert code(told) == "APPROVAL_DEFERRED"
    assert "after the release" in told["permissionDecisionReason"]
    assert "go on with something else" in told["permissionDecisionReason"]
    (row,) = cli("approvals", "--json").rows
    assert (row["approval_id"], row["state"], row["words"]) == (approval, "deferred", "after the release")
    assert cli("approve", approval).status == 0
    assert ask(session) == {}
    assert [event.data["reason"] for event in repo.events("approval.deferred")] == ["after the release"]


@pytest.mark.slow
def test_what_is_out_of_scope_becomes_scope_and_leaves_it_again(session, repo, cli):
    session = session(f"{BLOCK}codes: {{OUT_OF_SCOPE: ask}}\n", f"# ours\n{REGISTRY}")
    there = {"file_path": "src/auth/[id].py", "content": "x"}
    ask(session, **there)
    approval = waiting(repo)

    assert cli("approve", approval, "--scope", "--reason", "it belongs to this").status == 0

    text = (repo.path / ".orchestration/active_intents.yaml").read_text()
    assert text.startswith("# ours\n")
    assert "src/auth/[[]id].py" in text
    assert ask(session, **there) == {}
    assert verdicts(repo)[-1] == ("allow", "IN_SCOPE")
    assert code(ask(session, file_path="src/auth/i.py", content="x")) == "APPROVAL_PENDING"
    assert repo.events("intent.changed")[-1].data["reason"] == f"{approval} was approved"

    assert cli("approvals", "revoke", approval).status == 0

    assert approval not in cli("approvals").out
    assert code(ask(session, **there)) == "APPROVAL_PENDING"
    again = cli("approvals", "revoke", approval)
    assert (again.status, f"{approval} is no answer that counts" in again.err) == (1, True)


@pytest.mark.parametrize("extent", ["--session", "--scope"])
def test_what_cannot_be_approved_so_far_is_refused_and_stays_open(session, repo, cli, extent):
    session = session(f"{BLOCK}codes: {{CIRCUIT_OPEN: ask}}\nbreaker: {{threshold: 1}}\n", REGISTRY)
    ask(session, file_path="src/auth/x.py", content="x")
    assert code(ask(session)) == "APPROVAL_PENDING"

    answer = cli("approve", waiting(repo), extent)

    assert answer.status == 1
    assert "CIRCUIT_OPEN" in answer.err
    assert repo.events("approval.decided") == []
    assert cli("approve", waiting(repo)).status == 0


def test_nothing_becomes_scope_where_the_registry_cannot_be_changed(session, repo, cli):
    session = session(f"{BLOCK}codes: {{OUT_OF_SCOPE: ask}}\n", REGISTRY)
    ask(session, file_path="src/auth/x.py", content="x")
    approval = waiting(repo)
    repo.write(".orchestration/active_intents.yaml", REGISTRY.replace("INT-001", "INT-009"))

    assert cli("approve", approval, "--scope").status == 1
    assert repo.events("approval.decided") == []
    assert cli("approve", approval).status == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini-cli"])
def test_what_is_done_stays_closed_until_a_person_overrides_that(spoken, repo, cli, name):
    agent = spoken(name, REGISTRY)
    repo.write(".orchestration/active_intents.yaml", DONE)

    refused = agent.reason(agent.before(TOTAL))
    approval = waiting(repo)
    assert "(INTENT_CLOSED)" in refused
    assert f"`linetrail approve {approval}`" in refused

    assert cli("approve", approval, "--session").status == 0

    assert agent.goes_on(agent.before(TOTAL), agent.dialect.before)
    assert agent.goes_on(agent.before("src/billing/tax.py"), agent.dialect.before)
    assert "OUT_OF_SCOPE" in agent.reason(agent.before("src/auth/x.py"))
    (event,) = repo.events("approval.decided")
    assert (event.data["code"], event.data["covers"]) == ("INTENT_CLOSED", ["INT-001"])


def test_an_override_opens_no_intent_that_has_errors(session, repo, cli):
    session = session(registry=REGISTRY)
    repo.write(".orchestration/active_intents.yaml", DONE)
    ask(session)
    cli("approve", waiting(repo), "--session")
    repo.write(".orchestration/active_intents.yaml", DONE.replace("[src/billing/**]", "['src/[']", 1))

    assert code(ask(session, file_path="src/auth/x.py", content="x")) == "INTENT_CLOSED"


@pytest.mark.parametrize("status", ["ABORTED", "BLOCKED"])
def test_what_was_given_up_or_waits_cannot_be_overridden(session, repo, status):
    session = session(registry=REGISTRY)
    repo.write(".orchestration/active_intents.yaml", DONE.replace("DONE", status))

    assert code(ask(session)) == "INTENT_CLOSED"
    assert waiting(repo) is None


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini-cli"])
def test_an_agent_that_selects_a_draft_begins_it_and_changes_nothing_that_the_gate_goes_by(
    repo, hook, cli, monkeypatch, name
):
    repo.write(".orchestration/config.yaml", EVERY_AGENT)
    repo.write(".orchestration/active_intents.yaml", REGISTRY.replace("IN_PROGRESS", "DRAFT", 1))
    agent = Spoken(repo, hook, DIALECTS[name])
    command = agent.dialect.shell("linetrail select INT-001")
    agent.send(agent.dialect.before, agent.dialect.tool("before", *command))
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "session-1")

    assert cli("select", "INT-001").status == 0

    told = agent.send(agent.dialect.after, agent.dialect.tool("after", *command))
    assert "IN_PROGRESS" in told.stdout
    assert "INT-001" in (repo.events("intent.selected")[0].intent_id or "")
    assert repo.events("gate.violation") == []
    assert agent.goes_on(agent.before(TOTAL), agent.dialect.before)


@pytest.mark.parametrize("verb", ["defer", "revoke"])
def test_an_agent_cannot_answer_for_the_person(session, repo, cli, monkeypatch, verb):
    session = session()
    ask(session)
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "session-1")

    answer = cli("approvals", verb, waiting(repo))

    assert (answer.status, repo.events(f"approval.{verb}red"[:-1])) == (1, [])
    assert "only a person can" in answer.err


@pytest.mark.slow
def test_the_list_shows_what_waits_and_what_counts(session, repo, cli):
    session = session()
    ask(session)
    cli("approve", waiting(repo), "--session")
    ask(session, file_path="src/billing/tax.py", content="x")

    rows = {row["approval_id"]: (row["state"], row["extent"]) for row in cli("approvals", "--json").rows}

    assert sorted(rows.values()) == [("approved", "session"), ("pending", "once")]
    assert "approved (session)" in cli("approvals", "list").out
    answers = cli("sql", "select answer, extent from v_approvals", "--json").rows
    assert answers == [{"answer": "approved", "extent": "session"}]
