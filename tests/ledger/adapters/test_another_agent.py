"""A fifteenth agent from one file and its payloads: it is recorded, judged, installed, looked after and documented.

And no file of the product but its module, and what `just agents` makes of it, names an agent.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.ledger.agents import PROTECTED
from tests.gated import REGISTRY

ROOT = Path(__file__).resolve().parents[3]
ROOMS = ("ledger", "projections", "queries")
MODULE = '''"""Acme Coder: payloads of Claude Code's shape, with events and tools of its own."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from linetrail.ledger.adapters.adapter import answered, does, identifier, part, table, text, tool
from linetrail.ledger.errors import PayloadError
from linetrail.ledger.event.signal import Answer, Said, Signal

if TYPE_CHECKING:
    from linetrail.ledger.adapters.agent import Agent

NAME = "acme-coder"
GATED = ("beforeStep",)

_KINDS = {"opened": "session_start", "beforeStep": "pre_tool", "afterStep": "post_tool"}
_TOOLS = table(write="put", commands="run", read="look")


def read(payload: Mapping[str, Any], event: str | None) -> Signal:
    told = event or text(payload, "moment")
    if told is None:
        raise PayloadError("the payload names no event")
    kind, step = _KINDS.get(told, "other"), part(payload, "step")
    call = None
    if kind in ("pre_tool", "post_tool"):
        called = text(step, "verb")
        if not called:
            raise PayloadError("the payload names no tool")
        given = part(step, "with")
        call = tool(called, does(_TOOLS, called), given, call_id=identifier(step, "id"), command=given.get("command"))
    return Signal(kind=kind, name=told, session_id=identifier(payload, "talk"), cwd=text(payload, "cwd"), tool=call)


def can_ask(_signal: Signal) -> bool:
    return False


def reply(_event: str, answer: Answer) -> Said:
    return answered({"halt": answer.message}) if answer.verdict is not None else Said()


def about() -> "Agent":
    from linetrail.ledger.adapters import agent

    return agent.Agent(
        name=NAME,
        title="Acme Coder",
        layout=agent.LIST,
        file=".acme/hooks.json",
        user_file=".acme/hooks.json",
        events=("opened", "beforeStep", "afterStep"),
        tool_events=("beforeStep", "afterStep"),
        gates=("beforeStep",),
        protected=(".acme",),
        signs=(".acme",),
        trust="Start a new session of Acme Coder.",
        marks=agent.Marks(evidence="made up"),
        project_variables=("ACME_PROJECT_DIR",),
        shell_variables=(("ACME_TALK", True),),
        program=agent.Program("acme"),
        question=agent.Question(
            {
                "moment": "beforeStep",
                "talk": agent.SESSION,
                "cwd": agent.FOLDER,
                "step": {"id": "step-1", "verb": agent.TOOL, "with": agent.INPUT},
            },
            write=("put", {"path": agent.FILE, "content": "1"}),
            read=("look", {"path": agent.FILE}),
        ),
        denial=agent.Denial({"halt": agent.TEXT}),
        switch_files=(".acme/settings.json",),
        switches=(agent.Switch(("quiet",)),),
        credit=agent.Credit(names=("acme coder",)),
    )
