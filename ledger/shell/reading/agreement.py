"""Ask tree-sitter's grammar of bash whether it sees the same commands.

A shell has corners in which readers of it disagree, and whoever wants to hide a command looks for them there. What two
independent readers cut in the same way is not hidden.
"""

import re
import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import Any

from linetrail.ledger.shell.reading.syntax import Compound, Script, Simple, commands, scripts

_COMMANDS = {"command", "test_command", "declaration_command", "unset_command"}
_MOST_BYTES = 65_536
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_PARSER: list[Any] = []  # made once, by the first command that has to be parsed


def disagreement(text: str, script: Script) -> str | None:
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
