"""`linetrail doctor --fix`: it does what needs nobody's judgement, says what it did, and looks again."""

import json
import os
import stat

import pytest

from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.ledger.event.event import Event, new_id, rfc3339
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from linetrail.queries.commands.checks import doctor as command
from linetrail.queries.doctor import probe

GONE = "/gone/linetrail-hook"
# What no repair of ours changes.
OF_THE_AGENT = ("last event", "trust", "retention")


@pytest.fixture
def fix(cli, monkeypatch):
    """Return a function that repairs, and gives what was repaired and the findings that are left."""
    monkeypatch.setattr(command, "CHECKS", [one for one in command.CHECKS if one is not probe.check_probe])

    def run(*options):
        answer = cli("doctor", "--fix", "--json", *options)
        assert answer.status in (0, 1), answer.err
        left = [row for row in answer.rows if row["level"] != "ok" and row["check"] not in OF_THE_AGENT]
        return json.loads(answer.out)["meta"]["repaired"], left, answer

    return run


@pytest.fixture
def install(cli):
    def run(*agents, mode="observe"):
        named = [word for agent in agents for word in ("--agent", agent)]
        assert cli("init", *named, "--enforce", mode, "--no-input").status == 0

    return run


def lose(repo, agent):
    """Let the hooks of an agent call one that is gone, as when an environment was deleted."""
    path = repo.path / CATALOGUE[agent].file
    document = json.loads(path.read_text())
    text = json.dumps(document)
    found = next(word for word in text.replace('"', " ").split() if word.endswith("linetrail-hook"))
    path.write_text(text.replace(found, GONE))
    return path


def test_nothing_is_done_where_nothing_is_wrong(repo, install, fix):
    install("claude-code", "gemini-cli", mode="block")
    before = {path: path.read_bytes() for path in repo.path.rglob("*") if path.is_file() and "cache" not in path.parts}

    repaired, left, answer = fix()

    assert (repaired, left) == ([], [])
    assert answer.err == "nothing to repair without you\n"
    assert before == {path: path.read_bytes() for path in before}


@pytest.mark.daily(3)
@pytest.mark.parametrize("agent", ["claude-code", "cursor", "gemini-cli", "copilot-cli", "windsurf"])
@pytest.mark.parametrize("mode", ["observe", "block"])
def test_a_hook_that_is_gone_is_called_where_it_is_now(repo, install, fix, agent, mode):
    install(agent, mode=mode)
    path = repo.path / CATALOGUE[agent].file
    before = json.loads(path.read_text())
    lose(repo, agent)

    repaired, left, answer = fix()

    assert repaired == [f"update {path}"]
    assert left == []
    assert answer.err == f"repaired: update {path}\n"
    assert json.loads(path.read_text()) == before


def test_a_script_that_cannot_be_run_can_be_run_again(repo, install, fix):
    install("cline")
    path = repo.path / ".clinerules" / "hooks" / "PreToolUse"
    path.chmod(0o644)

    repaired, left, _ = fix()

    assert (repaired, left) == ([f"update {path}"], [])
    assert os.access(path, os.X_OK)


def test_an_event_that_is_missing_comes_back_and_what_a_person_wrote_stays(repo, install, fix):
    install("claude-code")
    path = repo.path / ".claude" / "settings.json"
    document = json.loads(path.read_text())
    del document["hooks"]["Stop"]
    document["hooks"]["SessionStart"].append({"hooks": [{"type": "command", "command": "echo mine"}]})
    path.write_text(json.dumps(document))

    repaired, left, _ = fix()

    assert (repaired, left) == ([f"update {path}"], [])
    assert "echo mine" in path.read_text()


def test_agents_that_were_never_installed_are_not(repo, install, fix):
    install("none")
    (repo.path / ".cursor").mkdir()

    repaired, left, _ = fix()

    assert repaired == []
    assert [row["check"] for row in left] == ["hooks"]
    assert not list((repo.path / ".cursor").iterdir())


