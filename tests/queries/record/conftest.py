"""A registry of intents, and somebody who changes it."""

import pytest

from tests.registries import FIRST


@pytest.fixture
def registry(repo):
    """Return a function that writes the registry, and one that reads it."""
    repo.start_ledger()

    def write(text=FIRST):
        repo.write(".orchestration/active_intents.yaml", text)

    write()
    return write


@pytest.fixture
def text(repo):
    return lambda: (repo.path / ".orchestration" / "active_intents.yaml").read_text(encoding="utf-8")


@pytest.fixture
def in_agent(monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
