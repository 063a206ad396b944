"""What may a shell command do: read, change the workspace, or more?

*Safe* is what is shown to read only, by two readers of the shell language that agree and by tables of programs, options
and operands. Everything else is *destructive*; what is hard to undo, hidden, or reaches out of the workspace is
*dangerous*.
Nothing is looked up and nothing runs: the same command has the same answer everywhere.
"""

import posixpath
from collections.abc import Sequence
from typing import NamedTuple

from linetrail.ledger.shell.reading.grammar import read
from linetrail.ledger.shell.reading.ruling import CLASSES, SAFE, Ruling, changes, harms
from linetrail.ledger.shell.reading.scene import Scene
from linetrail.ledger.shell.reading.syntax import Simple, Unreadable
from linetrail.ledger.shell.reading.text import hidden

# Beyond this nobody reads a command; the largest here-documents of agents are a tenth of it.
_LONGEST = 262_144
_LONGEST_STATED = 200
_BASH = {"", "bash", "sh", "zsh", "dash", "ksh", "fish"}


class Judged(NamedTuple):
    """The class, the part that decided, and which paths the command surely writes, as it spells them.

    `complete` where these are all that it can touch; a safe command is complete with none. `names` are words that it
    writes if they are paths, `files` if they are files. `unseen` says what it writes to a place that only the running shell knows; `bounded` that
    what is dangerous about it ends with the paths in `writes`.
    """

    cls: str
    reason: str
    writes: tuple[str, ...] = ()
    complete: bool = False
    names: tuple[str, ...] = ()
    unseen: str | None = None
    bounded: bool = False
    files: tuple[str, ...] = ()


def judge(
    command: str,
    shell: str = "bash",
    *,
    root: str = "",
    here: str = "",
    free: tuple[str, ...] = (),
    reading: Sequence[str] = (),
) -> Judged:
    """Say what a command may do. Absolute paths are inside the workspace only below `root`; `here` is relative to it.

    `free` are folders outside of it, with a slash at their end, in which anybody may write. `reading` are
    commands of which a person has said that they only read; they do so where the shell surely stands at the root.

    >>> judge("ls | wc -l").cls, judge("touch a").writes, judge("cd .. && rm -rf build").cls
    ('safe', ('a',), 'dangerous')
    """
    start = posixpath.normpath(here) if here else ""
    start = "" if start == "." else start
    ruling = _ruling(command, shell, Scene({}, root, frozenset((start,)), start, free, frozenset(reading)))
    return Judged(CLASSES[ruling.level], *ruling[1:])


def words(command: str) -> list[str] | None:
    """Return the words of exactly one plain command, without expansion, redirection or assignment; else None.

    >>> words("linetrail select 'INT-001'"), words("linetrail select $x"), words("ls; ls")
    (['linetrail', 'select', 'INT-001'], None, None)
    """
    if hidden(command) or len(command) > _LONGEST:
        return None
    try:
        script = read(command)
    except Unreadable:
        return None
    if (
        len(script.pipelines) != 1
        or script.pipelines[0].separator not in ("", ";")
        or len(script.pipelines[0].stages) != 1
    ):
        return None
    only = script.pipelines[0].stages[0]
    if not isinstance(only, Simple) or only.assignments or only.redirects:
        return None
    literal = [word.literal for word in only.words]
    plain = all(piece.quoted or not set("*?[{~") & set(piece.text) for word in only.words for piece in word.pieces)
    return [text for text in literal if text is not None] if plain and None not in literal else None


def stated(command: str) -> str | None:
    """Return a command as a person may state it in the settings: plain words, and nothing that a shell changes.

    >>> stated("make  lint"), stated("make lint; rm x"), stated("VAR=1 make lint")
    ('make lint', None, None)
    """
    found = words(command) or []
    plain = " ".join(found)
    return (
        plain if 0 < len(plain) <= _LONGEST_STATED and plain.split() == command.split() and ".." not in plain else None
    )


def _ruling(command: str, shell: str, scene: Scene) -> Ruling:
    if len(command) > _LONGEST:
        return harms("the command is too long to be inspected")
    problem = hidden(command)
    if problem:
        return harms(problem)
    if shell not in _BASH:
        from linetrail.ledger.shell.programs import windows

        return windows.rule(command, shell)
    # The tables stand behind whoever only asks for words.
    from linetrail.ledger.shell.programs.walk import rule_script
    from linetrail.ledger.shell.reading.agreement import disagreement
    from linetrail.ledger.shell.reading.values import known_names
    from linetrail.ledger.shell.reading.variables import only_remembers

    try:
        script = read(command)
    except Unreadable as error:
        return harms(f"the command cannot be followed: {error}")
    ruling = rule_script(script, scene._replace(names=known_names(script)))
    if ruling.level == SAFE:
        ruling = only_remembers(script, command)
    if ruling.level == SAFE:
        doubt = disagreement(command, script)
        if doubt:
            return changes(doubt)
    return ruling
