"""Files that our own commands are asked to write: nothing that is protected, and no option that is shortened."""

import pytest

from linetrail.ledger.intents.selection import SESSION_VARIABLE


@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "sarif", "--out", ".claude/settings.json"),
        ("export", "agent-trace", "--out", ".git/hooks/pre-commit"),
        ("audit", "--format", "json", "--out", ".mcp.json"),
        ("checkpoint", "--generate-key", "k", "--key-out", ".orchestration/config.yaml"),
        ("demo", ".claude/demo"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_nothing_that_is_protected_is_written(cli, repo, arguments):
    repo.start_ledger()
    repo.write(".mcp.json", "{}\n")

    answer = cli(*arguments)

    assert answer.status == 2
    assert "only people change" in answer.err
    assert not (repo.path / ".claude").exists()


def test_a_link_is_followed_to_what_is_protected(cli, repo):
    repo.start_ledger()
    (repo.path / "report").symlink_to(".git/config")
    before = (repo.path / ".git/config").read_bytes()

    assert cli("export", "sarif", "--out", "report").status == 2
    assert (repo.path / ".git/config").read_bytes() == before


@pytest.mark.parametrize("arguments", ["export sarif --ou x", "doctor --fi", "intents list --jso"])
def test_no_option_is_shortened(cli, repo, arguments):
    repo.start_ledger()

    answer = cli(*arguments.split())

    assert answer.status == 2
    assert "unrecognized arguments" in answer.err
    assert not (repo.path / "x").exists()


def test_an_agent_selects_for_its_own_session_alone(cli, repo, monkeypatch):
    repo.start_ledger()
    registry = "active_intents: [{id: INT-001, name: A, status: IN_PROGRESS, owned_scope: [src/**]}]\n"
    repo.write(".orchestration/active_intents.yaml", registry)
    monkeypatch.setenv(SESSION_VARIABLE, "s1")

    assert cli("select", "INT-001", "--session", "s2").status != 0
    assert cli("select", "INT-001", "--session", "s1").status == 0