def test_no_ledger_is_begun(repo, fix):
    repaired, _, _ = fix()

    assert repaired == []
    assert not (repo.path / ".orchestration").exists()


def test_hooks_that_were_reviewed_are_only_rewritten_when_somebody_says_so(repo, install, fix):
    install("codex")
    path = lose(repo, "codex")
    lost = path.read_text()

    repaired, left, _ = fix()
    assert (repaired, path.read_text()) == ([], lost)
    assert "--retrust codex" in left[0]["next"]

    repaired, left, _ = fix("--retrust", "codex")
    assert (repaired, left) == ([f"update {path}"], [])
    assert GONE not in path.read_text()
    assert set(json.loads(path.read_text())) == {"hooks"}


def test_consent_without_a_repair_is_a_usage_error(repo, install, cli):
    install("codex")

    assert cli("doctor", "--retrust", "codex").status == 2


@pytest.mark.daily(5)
@pytest.mark.parametrize("mode", ["block", "warn"])
def test_an_agent_repairs_nothing_where_calls_are_judged(repo, install, cli, monkeypatch, mode):
    install("claude-code", mode=mode)
    path = lose(repo, "claude-code")
    lost = path.read_bytes()
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s")

    answer = cli("doctor", "--fix")

    assert answer.status == 1
    assert f"may not loosen `{mode}`" in answer.err
    assert path.read_bytes() == lost


def test_a_ledger_that_others_may_read_becomes_private(repo, hook, install, fix):
    install("claude-code")
    hook({"session_id": "s", "hook_event_name": "SessionStart", "source": "startup", "cwd": str(repo.path)})
    tail = repo.path / ".orchestration" / "agent_trace.jsonl"
    tail.chmod(0o644)

    repaired, left, _ = fix()

    assert (repaired, left) == ([f"chmod 600 {tail}"], [])
    assert stat.S_IMODE(tail.stat().st_mode) == 0o600


def test_what_waits_in_the_spool_is_taken_in(repo, install, fix):
    install("claude-code")
    event = Event(new_id(1), rfc3339(1), "agent.signalled", "s", None, "unknown", None, None, {"signal": "x"})
    Ledger(find(str(repo.path))).spool([event])

    repaired, left, _ = fix()

    assert repaired == ["took what waited in the spool into the ledger"]
    assert left == []
    assert [one.id for one in repo.events()] == [event.id]


def test_what_git_would_carry_is_ignored_again(repo, install, fix):
    install("claude-code")
    ignored = repo.path / ".orchestration" / ".gitignore"
    ignored.unlink()

    repaired, left, _ = fix()

    assert (repaired, left) == ([f"create {ignored}"], [])


def test_the_order_of_steps_is_told_again(repo, install, fix):
    install("codex", mode="block")
    (repo.path / "AGENTS.md").unlink()

    repaired, left, _ = fix()

    assert (repaired, left) == ([f"create {repo.path / 'AGENTS.md'}"], [])


def test_hooks_of_a_person_are_repaired_where_they_are(home, cli, repo, install, fix):
    install("none")
    assert cli("init", "--user", "--agent", "gemini-cli").status == 0
    path = home / ".gemini" / "settings.json"
    before = path.read_bytes()
    document = json.loads(before)
    del document["hooks"]["SessionEnd"]
    path.write_text(json.dumps(document))

    repaired, left, _ = fix()

    assert (repaired, left) == ([f"update {path}"], [])
    assert json.loads(path.read_bytes()) == json.loads(before)
    assert not (repo.path / ".gemini").exists()


def test_what_cannot_be_repaired_is_said_and_stops_nothing(repo, install, fix):
    install("claude-code", "windsurf")
    first, second = lose(repo, "windsurf"), lose(repo, "claude-code")
    real = repo.path / "elsewhere.json"
    os.rename(first, real)
    first.symlink_to(real)

    repaired, left, answer = fix()

    assert repaired == [f"update {second}"], answer.err
    assert "could not: linetrail init --agent windsurf: " in answer.err
    assert {row["check"] for row in left} == {"hooks"}
