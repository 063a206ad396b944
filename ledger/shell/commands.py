"""What may a shell command do: read, change the workspace, or more?

*Safe* is what is shown to read only, by two readers of the shell language that agree and by tables of programs, options
and operands. Everything else is *destructive*; what is hard to undo, hidden, or reaches out of the workspace is
*dangerous*.
Nothing runs, and nothing is looked up but the commands in a file that a program is given to follow: the same command
has the same answer everywhere else.

The second reader is tree-sitter's grammar of bash. A shell has corners in which readers of it disagree, and whoever
wants to hide a command looks for them there. What two independent readers cut in the same way is not hidden.
"""

import posixpath
import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import Any, NamedTuple

from linetrail.ledger.shell.reading.grammar import read
from linetrail.ledger.shell.reading.ruling import CLASSES, DANGEROUS, SAFE, Ruling, changes, harms
from linetrail.ledger.shell.reading.scene import Scene
from linetrail.ledger.shell.reading.syntax import Compound, Script, Simple, Unreadable, commands, hidden, scripts

_COMMANDS = {"command", "test_command", "declaration_command", "unset_command"}
_MOST_BYTES = 65_536
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_PARSER: list[Any] = []  # made once, by the first command that has to be parsed
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


def _disagreement(text: str, script: Script) -> str | None:
    """Say why the other reader would not call this text what it was read as; None when it agrees."""
    if len(text) > _MOST_BYTES:
        return "the command is too long to be read twice"
    try:
        found = _starts(text)
    except ImportError:
        return "tree-sitter and tree-sitter-bash are not installed, so the command was read by one reader alone"
    if found is None:
        return "a second reader of the shell language does not understand the command"
    if any(inner.displaced for inner in scripts(script)):
        return "escapes inside backquotes change what runs"
    if found != _expected(script):
        return "two readers of the shell language cut the command differently"
    return None


def judge(
    command: str,
    shell: str = "bash",
    *,
    root: str = "",
    here: str = "",
    free: tuple[str, ...] = (),
    reading: Sequence[str] = (),
    own: Sequence[str] = (),
    read: Callable[[str], str | None] | None = None,
    fresh: Callable[[str], str | None] | None = None,
) -> Judged:
    """Say what a command may do. Absolute paths are inside the workspace only below `root`; `here` is relative to it.

    `free` are folders outside of it, with a slash at their end, in which anybody may write. `reading` are
    commands of which a person has said that they only read; they do so where the shell surely stands at the root. `own` are
    names of programs of which a person has said that the project brings them along.
    `read` returns what stands in a file that a program is given to follow, `fresh` the lines of a script that the last
    commit has not.

    >>> judge("ls | wc -l").cls, judge("touch a").writes, judge("cd .. && rm -rf build").cls
    ('safe', ('a',), 'dangerous')
    """
    start = posixpath.normpath(here) if here else ""
    start = "" if start == "." else start
    folders, known = frozenset((start,)), (frozenset(reading), frozenset(own))
    ruling, script = _ruling(command, shell, Scene({}, root, folders, start, free, *known, read=read, fresh=fresh))
    if ruling.level == SAFE and script is not None:
        doubt = _disagreement(command, script)
        ruling = changes(doubt) if doubt else ruling
    return Judged(CLASSES[ruling.level], *ruling[1:])


def is_dangerous(command: str) -> bool:
    """Return whether `judge` calls a command of bash dangerous, which the second reader never does."""
    return _ruling(command, "bash", Scene({}))[0].level == DANGEROUS


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


def _expected(script: Script) -> list[int]:
    starts = list[int]()
    for command in commands(script):
        if isinstance(command, Simple) and command.words:
            starts.append(command.words[0].start)
        elif isinstance(command, Compound) and command.kind == "test":
            starts.append(command.start)
    return sorted(starts)


def _compiled_part(package: str) -> Any:
    """Return the compiled part of a package alone; where that has another name, the package.

    The rest is for people and type checkers, and loads 60 modules: 9 ms of an agent's time.
    """
    name = f"{package}._binding"
    if name not in sys.modules:
        found = PathFinder.find_spec(package)
        spec = PathFinder.find_spec(name, found.submodule_search_locations) if found else None
        if spec is None or spec.loader is None:
            return import_module(package)
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[name] = module
    return sys.modules[name]


def _starts(text: str) -> list[int] | None:
    if not _PARSER:
        binding, grammar = _compiled_part("tree_sitter"), _compiled_part("tree_sitter_bash")
        _PARSER.append(binding.Parser(binding.Language(grammar.language())))
    # One byte per character, so that places are the same in both; letters are letters in every script.
    root = _PARSER[0].parse(_NOT_ASCII.sub("x", text).encode()).root_node
    if root.has_error:
        return None
    starts, waiting = list[int](), [root]
    while waiting:
        node = waiting.pop()
        if node.type in _COMMANDS and node.child(0).type != "((":
            starts.append((node.child_by_field_name("name") or node).start_byte)
        waiting.extend(node.named_children)
    return sorted(starts)


def _ruling(command: str, shell: str, scene: Scene) -> tuple[Ruling, Script | None]:
    """Rule on a command as one reader reads it, and return that; nothing where it is not read."""
    if len(command) > _LONGEST:
        return harms("the command is too long to be inspected"), None
    problem = hidden(command)
    if problem:
        return harms(problem), None
    if shell not in _BASH:
        from linetrail.ledger.shell.programs import windows

        return windows.rule(command, shell), None
    # The tables stand behind whoever only asks for words.
    from linetrail.ledger.shell.programs.walk import rule_script
    from linetrail.ledger.shell.reading.values import known_names, only_remembers

    try:
        script = read(command)
    except Unreadable as error:
        return harms(f"the command cannot be followed: {error}"), None
    ruling = rule_script(script, scene._replace(names=known_names(script, command)))
    if ruling.level == SAFE:
        ruling = only_remembers(script, command)
    return ruling, script
