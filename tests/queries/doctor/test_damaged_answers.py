"""Whatever is asked of a ledger that is damaged: every answer over it ends with 3, from the cache and without it."""

import json
import shutil
import time
import warnings

import pytest

import linetrail as library
from linetrail.ledger.errors import DamageWarning
from linetrail.ledger.files import SETTLED_NS
from linetrail.queries.command_line import COMMANDS
from tests.queries.doctor.test_damage import altered, cut_short, files, renamed  # noqa: F401  a fixture

pytestmark = pytest.mark.in_turn

# command -> what is asked
ANSWERS = {
    "status": [()],
    "blame": [("src/a.py",)],
    "why": [("src/a.py:1",)],
    "lineage": [("src/c.py:twice",)],
    "diff": [("HEAD~1",)],
    "stats": [()],
    "usage": [()],
    "log": [()],
    "show": [("session-1",), ("INT-001",), ("HEAD",)],
    "transcript": [("session-1",)],
    "ask": [("what was changed",), ("@hot_files",)],
    "sql": [("select count(*) from events",), ("@integrity",)],
    "intents": [("history", "INT-001")],
    "decisions": [()],
    "lesson": [("list",)],
    "plan": [()],
    "workers": [()],
    "since": [("session-1",)],
    "audit": [()],
    "ci": [()],
    "verify": [()],
    "rebuild": [(), ("--check",)],
    "export": [("agent-trace",)],
    "report": [("--out", "report.html")],
}
# command -> why its answer is not one over the ledger
OTHERS = {
    "try": "reads transcripts into a ledger of its own",
    "init": "writes settings",
    "doctor": "looks at hooks, and names `verify` for the ledger",
    "demo": "unpacks a ledger of its own",
    "classify": "asks git and syntax trees",
    "start": "records",
    "give-back": "records",
    "land": "records",
    "arbitrate": "records",
    "select": "records",
    "record-decision": "records",
    "gate": "reads what this machine keeps of calls",
    "approvals": "reads what this machine keeps of requests",
    "approve": "records",
    "reject": "records",
    "check-path": "reads its input",
    "check-command": "reads its input",
    "check-staged": "reads the index and the scope",
    "check-ignore": "reads .intentignore",
    "explain": "reads what is built in",
    "completion": "prints what is built in",
    "recovery-point": "records",
    "restore": "mends",
    "seal": "names what is there",
    "checkpoint": "names what is there",
    "erase": "records",
    "correct": "records",
    "import": "records; refuses to behind a damage",
    "push": "names what is there, and sends nothing of what is damaged",
    "pull": "mends",
    "fleet": "answers over a store; its damage has tests of its own",
    "serve": "stays; its pages are tested on their own",
    "lsp": "stays",
    "mcp": "stays; its tools answer by the functions of the library",
}
LIBRARY = {
    "blame": ("src/a.py",),
    "why": ("src/a.py:1",),
    "lineage": ("src/c.py:twice",),
    "diff": ("HEAD~1",),
    "stats": (),
    "log": (),
    "ask": ("hot_files",),
    "decisions": (),
    "sessions": (),
}
DAMAGES = [
    pytest.param(0, renamed, id="a byte of a segment, its size and time as before", marks=pytest.mark.soak),
    pytest.param(1, cut_short, id="the newest segment cut short", marks=pytest.mark.soak),
    pytest.param(1, None, id="the newest segment gone", marks=pytest.mark.soak),
    pytest.param(2, renamed, id="a line of the tail, its size and time as before"),
]


@pytest.fixture
def told(repo, agent, home, files):  # noqa: F811  the fixture
    """Return the files of a ledger in which there is something to answer to every question."""
    agent().write("src/c.py", "def twice(x):\n    return x + x\n")
    repo.commit()
    intent = "{id: INT-001, name: A, status: IN_PROGRESS, owned_scope: [src/**]}"
    repo.write(".orchestration/active_intents.yaml", f"active_intents: [{intent}]\n")
    slug = "".join(sign if sign.isalnum() else "-" for sign in str(repo.path))
    transcript = home / ".claude" / "projects" / slug / "session-1.jsonl"
    transcript.parent.mkdir(parents=True)
    message = {"role": "user", "content": "write 0"}
    about = {"type": "user", "uuid": "1", "sessionId": "session-1", "cwd": str(repo.path), "message": message}
    transcript.write_text(json.dumps(about | {"timestamp": "2026-01-01T00:00:00.000Z"}) + "\n")
    return files


def statuses(cli):
    """Return with which status each answer ends."""
    asked = [(command, *arguments) for command, questions in ANSWERS.items() for arguments in questions]
    return {" ".join(words): cli(*words).status for words in asked}


def test_every_command_is_known_to_answer_over_the_ledger_or_not_to():
    assert {*ANSWERS, *OTHERS} == {*COMMANDS}
    assert {*ANSWERS} & {*OTHERS} == set()


@pytest.mark.slow
@pytest.mark.parametrize(("which", "change"), DAMAGES)
def test_every_answer_over_a_damaged_ledger_ends_with_3(repo, cli, told, which, change):
    cli("select", "INT-001")
    time.sleep(2 * SETTLED_NS / 1e9)  # what is read from now on is remembered
    sound = statuses(cli)
    assert 3 not in sound.values()
    assert [asked for asked, status in sound.items() if status == 2] == []

    if change is None:
        told[which].unlink()
    else:
        altered(told[which], change)

    warm = statuses(cli)
    shutil.rmtree(repo.path / ".orchestration" / "cache")
    cold = statuses(cli)
    assert {asked: (warm[asked], cold[asked]) for asked in sound if (warm[asked], cold[asked]) != (3, 3)} == {}


@pytest.mark.slow
def test_every_function_warns_of_damage(repo, told):
    altered(told[0], renamed)

    for name, arguments in LIBRARY.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            getattr(library, name)(str(repo.path), *arguments)
        assert DamageWarning in {type(warning.message) for warning in caught}, name


@pytest.mark.slow
@pytest.mark.parametrize("asked", [("intents", "history", "INT-001"), ("show", "INT-001")])
def test_what_is_not_found_may_be_what_is_damaged(cli, told, asked):
    altered(told[2], renamed)
    said = cli(*asked)

    assert said.status == 3
    assert "INT-001" in said.err
    assert f"error: {told[2]}: offset " in said.err


@pytest.mark.slow
@pytest.mark.parametrize("asked", [("intents", "list"), ("intents", "show", "INT-001")])
def test_what_people_wrote_is_told_beside_a_damaged_ledger(repo, cli, told, asked):
    altered(told[0], renamed)

    assert cli(*asked).status == 0
