"""Let the agents that are installed here use the packages of plugins/, and hold the ledger against what they did.

Each gets a home folder and a repository of its own, no network, and a stand-in for its model that reads nothing: it
writes too early, asks for an intent through our server, writes a file of that intent, and then one that is not. What
the real agent does with our hooks, our server and our refusals is what is tried: once with the package alone, once with
the hooks of the project beside it. Needs `unshare` and `ip` of Linux, and agents on the PATH.

    python tools/meet_agents.py [AGENT ...]
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from stand_ins import SHELL, STAND_INS, WRITE, Call, serving

from linetrail.ledger.repository import find
from linetrail.ledger.store import Ledger
from linetrail.queries.installation import hook_path

PLUGINS = Path(__file__).resolve().parent.parent / "plugins"
PROGRAMS = {"claude-code": "claude", "codex": "codex", "gemini-cli": "gemini"}
INSIDE, SECONDS = "--inside", 180
# Servers of agents start in the background; this is long enough for ours.
WAIT = "sleep 6"
SILENT = {
    "DISABLE_TELEMETRY": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "ENABLE_TOOL_SEARCH": "false",
}
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "privacy": {"usageStatisticsEnabled": False},
}
# what has to happen -> the verdict, and a code of it: a command is let through by another than a file
MUST = {
    "refused without an intent": {"deny NO_INTENT"},
    "let through in its scope": {"allow IN_SCOPE", "allow INTENT_OPEN"},
    "refused out of it": {"deny OUT_OF_SCOPE"},
}


def main(agents: list[str]) -> int:
    """Try all agents that were asked for and are here; 1 where something is not as it should be."""
    here = [agent for agent in agents or PROGRAMS if shutil.which(PROGRAMS[agent])]
    for agent in (agent for agent in agents or PROGRAMS if agent not in here):
        print(f"{agent}: not installed here")
    return max((_tried(agent, beside) for agent in here for beside in ("none", agent)), default=0)


def _tried(agent: str, beside: str) -> int:
    """Try one agent, in a project that has hooks of its own for the agent `beside`."""
    with tempfile.TemporaryDirectory(prefix="linetrail-meets-") as folder:
        home, project = Path(folder, "home"), Path(folder, "project")
        home.mkdir()
        _make(project, beside)
        plan = [
            Call(WRITE, {"file_path": str(project / "lib" / "early.py"), "content": "x = 1\n"}),
            Call(SHELL, {"command": WAIT, "description": "wait"}),
            Call("select_active_intent", {"intent_id": "INT-001", "reasoning": "it is about totals"}),
            Call(WRITE, {"file_path": str(project / "lib" / "a.py"), "content": "x = 1\n"}),
            Call(WRITE, {"file_path": str(project / "other.py"), "content": "x = 1\n"}),
        ]
        with serving(STAND_INS[agent], plan) as address:
            said = _run(agent, home, project, address)
        wrong = list(_wrong(agent, project))
    hooks = "package" if beside == "none" else "package and project"
    print(f"{agent} {_version(agent)}, hooks of {hooks}: {'; '.join(wrong) if wrong else 'as it should be'}")
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


def _run(agent: str, home: Path, project: Path, address: str) -> str:
    """Install the package and hand the agent a task, where nothing but this machine can be reached."""
    program = PROGRAMS[agent]
    path = os.pathsep.join([os.path.dirname(hook_path()), os.environ["PATH"]])
    environment = {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", **SILENT}
    steps = [[program, "plugin", "marketplace", "add", str(PLUGINS)]]
    if agent == "claude-code":
        environment |= {"ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": address}
        allowed = "Bash,Write,mcp__plugin_linetrail_linetrail"
        steps.append([program, "plugin", "install", "linetrail@linetrail"])
        steps.append([program, "-p", "go on", "--allowedTools", allowed, "--permission-mode", "acceptEdits"])
    elif agent == "codex":
        environment |= {"CODEX_HOME": str(home), "NO_KEY": "none"}
        provider = f'{{name="none",base_url="{address}/v1",wire_api="responses",env_key="NO_KEY"}}'
        free = ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"]
        model = ["-c", "model_provider=none", "-c", f"model_providers.none={provider}", "-m", "stand-in"]
        steps.append([program, "plugin", "add", "linetrail@linetrail"])
        steps.append([program, "exec", *free, *model, "go on"])
    else:
        environment |= {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": address}
        extension = home / ".gemini" / "extensions" / "linetrail"
        shutil.copytree(PLUGINS / agent, extension)
        (home / ".gemini" / "settings.json").write_text(json.dumps(SETTINGS))
        steps = [[program, "-p", "go on", "--yolo", "--skip-trust", "-m", "gemini-2.5-flash"]]
    said = ""
    for step in steps:
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


def _wrong(agent: str, project: Path) -> list[str]:
    """Return what the ledger or the folder does not have as it should be."""
    events = [line.event for line in Ledger(find(str(project))).read()]
    verdicts = {f"{event.data['verdict']} {event.data['code']}" for event in events if event.type == "gate.decided"}
    wrong = [f"nothing was {what}" for what, either in MUST.items() if not verdicts & either]
    if not any(event.type == "intent.selected" and event.data["by"] == "tool" for event in events):
        wrong.append("nothing was selected through the server")
    if {event.agent.name for event in events if event.agent} != {agent}:
        wrong.append("somebody else is in the ledger")
    prompts = [event.data["excerpt"] for event in events if event.type == "prompt.submitted"]
    if prompts != ["go on"]:
        wrong.append(f"the prompt is recorded as {prompts}")
    calls = [event.data["tool_call_id"] for event in events if event.type == "tool.requested"]
    if len(calls) != len(set(calls)):
        wrong.append(f"calls are recorded as {calls}")
    written = {path.name for path in project.rglob("*.py")}
    return wrong if written == {"a.py"} else [*wrong, f"written was {sorted(written)}"]


def _version(agent: str) -> str:
    done = subprocess.run([PROGRAMS[agent], "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


if __name__ == "__main__":
    if sys.argv[1:2] != [INSIDE]:
        os.execvp("unshare", ["unshare", "-rn", sys.executable, __file__, INSIDE, *sys.argv[1:]])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    sys.exit(main(sys.argv[2:]))
