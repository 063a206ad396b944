"""A session of an agent behind the gate: a step runs only when the hook lets it."""

import contextlib
import json

import pytest

from linetrail.ledger.gate import policy

BLOCK = "enforce: block\n"
REGISTRY = """\
active_intents:
  - id: INT-001
    name: Round totals
    status: IN_PROGRESS
    owned_scope: [src/billing/**]
    constraints:
      - Keep the cents
      - {type: file_size, max_lines: 5, enforce: deny}
    acceptance_criteria: [Totals of the samples are right]
  - id: INT-002
    name: Sign in
    status: IN_PROGRESS
    owned_scope: [src/auth/**]
  - id: INT-003
    name: Cards
    status: BLOCKED
    owned_scope: [src/cards/**]
    blocked_reason: no contract yet
"""


class Session:
    """A session whose calls may be refused: a step runs only when the hook lets it."""

    def __init__(self, agent):
        self.agent, self.repo = agent, agent.repo

    def ask(self, tool, call_id=None, **given):
        """Return what the hook says to a call before it runs."""
        self.agent.calls += 1
        self.call = {
            "tool_name": tool,
            "tool_input": given,
            "tool_use_id": call_id or f"toolu_{self.agent.session_id}_{self.agent.calls}",
        }
        return self.agent.send("PreToolUse", **self.call)

    def report(self, response="", event="PostToolUse", **fields):
        """Return what the hook says to the end of the last call."""
        given = {"tool_response": response} if event == "PostToolUse" else {}
        return self.agent.send(event, **self.call, **given, **fields)

    def write(self, path, content="x = 1\n"):
        """Write a file if the hook lets it; return what it said."""
        told = self.ask("Write", file_path=str(self.repo.path / path), content=content)
        if told.get("permissionDecision") is None:
            self.repo.write(path, content)
            self.report({"type": "create", "filePath": path, "content": content, "originalFile": None})
        return told

    @contextlib.contextmanager
    def reading(self, path):
        """Do what the block does between the two hooks of a Read."""
        self.ask("Read", file_path=str(self.repo.path / path))
        yield
        self.report({"type": "text"})

    def read(self, path):
        self.ask("Read", file_path=str(self.repo.path / path))
        self.report({"type": "text"})

    def select(self, intent_id):
        """Check an intent out through the tool; return what both hooks said."""
        asked = self.ask("mcp__linetrail__select_active_intent", intent_id=intent_id, reasoning="it is about totals")
        return asked or self.report([{"type": "text", "text": '{"intent_id":"INT-001"}'}])

    def code(self, told):
        """Return the code of a refusal, from its structured form."""
        return structured(told)["code"] if told.get("permissionDecision") else None


def refused(session, command):
    """Return the code of the refusal of a command; None where it may run."""
    return session.code(session.ask("Bash", command=command))


def structured(told):
    return json.loads(told["permissionDecisionReason"].splitlines()[-1])


def verdicts(repo):
    return [(event.data["verdict"], event.data["code"]) for event in repo.events("gate.decided")]


@pytest.fixture
def gated(repo, agent, monkeypatch):
    """Return a function that sets the gate up and starts a session behind it."""
    monkeypatch.delenv(policy.VARIABLE, raising=False)

    def start(config=BLOCK, registry=REGISTRY, session="session-1"):
        repo.write(".orchestration/config.yaml", config)
        if registry is not None:
            repo.write(".orchestration/active_intents.yaml", registry)
        return Session(agent(session))

    return start
