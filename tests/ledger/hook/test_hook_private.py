"""What the hook keeps, and what it does not: no secret, no contents, nothing about a person, and all for its owner."""

import os
import shutil

import pytest

SECRETS = [
    "ghp_" + "a1B2" * 9,
    "sk-ant-api03-" + "Zz9_" * 20,
    "AKIA" + "ABCDEFGH12345678",
    "xoxb-" + "1234567890-abcdef",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
]


def payload(repo, event, **fields):
    return {"session_id": "s1", "cwd": str(repo.path), "hook_event_name": event} | fields


def test_a_prompt_is_kept_as_a_short_excerpt_and_a_hash(repo, agent):
    agent().prompt("word " * 500)

    data = repo.events("prompt.submitted")[0].data
    assert len(data["excerpt"]) == 200
    assert (data["length"], data["excerpt"][-1]) == (2500, "…")


@pytest.mark.parametrize("secret", SECRETS, ids=["github", "anthropic", "aws", "slack", "private key"])
def test_no_secret_reaches_a_file_that_git_may_track(repo, hook, secret):
    repo.start_ledger()
    hook(payload(repo, "UserPromptSubmit", prompt="x " * 90 + f"use {secret} please"))
    hook(payload(repo, "PreToolUse", tool_name="Bash", tool_input={"command": f"export T='{secret}'"}))
    hook(payload(repo, "PostToolUseFailure", tool_name="Bash", tool_input={}, error=f"bad key {secret}"))
    hook(payload(repo, "PermissionDenied", tool_name="Bash", tool_input={}, reason=f"contains {secret}"))
    hook(payload(repo, "StopFailure", error=f"refused {secret}"))

    stored = b"".join(repo.lines())

    assert len(repo.lines()) == 5
    assert secret.encode() not in stored
    assert secret.encode()[:12] not in stored


def test_what_looks_like_a_secret_and_is_evidence_survives(repo, hook):
    repo.start_ledger()
    command = "git show 9b90c2f316a91504b1998e1c190adf75757039a1 && echo 3f2504e0-4f89-41d3-9a0c-0305e82c3301"

    hook(payload(repo, "PreToolUse", tool_name="Bash", tool_input={"command": command}))

    assert repo.events()[0].data["command"] == command


def test_file_contents_stay_out_of_the_ledger(repo, agent):
    agent().write("a.py", "a_very_special_name = 1\n")

    assert b"a_very_special_name" not in b"".join(repo.lines())


def test_where_a_person_keeps_things_stays_out_of_the_ledger(repo, hook):
    repo.start_ledger()

    hook(payload(repo, "SessionStart", source="startup", transcript_path="/home/somebody/.claude/projects/x/s1.jsonl"))

    assert repo.events()[0].data["transcript"] == "s1.jsonl"
    assert str(repo.path).encode() not in b"".join(repo.lines())


@pytest.mark.promise("E5")
def test_everything_that_is_kept_is_for_its_owner_alone(repo, agent):
    repo.commit("start", {"a.py": "a = 1\n"})
    shutil.rmtree(repo.path / ".orchestration")
    mask = os.umask(0)
    try:
        repo.git("worktree", "add", "-q", "../side")
        repo.start_ledger()
        claude = agent()
        claude.edit("a.py", "1", "2")
        claude.send("Stop", cwd=str(repo.path.parent / "side"))
    finally:
        os.umask(mask)

    kept = [repo.path.parent / "side" / ".orchestration", *(repo.path / ".orchestration").rglob("*")]
    kept += kept[0].rglob("*")
    assert len(kept) > 10
    assert [path for path in kept if path.stat().st_mode & 0o077] == []


def test_a_session_id_is_never_a_file_name(repo, hook):
    repo.start_ledger()

    hook(payload(repo, "SessionStart", source="startup", model="m", session_id="../../../escape"))

    assert not (repo.path.parent / "escape").exists()
    assert repo.events()[0].session_id == "../../../escape"


@pytest.mark.parametrize(
    "fields",
    [
        {"hook_event_name": "SessionEnd", "reason": "{}"},
        {"hook_event_name": "SessionStart", "source": "{}"},
        {"hook_event_name": "SubagentStart", "agent_id": "a", "agent_type": "{}"},
        {"hook_event_name": "Stop", "reason": "{}"},
        {"hook_event_name": "{}"},
        {"hook_event_name": "PreToolUse", "tool_name": "mcp__{}", "tool_input": {}, "permission_mode": "{}"},
    ],
    ids=lambda fields: fields["hook_event_name"],
)
def test_no_word_of_the_agent_carries_a_secret_or_is_too_long_to_store(repo, hook, fields):
    secret = "ghp_" + "a1B2" * 9
    repo.start_ledger()

    for text in (f"token {secret}", "x" * 100_000):
        done = hook({"cwd": str(repo.path)} | {key: _filled(value, text) for key, value in fields.items()})
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    assert len(repo.events()) == 2
    assert repo.events("payload.rejected") == []
    assert secret.encode() not in b"".join(repo.lines())


def _filled(value, text):
    return value.replace("{}", text) if isinstance(value, str) else value


@pytest.mark.parametrize(
    "asked",
    [
        {"tool_name": "Bash", "tool_input": {"command": "make TOKEN={secret}"}},
        {"tool_name": "Bash", "tool_input": {"command": "touch src/auth/{secret}.py"}},
        {"tool_name": "Write", "tool_input": {"file_path": "src/auth/{secret}.py", "content": ""}},
        {"tool_name": "Write", "tool_input": {"file_path": "src/billing/{secret}.py", "content": ""}},
    ],
    ids=["in a word", "in a name", "in a path that is refused", "in a path that is allowed"],
)
def test_no_secret_is_told_or_kept_by_a_judgement(repo, gated, asked):
    session = gated()
    session.select("INT-001")
    secret = SECRETS[0]
    given = {name: text.replace("{secret}", secret) for name, text in asked["tool_input"].items()}

    told = session.ask(asked["tool_name"], **given)
    repo.write(given.get("file_path", f"src/auth/{secret}.py"), "x = 1\n")
    reported = session.report("")

    assert secret.encode() not in b"".join(repo.lines())
    assert secret not in str(told) + str(reported)
    kept = [*(repo.path / ".orchestration/state/deliveries").iterdir(), repo.path / ".orchestration/AGENT.md"]
    assert not any(secret.encode() in file.read_bytes() for file in kept if file.exists())
