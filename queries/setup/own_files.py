"""Files that are ours as a whole, where an agent runs scripts from a folder or loads code from one.

They are recognised by what is in them, so that undoing works in a fresh clone, too, and a file of a person that has
the same name is never touched.
"""

import json
import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from linetrail.ledger.adapters.agent import SCRIPTS, Agent
from linetrail.ledger.gate.settings import OBSERVE
from linetrail.queries.setup import commands
from linetrail.queries.setup.settings import COMMAND
from linetrail.queries.setup.templates import template

HOOK, ARGUMENTS = "@HOOK@", "@ARGUMENTS@"
# What stands at the top of each of them, whatever its version.
MADE_BY = "Made by `linetrail init`"
SCRIPT = f"""\
#!/bin/sh
# {MADE_BY}; `linetrail init --undo` removes it.
{{}}
"""
EXECUTABLE, READABLE = 0o755, 0o644


class OwnFile(NamedTuple):
    """A file as it is to be."""

    path: str
    text: str
    mode: int


def files(path: str, row: Agent, hook: str, mode: str = OBSERVE, *, user: bool = False) -> Iterator[OwnFile]:
    """Yield every file that an agent needs, where `path` is the folder of its scripts, or its plugin."""
    if row.layout == SCRIPTS:
        for event in row.events:
            words = commands.arguments(row, event, mode, user=user)
            text = SCRIPT.format(commands.posix(row, hook, words, mode))
            yield OwnFile(os.path.join(path, event), text, EXECUTABLE)
        return
    extra = ["--enforce", mode] if mode != OBSERVE and not user else []
    text = _template(row).replace(HOOK, _quoted(hook)).replace(ARGUMENTS, json.dumps(extra))
    yield OwnFile(path, text, READABLE)


def is_ours(text: str, row: Agent) -> bool:
    """Return whether a file is one that `files` made, for any hook and any mode."""
    if row.layout == SCRIPTS:
        before, _, after = SCRIPT.partition("{}")
        command = text.removeprefix(before).removesuffix(after)
        return text == before + command + after and commands.executable(command, row.argument) is not None
    return _pattern(row).fullmatch(text) is not None


def mentions_us(text: str, row: Agent) -> bool:
    """Return whether a file calls our hook: an older version of it, or one that a person changed."""
    return commands.mentions(text, row.argument) if row.layout == SCRIPTS else COMMAND in text


def paths(path: str, row: Agent) -> list[str]:
    """Return the names of the files that `files` would make."""
    return [os.path.join(path, event) for event in row.events] if row.layout == SCRIPTS else [path]


def called(text: str, row: Agent) -> tuple[str | None, str | None]:
    """Return the hook that a file of ours calls, and the mode that it names."""
    if row.layout == SCRIPTS:
        command = text.removeprefix(SCRIPT.partition("{}")[0]).rstrip("\n")
        return commands.executable(command, row.argument), commands.stated_floor(command)
    found = _pattern(row).fullmatch(text)
    if found is None:
        return None, None
    extra = json.loads(found["arguments"])
    return json.loads(found["hook"]), extra[1] if extra else None


def _template(row: Agent) -> str:
    return template(f"shims/{row.name}.ts")


def _pattern(row: Agent) -> re.Pattern[str]:
    parts = re.split(f"({HOOK}|{ARGUMENTS})", _template(row))
    groups = {HOOK: r'"(?:[^"\\\n]|\\.)*"', ARGUMENTS: r'\[[\w"\-, ]*\]'}
    seen: set[str] = set()
    return re.compile("".join(_part(part, groups, seen) for part in parts))


def _part(part: str, groups: dict[str, str], seen: set[str]) -> str:
    if part not in groups:
        return re.escape(part)
    name = part.strip("@").lower()
    if name in seen:
        return f"(?P={name})"
    seen.add(name)
    return f"(?P<{name}>{groups[part]})"


def _quoted(hook: str) -> str:
    return json.dumps(hook, ensure_ascii=False)
