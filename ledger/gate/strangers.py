"""What a tool that nobody knows may do beside writing the file that it names, by the names of its other arguments."""

from collections.abc import Iterator, Mapping
from typing import Any

from linetrail.ledger.adapters.adapter import MAX_DEPTH, paths

# In lower case and without underscores; what these hold is a place whatever it looks like,
_PLACES = frozenset(
    {
        "destination",
        "destinationpath",
        "dest",
        "destpath",
        "dir",
        "directory",
        "dirpath",
        "files",
        "filepaths",
        "folder",
        "frompath",
        "newfilepath",
        "newpath",
        "oldpath",
        "outfile",
        "outputfile",
        "outputpath",
        "paths",
        "sourcepath",
        "targetdirectory",
        "topath",
    }
)
# and what these hold where it is spelled like one.
_PERHAPS = frozenset({"from", "output", "source", "target", "to"})
_COMMANDS = frozenset({"cmd", "code", "command", "commandline", "commands", "script", "shell"})


def other_places(arguments: Mapping[str, Any]) -> list[str]:
    """Return the files and folders that stand beside the usual ones.

    >>> other_places({"path": "a.py", "new_path": "src/b.py", "to": "lower case"})
    ['src/b.py']
    """
    perhaps = (text for text in paths(arguments, _PERHAPS) if "/" in text and not any(map(str.isspace, text)))
    return list(dict.fromkeys([*paths(arguments, _PLACES), *perhaps]))


def command_key(arguments: Mapping[str, Any]) -> str | None:
    """Return the argument that holds a command or code, whose effect cannot be seen."""
    return next((key for key, value in arguments.items() if value and key.replace("_", "").lower() in _COMMANDS), None)


def lines(given: Any, depth: int = MAX_DEPTH) -> Iterator[str]:
    """Yield every text of one line in the arguments, since each may name a file."""
    if isinstance(given, str):
        if "\n" not in given:
            yield given
    elif isinstance(given, dict | list) and depth:
        for value in given.values() if isinstance(given, dict) else given:
            yield from lines(value, depth - 1)
