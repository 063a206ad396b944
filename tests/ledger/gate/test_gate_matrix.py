"""Without an intent that is selected, known, open and sound, no tool that writes gets through; what reads does."""

import pytest

from linetrail.ledger.intents import selection
from linetrail.ledger.repository import find
from tests.gated import Session

INTENT = """\
active_intents:
  - id: INT-001
    name: Round totals
    status: {status}
    owned_scope: {scope}
"""
OPEN = INTENT.format(status="IN_PROGRESS", scope="['**']")
# what is selected, and what the registry says
STATES = {
    "nothing is selected": (None, OPEN),
    "what is selected is unknown": ("INT-404", OPEN),
    "it is done": ("INT-001", INTENT.format(status="DONE", scope="['**']")),
    "it is completed": ("INT-001", INTENT.format(status="COMPLETED", scope="['**']")),
    "it is blocked": ("INT-001", INTENT.format(status="BLOCKED", scope="['**']")),
    "it was given up": ("INT-001", INTENT.format(status="ABORTED", scope="['**']")),
    "its status is none": ("INT-001", INTENT.format(status="WHATEVER", scope="['**']")),
    "it owns nothing": ("INT-001", INTENT.format(status="IN_PROGRESS", scope="[]")),
    "one of its patterns is none": ("INT-001", INTENT.format(status="IN_PROGRESS", scope="['**', '/etc/**']")),
    "the registry is torn": ("INT-001", "active_intents:\n  - id: [\n"),
    "the registry is no text": ("INT-001", "\x00\x01"),
    "the registry is a list": ("INT-001", "- a\n"),
    "the registry has it twice": ("INT-001", OPEN + OPEN.partition("\n")[2]),
    "the registry is a bomb": ("INT-001", "a: &a [x, x]\nb: &b [*a, *a]\nactive_intents: [*b]\n"),
    "the registry is gone": ("INT-001", None),
    "the settings are torn": ("INT-001", OPEN),
}
WRITING = {
    "Write": {"file_path": "src/a.py", "content": "x"},
    "Edit": {"file_path": "src/a.py", "old_string": "a", "new_string": "b"},
    "MultiEdit": {"file_path": "src/a.py", "edits": [{"old_string": "a", "new_string": "b"}]},
    "NotebookEdit": {"notebook_path": "src/a.ipynb", "new_source": "x"},
    "Bash": {"command": "make build"},
    "PowerShell": {"command": "Set-Content a.txt x"},
    "ToolOfTheFuture": {"path": "src/a.py", "content": "x"},
    "mcp__files__write": {"path": "src/a.py"},
}
READING = {
    "Read": {"file_path": "src/a.py"},
    "Grep": {"pattern": "x"},
    "Glob": {"pattern": "**"},
    "TodoWrite": {"todos": []},
    "Bash": {"command": "git status --short"},
}


@pytest.fixture(params=STATES)
def session(request, repo, agent):
    """Return a session in one of the states in which nothing may be written."""
    selected, registry = STATES[request.param]
    torn = "broken: [\n" if request.param == "the settings are torn" else ""
    repo.write(".orchestration/config.yaml", f"enforce: block\n{torn}")
    if registry is not None:
        repo.write(".orchestration/active_intents.yaml", registry)
    session = Session(agent())
    if selected is not None:
        selection.write(find(str(repo.path)), selected, session_id="session-1")
    return session


@pytest.mark.daily(8)
@pytest.mark.promise("G2")
def test_no_tool_that_writes_gets_through(session):
    told = {tool: session.ask(tool, **given).get("permissionDecision") for tool, given in WRITING.items()}

    # A tool of a server whose effect nobody knows is for a person to judge.
    assert told == dict.fromkeys(WRITING, "deny") | {"mcp__files__write": "ask"}


@pytest.mark.promise("G2")
def test_every_tool_that_reads_gets_through(session):
    assert [tool for tool, given in READING.items() if session.ask(tool, **given) != {}] == []