'''
OPENED = {"moment": "opened", "talk": "talk-1"}
WRITE = {"moment": "beforeStep", "talk": "talk-1", "step": {"id": "step-1", "verb": "put"}}
# What names agents for a reason of its own.
ALLOWED = {
    "ledger/agents.py": "made from the modules",
    "ledger/hook/entry.py": "made from the modules, for where nothing else can be loaded",
    "queries/importers/": "one module for each vendor's transcripts, and for each format that calls agents its own way",
    "ledger/redact/secrets.py": "vendors whose keys are secrets",
    "queries/demonstration/": "a story, whose agents have names",
    "queries/commands/questions/ask.py": "a question as an example",
    "ledger/knowledge/markdown_line.py": "an entity of HTML is called like one",
    "projections/proof/dialects/lowering.py": "so is what walks a tree",
    "projections/models/protected_paths.sql": "SQL reads no Python; it is held against them below",
}


@pytest.fixture(scope="session")
def checkout(tmp_path_factory):
    """Copy the project, add the module of one more agent, and let the tool find it."""
    folder = tmp_path_factory.mktemp("checkout") / "linetrail"
    for name in (*ROOMS, "tools"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "docs").mkdir()
    for name in ("__init__.py", "__main__.py", "README.md", "docs/agents.md"):
        shutil.copyfile(ROOT / name, folder / name)
    (folder / "ledger" / "adapters" / "acme_coder.py").write_text(MODULE)
    run(folder, folder / "tools" / "make_agents.py")
    return folder


@pytest.fixture
def project(repo, home):
    """Set a repository up in which the agent works on an intent."""
    repo.commit(files={"README.md": "Read me\n"})
    repo.write(".orchestration/config.yaml", "enforce: block\n")
    repo.write(".orchestration/active_intents.yaml", REGISTRY)
    repo.write(".orchestration/state/selection/worktree.json", '{"intent_id": "INT-001"}')
    assert home.is_dir()
    return repo


def run(checkout, *words, cwd=None, payload=None, status=0, **variables):
    """Run Python with this copy of the project, and return what it printed."""
    environment = os.environ | {"PYTHONPATH": str(checkout.parent)} | variables
    done = subprocess.run(
        [sys.executable, *words], cwd=cwd, env=environment, input=payload, capture_output=True, check=False
    )
    assert done.returncode == status, done.stderr.decode()
    return done.stdout


def hook(checkout, project, payload, *options):
    start = "from linetrail.ledger.hook.entry import run; run()"
    sent = json.dumps(payload | {"cwd": str(project.path)}).encode()
    return run(checkout, "-c", start, "acme-coder", *options, cwd=project.path, payload=sent)


def write(project, path):
    return WRITE | {"step": WRITE["step"] | {"with": {"path": str(project.path / path), "content": "1\n"}}}


@pytest.mark.slow
def test_it_is_recorded_and_its_calls_are_judged(checkout, project):
    assert hook(checkout, project, OPENED) == b""
    assert hook(checkout, project, write(project, "src/billing/total.py")) == b""
    denied = json.loads(hook(checkout, project, write(project, "src/auth/session.py")))

    assert denied["halt"].startswith("Refused (OUT_OF_SCOPE)")
    assert {event.agent.name for event in project.events("session.started", "tool.requested")} == {"acme-coder"}
    assert [event.data["verdict"] for event in project.events("gate.decided")][-1] == "deny"


@pytest.mark.slow
def test_what_tells_it_what_to_do_is_protected(checkout, project):
    denied = json.loads(hook(checkout, project, write(project, ".acme/hooks.json")))

    assert denied["halt"].startswith("Refused (PROTECTED_PATH)")


def test_it_is_told_a_denial_where_nothing_else_can_be_loaded(checkout, project):
    start = "import sys; sys.modules['linetrail.ledger.hook.loop'] = None; "
    start += "from linetrail.ledger.hook.entry import run; run()"
    said = run(checkout, "-c", start, "acme-coder", "--event", "beforeStep", cwd=project.path, payload=b"")

    assert json.loads(said)["halt"].startswith("Refused (HOOK_BROKEN)")


@pytest.mark.slow
def test_it_is_installed_and_diagnosed(checkout, project):
    def linetrail(*words, **more):
        return run(checkout, "-m", "linetrail", *words, cwd=project.path, **more)

    linetrail("init", "--agent", "acme-coder", "--enforce", "block")
    entries = json.loads((project.path / ".acme" / "hooks.json").read_text())["hooks"]
    assert {name: len(found) for name, found in entries.items()} == {"opened": 1, "beforeStep": 1, "afterStep": 1}

    (project.path / ".acme" / "settings.json").write_text('{"quiet": true}')
    hook(checkout, project, OPENED)
    found = json.loads(linetrail("doctor", "--json", status=1))["rows"]
    told = {row["check"]: (row["level"], row["message"]) for row in found if "acme" in row["message"]}
    assert told["hooks"] == ("ok", "acme-coder: 3 events in " + str(project.path / ".acme" / "hooks.json"))
    assert told["gate"][0] == "ok"
    assert told["broken on purpose"] == (
        "ok",
        "acme-coder: 6 ways: each call denied in block mode, silence in observe mode",
    )
    assert told["last event"][0] == "ok"
    assert told["switches"] == ("error", f"quiet in {project.path}/.acme/settings.json turns every hook off")

    linetrail("init", "--undo")
    assert not (project.path / ".acme" / "hooks.json").exists()


@pytest.mark.slow
def test_its_shell_and_its_commits_are_known(checkout, project):
    shell = "from linetrail.ledger.intents.selection import shell; print(shell().named)"
    credit = "from linetrail.projections.git.credits import found; print(found(b'\\n\\nAssisted-by: Acme Coder')[0][2])"

    variables = {"ACME_TALK": "talk-1"}
    assert run(checkout, "-c", shell, cwd=project.path, **variables) == b"acme-coder, session talk-1\n"
    assert run(checkout, "-c", credit, cwd=project.path) == b"acme-coder\n"


def test_people_can_read_of_it(checkout):
    readme, page = (checkout / "README.md").read_text(), (checkout / "docs" / "agents.md").read_text()

    assert "15 agents are known: " in readme
    assert "Acme Coder.\n" in readme
    assert "| Acme Coder | `acme-coder` | yes | yes | no | no | open | made up |" in page
    assert "## Acme Coder\n" in page


@pytest.mark.slow
def test_no_other_file_names_an_agent():
    found = [
        f"{path}: {text}"
        for path, text in sorted(texts())
        if NAMED.search(text) and not path.startswith(("ledger/adapters/", *ALLOWED))
    ]

    assert not found


def test_the_table_of_protected_paths_knows_where_agents_are_told_what_to_do():
    model = (ROOT / "projections" / "models" / "protected_paths.sql").read_text()
    with duckdb.connect() as engine:
        engine.execute("create table mutation_files (path varchar); create table violations (path varchar)")
        engine.executemany("insert into mutation_files values (?)", [[path] for path in PROTECTED])
        engine.executemany("insert into mutation_files values (?)", [[f"{path}/x.json"] for path in PROTECTED])
        kinds = dict(engine.execute(model).fetchall())

    assert {path for path in PROTECTED if "agent" not in (kinds.get(path), kinds.get(f"{path}/x.json"))} == set()


def texts():
    """Yield every text of the product that is no documentation, with the file that it is in."""
    for path in (path for room in ROOMS for path in (ROOT / room).rglob("*.*")):
        name = path.relative_to(ROOT).as_posix()
        if path.suffix == ".sql":
            yield from ((name, line) for line in path.read_text().splitlines() if not line.lstrip().startswith("--"))
        elif path.suffix == ".py" and NAMED.search(JOINED.sub("", source := path.read_text())):
            tree = ast.parse(source)
            documented = {id(node.body[0].value) for node in ast.walk(tree) if documents(node)}
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented:
                    yield name, node.value


# What stands between two pieces of one text.
JOINED = re.compile(r"""["']\s+[fr]?["']""")


def documents(node):
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) or not node.body:
        return False
    return isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)


def words(row):
    """Yield what an agent is recognised by: its names, its folders, its variables."""
    yield from (row.name, row.title.partition(" (")[0].partition(",")[0])
    yield from (*row.protected, *row.project_variables, *(name for name, _ in row.shell_variables))


NAMED = re.compile(
    r"(?<![\w.&-])(?:"
    + "|".join({re.escape(word) for row in CATALOGUE.values() for word in words(row)})
    + r")(?![\w-])"
)
