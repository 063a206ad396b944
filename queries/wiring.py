"""Look at the way from an agent to the ledger: hooks installed, allowed, running, heard of.

A command found in a settings file is never started, only looked at: the file may have come with a clone. What is
started is the hook of this very installation: see probe.py.
"""

import json
import os
from collections.abc import Iterator
from typing import Any

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.policy import BLOCK, MODES, OBSERVE, VARIABLE
from linetrail.ledger.repository import Repository
from linetrail.ledger.selection import SESSION_VARIABLE
from linetrail.queries import enforcement, settings
from linetrail.queries.health import ERROR, OK, WARNING, Finding, ago, last_events
from linetrail.queries.installation import hook_path
from linetrail.queries.probe import LETS_THROUGH

AGENT = "claude-code"
MANAGED = ("/etc/claude-code", "/Library/Application Support/ClaudeCode")
# Claude Code deletes transcripts after this many days when nobody says otherwise.
DEFAULT_RETENTION_DAYS = 30
WANTED_RETENTION_DAYS = 90


def check_hooks(repository: Repository) -> Iterator[Finding]:
    """Look whether every event reaches a hook that exists."""
    path = os.path.join(repository.root, settings.FILES[AGENT])
    try:
        text = settings.read(path) or settings.NEW_FILE
    except settings.SettingsError as error:
        yield Finding("hooks", ERROR, str(error), "repair the file, then linetrail init --agent claude-code")
        return
    commands = {event: [command for _, command in settings.handlers(text, AGENT, event)] for event in settings.EVENTS}
    missing = [event for event, found in commands.items() if not found]
    mode = enforcement.in_force(repository)
    if len(missing) == len(settings.EVENTS):
        level = ERROR if mode == BLOCK else WARNING
        yield Finding("hooks", level, f"no hooks of {AGENT} in {path}", f"linetrail init --agent {AGENT}")
        return
    if missing:
        yield Finding(
            "hooks", WARNING, f"{AGENT}: not installed for {', '.join(missing)}", f"linetrail init --agent {AGENT}"
        )
    executables = {settings.executable(command, AGENT) or "" for found in commands.values() for command in found}
    broken = sorted(name for name in executables if not os.access(name, os.X_OK))
    for name in broken:
        consequence = LETS_THROUGH if mode == BLOCK else ""
        message = f"{AGENT} calls {name}, which cannot be run{consequence}"
        yield Finding("hooks", ERROR, message, f"linetrail init --agent {AGENT}")
    if mode != OBSERVE:
        yield from _untried(executables - set(broken))
    if not missing and not broken:
        yield Finding("hooks", OK, f"{AGENT}: {len(settings.EVENTS)} events in {path}")


def _untried(executables: set[str]) -> Iterator[Finding]:
    """Name hooks of other installations: that they deny what they cannot judge is not shown by trying this one."""
    try:
        tried = hook_path()
    except LinetrailError:
        return  # the probe tells
    for name in sorted(executables):
        if os.path.realpath(name) != os.path.realpath(tried):
            message = f"{AGENT} calls {name}, which was not tried; the hook of this installation is {tried}"
            yield Finding(
                "hooks", WARNING, message, f"linetrail init --agent {AGENT}, or run that one's `linetrail doctor`"
            )


def check_switches(repository: Repository) -> Iterator[Finding]:
    """Look for settings that turn hooks, or refusals, off without a word."""
    found = False
    mode = enforcement.in_force(repository)
    for path in _settings_files(repository):
        document = _load(path)
        told = _environment(document).get(VARIABLE)
        if told in MODES and MODES.index(told) < MODES.index(mode):
            found = True
            message = f"{VARIABLE} is {told} in {path}, which wins over `{mode}`"
            yield Finding("switches", ERROR, message, "remove it there")
        if SESSION_VARIABLE in _environment(document):
            found = True
            message = f"{SESSION_VARIABLE} is set in {path}, so an agent's shell cannot be told from a person's"
            yield Finding("switches", ERROR, message, "remove it there")
        if document.get("disableAllHooks") is True:
            found = True
            yield Finding("switches", ERROR, f"disableAllHooks in {path} turns every hook off", "remove it there")
        if document.get("allowManagedHooksOnly") is True:
            found = True
            yield Finding(
                "switches", ERROR, f"allowManagedHooksOnly in {path} turns project hooks off", "ask your administrator"
            )
    if not found:
        yield Finding("switches", OK, "no setting turns hooks off")


def check_last_events(repository: Repository) -> Iterator[Finding]:
    """Say when each agent was last heard of; one that never was is most often waiting for trust."""
    last = last_events(repository)
    for agent, moment in sorted(last.items()):
        yield Finding("last event", OK, f"{agent}: {ago(moment)}")
    if not last:
        advice = "start the agent here; it runs project hooks only after you trust the folder"
        yield Finding("last event", WARNING, "no agent was heard of yet", advice)


def check_retention(_: Repository) -> Iterator[Finding]:
    """Look how long the agent keeps its transcripts: what is deleted can no longer be imported."""
    folder = os.path.expanduser("~/.claude")
    if not os.path.isdir(folder):
        return
    path = os.path.join(folder, "settings.json")
    days = _load(path).get("cleanupPeriodDays", DEFAULT_RETENTION_DAYS)
    if isinstance(days, int) and days < WANTED_RETENTION_DAYS:
        advice = f'"cleanupPeriodDays": 365 in {path}, and `linetrail import claude-code` before'
        yield Finding("retention", WARNING, f"transcripts are deleted after {days} days", advice)
    else:
        yield Finding("retention", OK, f"transcripts are kept for {days} days")


def _environment(document: dict[str, Any]) -> dict[str, Any]:
    """Return the variables that the agent sets for what it starts, hooks too."""
    environment = document.get("env")
    return environment if isinstance(environment, dict) else {}


def _settings_files(repository: Repository) -> Iterator[str]:
    """Yield the settings files that Claude Code merges, the managed ones last."""
    yield os.path.expanduser("~/.claude/settings.json")
    yield os.path.join(repository.root, ".claude", "settings.json")
    yield os.path.join(repository.root, ".claude", "settings.local.json")
    for folder in MANAGED:
        yield os.path.join(folder, "managed-settings.json")
        parts = os.path.join(folder, "managed-settings.d")
        if os.path.isdir(parts):
            yield from (os.path.join(parts, name) for name in sorted(os.listdir(parts)) if name.endswith(".json"))


def _load(path: str) -> dict[str, Any]:
    """Return a settings file as far as it can be read; whether it should be better is another check's matter."""
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}
