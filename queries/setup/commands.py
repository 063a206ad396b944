"""Write the command by which an agent calls our hook, and recognise such a command.

A file of settings travels with its repository to machines where nothing is installed. Where an agent takes a command
that fails for a refusal, the command looks for the hook first: a call is never refused by a file that came with a
clone, unless that was asked for.
"""

import functools
import itertools
import re
import shlex
from collections.abc import Sequence

from linetrail.ledger.adapters.agent import SCRIPTS, Agent
from linetrail.ledger.gate.settings import BLOCK, OBSERVE
from linetrail.queries.setup.settings import COMMAND

_DRIVE = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_POWERSHELL = re.compile(r"(?:if \(Test-Path '(?:[^']|'')*'\) \{ )?& '((?:[^']|'')*)' ([^'}]*?)(?: \})?")
_WORD = re.compile(r"[^\s'\"]+")


def arguments(row: Agent, event: str, mode: str, *, user: bool = False) -> list[str]:
    """Return what the hook is called with, for this event, by an installation that has to be ready for this mode.

    What judges names its event: a payload that cannot be read is refused all the same. The mode stands there, too, so
    that settings that are gone, or cannot be read, loosen nothing; not where it would concern every repository.
    """
    words = [row.argument]
    if mode != OBSERVE or row.frozen or row.layout == SCRIPTS:
        words += ["--event", event]
    if mode != OBSERVE and not row.frozen and not user:
        words += ["--enforce", mode]
    return words


def posix(row: Agent, hook: str, words: Sequence[str], mode: str) -> str:
    call = shlex.join([hook, *words])
    return f"test ! -x {shlex.quote(hook)} || {call}" if row.guarded and mode != BLOCK else call


def powershell(row: Agent, hook: str, words: Sequence[str], mode: str) -> str:
    """Return the command for PowerShell, which needs `&` in front of a name in quotes."""
    name = "'" + hook.replace("'", "''") + "'"
    call = f"& {name} {' '.join(words)}"
    return f"if (Test-Path {name}) {{ {call} }}" if row.guarded and mode != BLOCK else call


def is_windows(hook: str) -> bool:
    r"""Return whether this is a path of Windows.

    >>> is_windows(r"C:\Tools\linetrail-hook.exe"), is_windows("/usr/bin/linetrail-hook")
    (True, False)
    """
    return _DRIVE.match(hook) is not None


def executable(command: str, agent: str) -> str | None:
    """Return the path of our hook if this is a command of ours that calls it with this name.

    >>> executable("'/my tools/linetrail-hook' claude-code --event Stop", "claude-code")
    '/my tools/linetrail-hook'
    """
    words = _words(command)
    if words[1:2] != [agent] or not is_hook(words[0]):
        return None
    return words[0] if len(words) == 2 or _names_event(words) else None


def is_hook(path: str) -> bool:
    """Return whether a path is, by its name, that of our hook."""
    return path.replace("\\", "/").rpartition("/")[2].removesuffix(".exe") == COMMAND


def mentions(command: str, agent: str) -> bool:
    """Return whether a command calls our hook for this agent, also with a variable, a wrapper, a redirection.

    >>> mentions('exec "$HOME/bin/linetrail-hook" codex 2>/dev/null', "codex")
    True
    """
    return any(is_hook(name) and word == agent for name, word in itertools.pairwise(_WORD.findall(command)))


def names_event(command: str) -> bool:
    """Return whether a command of ours names its event, so that a call can be judged whose payload cannot be read."""
    return _names_event(_words(command))


def stated_floor(command: str) -> str | None:
    """Return the mode that a command of ours names."""
    return next((mode for flag, mode in itertools.pairwise(_words(command)) if flag == "--enforce"), None)


def _names_event(words: Sequence[str]) -> bool:
    return words[2:3] == ["--event"] and (len(words) == 4 or (len(words) == 6 and words[4] == "--enforce"))


@functools.lru_cache
def _words(command: str) -> list[str]:
    """Return the words of a call of ours, without what looks for the hook first; none where it is no plain call."""
    found = _POWERSHELL.fullmatch(command)
    if found:
        return [found[1].replace("''", "'"), *found[2].split()]
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    if words[:3] == ["test", "!", "-x"] and words[4:5] == ["||"] and words[3:4] == words[5:6]:
        return words[5:]
    return words
