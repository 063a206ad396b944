"""Let the agents that are installed here meet our hooks, and hold the ledger against what they did.

Each gets a home folder and a repository of its own, no network, and a stand-in for its model that reads nothing: it
writes too early, selects an intent, writes a file of that intent, and then one that is not. What the real agent does
with our hooks and refusals is what is tried. Of those that have a package in plugins/, with its server, too: once with
the package alone, once with the hooks of the project beside it. Needs `unshare` and `ip` of Linux, and agents on the
PATH.

    python tools/meet_agents.py [AGENT ...]
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from stand_ins import SHELL, STAND_INS, WRITE, Call, serving

from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from linetrail.queries.setup.installation import hook_path

PLUGINS = Path(__file__).resolve().parent.parent / "plugins"
TASK = "go on"
# Without a network, and so that whatever an agent leaves running ends with this program.
ALONE = ["unshare", "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
INSIDE, SECONDS = "--inside", 180
# Servers of agents start in the background; this is long enough for ours.
WAIT = "sleep 6"
SILENT = {"DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1", "CLINE_TELEMETRY_DISABLED": "1"}
# what has to happen -> the verdict, and a code of it: a command is let through by another than a file
MUST = {
    "refused without an intent": {"deny NO_INTENT"},
    "let through in its scope": {"allow IN_SCOPE", "allow INTENT_OPEN"},
    "refused out of it": {"deny OUT_OF_SCOPE"},
}


class Visit(NamedTuple):
    """What an agent is started with, and the commands in their order."""

    environment: dict[str, str]
    steps: list[list[str]]


class Guest(NamedTuple):
    """An agent: its program, how it is received, whether it has a package, and whether a refusal stops its call."""

    program: str
    visit: Callable[[Path, str], Visit]
    packaged: bool = False
    obeys: bool = True
    tells_prompts: bool = True


def main(agents: list[str]) -> int:
    """Try all agents that were asked for and are here; 1 where something is not as it should be."""
    asked = {agent: GUESTS[agent] for agent in agents or GUESTS}
    for agent in (agent for agent, guest in asked.items() if not shutil.which(guest.program)):
        print(f"{agent}: not installed here")
    here = [(agent, guest) for agent, guest in asked.items() if shutil.which(guest.program)]
    kinds = [(agent, guest, beside) for agent, guest in here for beside in ("none", agent)]
    return max((_tried(*kind) for kind in kinds if kind[1].packaged or kind[2] != "none"), default=0)


def _tried(agent: str, guest: Guest, beside: str) -> int:
    """Try one agent, in a project that has hooks of its own for the agent `beside`."""
    with tempfile.TemporaryDirectory(prefix="linetrail-meets-") as folder:
        home, project = Path(folder, "home"), Path(folder, "project")
        home.mkdir()
        _make(project, beside)
        with serving(STAND_INS[agent], _plan(project, guest)) as address:
            said = _run(guest, home, project, address)
        wrong = list(_wrong(agent, guest, project))
    known = [*(["package"] if guest.packaged else []), *(["project"] if beside != "none" else [])]
    told = subprocess.run([guest.program, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"[0-9][\w.-]*\b", told)
    verdict = "; ".join(wrong) or "as it should be"
    print(f"{agent} {version and version[0]}, hooks of {' and '.join(known)}: {verdict}")
    if wrong:
        print(said)
    return int(bool(wrong))


def _make(project: Path, agent: str) -> None:
    linetrail = [str(Path(hook_path()).with_name("linetrail")), "-C", str(project)]
    scope = ["--name", "Totals", "--scope", "lib/**", "--status", "IN_PROGRESS"]
    for command in (
        ["git", "init", "--quiet", str(project)],
        [*linetrail, "init", "--agent", agent, "--enforce", "block", "--no-input"],
        [*linetrail, "intents", "add", "INT-001", *scope],
    ):
        subprocess.run(command, check=True, capture_output=True)
    (project / "lib").mkdir()


def _plan(project: Path, guest: Guest) -> list[Call]:
    """Return what the model asks for: a write too early, an intent, a write in its scope, and one outside."""
    early, right, wrong = (
        Call(WRITE, {"file_path": str(project / path), "content": "x = 1\n"})
        for path in ("lib/early.py", "lib/right.py", "wrong.py")
    )
    if guest.packaged:
        wait = Call(SHELL, {"command": WAIT, "description": "wait"})
        select = [wait, Call("select_active_intent", {"intent_id": "INT-001", "reasoning": "it is about totals"})]
    else:
        select = [Call(SHELL, {"command": "linetrail select INT-001", "description": "select"})]
    return [early, *select, right, wrong]


def _run(guest: Guest, home: Path, project: Path, address: str) -> str:
    """Hand the agent a task, where nothing but this machine can be reached."""
    visit = guest.visit(home, address)
    path = os.pathsep.join([os.path.dirname(hook_path()), os.environ["PATH"]])
    environment = {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", **SILENT, **visit.environment}
    said = ""
    for step in visit.steps:
        done = subprocess.run(
            step,
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        said += done.stdout
    return said


def _wrong(agent: str, guest: Guest, project: Path) -> Iterator[str]:
    """Yield what the ledger or the folder does not have as it should be."""
    events = [line.event for line in Ledger(find(str(project))).read()]
    verdicts = {f"{event.data['verdict']} {event.data['code']}" for event in events if event.type == "gate.decided"}
    yield from (f"nothing was {what}" for what, either in MUST.items() if not verdicts & either)
    selected = [event.data["by"] for event in events if event.type == "intent.selected" and event.session_id]
    if ("tool" if guest.packaged else "command") not in selected:
        yield f"selected was by {selected}"
    told = {event.agent.name for event in events if event.agent}
    if told != {agent}:
        yield f"the ledger tells of {sorted(told)}"
    # `opencode run` puts words with a space between them in quotes.
    prompts = [event.data["excerpt"].strip('"') for event in events if event.type == "prompt.submitted"]
    if prompts != [TASK] * guest.tells_prompts:
        yield f"the prompt is recorded as {prompts}"
    calls = [event.data["tool_call_id"] for event in events if event.type == "tool.requested"]
    if len(calls) != len(set(calls)):
        yield f"calls are recorded as {calls}"
    written = sorted(path.name for path in project.rglob("*.py"))
    if written != (["right.py"] if guest.obeys else ["early.py", "right.py", "wrong.py"]):
        yield f"written was {written}"


def _claude_code(_home: Path, address: str) -> Visit:
    allowed = "Bash,Write,mcp__plugin_linetrail_linetrail"
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "ENABLE_TOOL_SEARCH": "false"}
    return Visit(
        {"ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": address, **quiet},
        [
            ["claude", "plugin", "marketplace", "add", str(PLUGINS)],
            ["claude", "plugin", "install", "linetrail@linetrail"],
            ["claude", "-p", TASK, "--allowedTools", allowed, "--permission-mode", "acceptEdits"],
        ],
    )


def _codex(home: Path, address: str) -> Visit:
    provider = f'{{name="none",base_url="{address}/v1",wire_api="responses",env_key="NO_KEY"}}'
    model = ["-c", "model_provider=none", "-c", f"model_providers.none={provider}", "-m", "stand-in"]
    free = ["--trust", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"]
    return Visit(
        {"CODEX_HOME": str(home), "NO_KEY": "none"},
        [
            ["codex", "plugin", "marketplace", "add", str(PLUGINS)],
            ["codex", "plugin", "add", "linetrail@linetrail"],
            ["codex", "exec", *free, *model, TASK],
        ],
    )


def _gemini_cli(home: Path, address: str) -> Visit:
    shutil.copytree(PLUGINS / "gemini-cli", home / ".gemini" / "extensions" / "linetrail")
    security = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
    settings = {"security": security, "privacy": {"usageStatisticsEnabled": False}}
    (home / ".gemini" / "settings.json").write_text(json.dumps(settings))
    return Visit(
        {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": address},
        [["gemini", "-p", TASK, "--yolo", "--skip-trust", "-m", "gemini-2.5-flash"]],
    )


def _copilot_cli(_home: Path, address: str) -> Visit:
    model = {"COPILOT_PROVIDER_BASE_URL": f"{address}/v1", "COPILOT_PROVIDER_API_KEY": "none"}
    return Visit(
        {"COPILOT_OFFLINE": "true", "COPILOT_MODEL": "gpt-4.1", **model},
        [["copilot", "-p", TASK, "--allow-all-tools", "--trust-folder"]],
    )


def _opencode(home: Path, address: str) -> Visit:
    options = {"baseURL": f"{address}/v1", "apiKey": "none"}
    model = {"npm": "@ai-sdk/openai-compatible", "name": "none", "options": options, "models": {"m": {"name": "m"}}}
    allowed = {"permission": {"edit": "allow", "bash": "allow"}}
    (home / "opencode.json").write_text(json.dumps({"provider": {"none": model}, "autoupdate": False, **allowed}))
    quiet = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    return Visit({"OPENCODE_CONFIG": str(home / "opencode.json"), **quiet}, [["opencode", "run", "-m", "none/m", TASK]])


def _cline(_home: Path, address: str) -> Visit:
    model = ["-P", "openai-compatible", "-m", "gpt-4o"]
    known = ["-p", "openai-compatible", "-k", "none", "-m", "gpt-4o", "-b", f"{address}/v1"]
    return Visit({}, [["cline", "auth", *known], ["cline", *model, "--auto-approve", "true", TASK]])


GUESTS = {
    "claude-code": Guest("claude", _claude_code, packaged=True),
    "codex": Guest("codex", _codex, packaged=True),
    "gemini-cli": Guest("gemini", _gemini_cli, packaged=True),
    "copilot-cli": Guest("copilot", _copilot_cli),
    "opencode": Guest("opencode", _opencode),
    # A refusal would end its whole run, so it is told of one beside the call; without a terminal it sends no prompt.
    "cline": Guest("cline", _cline, obeys=False, tells_prompts=False),
}


if __name__ == "__main__":
    if sys.argv[1:2] != [INSIDE]:
        os.execvp(ALONE[0], [*ALONE, sys.executable, __file__, INSIDE, *sys.argv[1:]])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    sys.exit(main(sys.argv[2:]))
