"""Make plugins/: hooks, server and protocol as packages, for the agents that install such packages.

Which events there are and how an entry looks is what `linetrail init` goes by; the words are those that it puts into
instruction files. A package serves every repository of a person, so that it names no mode, and no path: each repository
says itself how strict it is, and the commands are found when they are called.

    python tools/make_plugins.py [OUT]
"""

import argparse
import json
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from linetrail.ledger.adapters.agent import Agent
from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.queries.setup.preamble import TEXT
from linetrail.queries.setup.settings import COMMAND

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "plugins"
NAME, AUTHOR = "linetrail", {"name": "linetrail contributors"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
ABOUT = "Records which agent changed which line, for which intent, and refuses what no intent covers."
KEYWORDS = ["provenance", "blame", "intents", "audit"]
SERVERS = {NAME: {"command": "linetrail", "args": ["mcp"]}}
CONDITION = """\
This is for repositories that have a folder `.orchestration/`. In any other repository there is nothing to do.
"""
SKILL = f"""\
---
name: {NAME}
description: >-
  Work on one intent at a time in a repository that has a folder .orchestration. Use it before changing files there,
  when a call was refused with a code such as NO_INTENT, OUT_OF_SCOPE or STALE_FILE, and to find out why a line is as
  it is.
---

# linetrail

{CONDITION}
{TEXT}
## What happened here before

- `linetrail why PATH:LINE` (tool `why`): the intent, the prompt and the decisions behind a line.
- `linetrail log PATH`, `linetrail sql --list`: what was done, and questions that are ready.
- `linetrail lesson add "what to know here"` (tool `record_lesson`): for whoever works here next.
"""
Files = dict[str, str]


def main(out: Path) -> None:
    """Write all packages into a folder, instead of those that are in it."""
    files = packages()
    for name in {path.partition("/")[0] for path in files}:
        shutil.rmtree(out / name, ignore_errors=True)
    for name, text in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    print(f"{out}: {len(files)} files")


def packages() -> Files:
    """Return every file by its path below the folder."""
    parts = {"claude-code": _claude_code(), "codex": _codex(), "gemini-cli": _gemini_cli()}
    inside = {f"{agent}/{path}": text for agent, part in parts.items() for path, text in part}
    return dict(sorted((dict(_marketplaces()) | inside).items()))


def _claude_code() -> Iterator[tuple[str, str]]:
    yield ".claude-plugin/plugin.json", _json(_manifest())
    yield ".mcp.json", _json({"mcpServers": SERVERS})
    yield "hooks/hooks.json", _json({"hooks": _hooks("claude-code")})
    yield f"skills/{NAME}/SKILL.md", SKILL


def _codex() -> Iterator[tuple[str, str]]:
    interface = {
        "displayName": NAME,
        "shortDescription": ABOUT,
        "longDescription": f"{ABOUT} {CONDITION.strip()}",
        "developerName": AUTHOR["name"],
        "category": "Developer Tools",
        "capabilities": ["Interactive", "Write"],
        "defaultPrompt": ["Which intent is my request for?", "Why is this line as it is?"],
    }
    yield ".codex-plugin/plugin.json", _json({**_manifest(), "interface": interface})
    yield ".mcp.json", _json({"mcpServers": SERVERS})
    yield "hooks/hooks.json", _json({"hooks": _hooks("codex")})
    yield f"skills/{NAME}/SKILL.md", SKILL


def _gemini_cli() -> Iterator[tuple[str, str]]:
    known = {"name": NAME, "version": PROJECT["version"], "description": ABOUT}
    yield "gemini-extension.json", _json({**known, "contextFileName": "GEMINI.md", "mcpServers": SERVERS})
    yield "hooks/hooks.json", _json({"hooks": _hooks("gemini-cli")})
    yield "GEMINI.md", f"# linetrail\n\n{CONDITION}\n{TEXT}"


def _marketplaces() -> Iterator[tuple[str, str]]:
    """Yield the lists from which Claude Code and Codex install; paths in them start at the folder of all packages."""
    entry = {"name": NAME, "description": ABOUT, "version": PROJECT["version"], "source": "./claude-code"}
    yield (
        ".claude-plugin/marketplace.json",
        _json({"name": NAME, "description": ABOUT, "owner": AUTHOR, "plugins": [entry]}),
    )
    policy = {"installation": "AVAILABLE", "authentication": "ON_INSTALL"}
    listed = {"name": NAME, "source": {"source": "local", "path": "./codex"}, "policy": policy}
    listed["category"] = "Developer Tools"
    yield (
        ".agents/plugins/marketplace.json",
        _json({"name": NAME, "interface": {"displayName": NAME}, "plugins": [listed]}),
    )


def _manifest() -> dict[str, Any]:
    return {
        "name": NAME,
        "version": PROJECT["version"],
        "description": ABOUT,
        "author": AUTHOR,
        "license": PROJECT["license"],
        "keywords": KEYWORDS,
    }


def _hooks(agent: str) -> dict[str, Any]:
    row = CATALOGUE[agent]
    return {event: [_group(row, event)] for event in row.events}


def _group(row: Agent, event: str) -> dict[str, Any]:
    """Return the entry for an event. Every tool is heard: whether it is judged, each repository says itself."""
    call = f"{COMMAND} {row.argument} --event {event}"
    # Neither a missing command nor a broken one may end with a status that an agent takes for a refusal.
    handler = {**row.handler, row.command_key: f"command -v {COMMAND} >/dev/null 2>&1 || exit 0; {call} || exit 0"}
    if row.windows_key:
        found = f"Get-Command {COMMAND} -ErrorAction SilentlyContinue"
        handler[row.windows_key] = f"if ({found}) {{ {call} }}; exit 0"
    if row.timeout:
        handler[row.timeout[0]] = row.timeout[1]
    matched = event in row.tool_events and row.every_tool
    return {**({"matcher": row.every_tool} if matched else {}), "hooks": [handler]}


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", nargs="?", type=Path, default=OUT, metavar="OUT", help="another folder than plugins/")
    main(parser.parse_args().out.resolve())
