"""The hook is started as each agent would, and broken on purpose: it refuses in block mode, and observes in silence."""

import os
import sys
from pathlib import Path

import pytest

from linetrail.ledger.agents import AGENTS
from linetrail.ledger.repository import find
from linetrail.queries.doctor import probe

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]


@pytest.fixture
def tried(repo):
    """Return a function that gives what trying agents found, as (check, level, message)."""

    def run(*agents):
        found = probe.probe(find(str(repo.path)), agents)
        return [(finding.check, finding.level, finding.message) for finding in found]

    return run


@pytest.mark.promise("G1")
@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_is_refused_in_its_own_words_whatever_is_broken(tried, agent):
    (started, broken) = tried(agent)

    assert started[:2] == ("probe", "ok")
    assert broken[:2] == ("broken on purpose", "ok"), broken
    assert broken[2].startswith(f"{agent}: 6 ways: each call denied in block mode")
    assert broken[2].endswith("silence in observe mode")


def test_who_asks_out_of_another_project_tries_this_one(tried, tmp_path, monkeypatch):
    strict = tmp_path / "strict" / ".orchestration"
    strict.mkdir(parents=True)
    (strict / "config.yaml").write_text("enforce: block\n")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(strict.parent))
    monkeypatch.setenv("LINETRAIL_ENFORCE", "block")

    assert [level for _, level, _ in tried("claude-code")] == ["ok", "ok"]


@pytest.mark.parametrize(
    ("script", "said"),
    [
        pytest.param(
            '[ "$1" = cursor ] || exec {hook} "$@"', "cursor: block mode, a write", id="one agent is let through"
        ),
        pytest.param('{hook} "$@"; exit 2', "it ended with 2", id="an exit status that means something else"),
        pytest.param('echo warning; exec {hook} "$@"', "no JSON object", id="a word too many"),
    ],
)
def test_an_answer_that_an_agent_would_not_hear_is_an_error(tried, tmp_path, monkeypatch, script, said):
    hook = tmp_path / "linetrail-hook"
    real = Path(sys.executable).with_name("linetrail-hook")
    start = f'#!/bin/sh\n[ "$3" = SessionStart ] && exec {real} "$@"\n'
    hook.write_text(start + script.format(hook=real) + "\n")
    hook.chmod(0o755)
    monkeypatch.setattr(probe, "hook_path", lambda: os.fspath(hook))

    wrong = [message for check, level, message in tried("cursor") if (check, level) == ("broken on purpose", "error")]

    assert wrong
    assert any(said in message for message in wrong), wrong
