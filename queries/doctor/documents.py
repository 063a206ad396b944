"""Read settings of agents that nobody promised to be sound: huge, torn, of the wrong kind, or no file at all.

Nothing here is an error. A file that cannot be read says nothing, and why it cannot is kept for whoever asks.
"""

import json
import os
import re
import stat
import tomllib
from collections.abc import Callable
from typing import Any

from linetrail.ledger.adapters.agent import Document
from linetrail.queries.setup import place

MAX_BYTES = 4 * 1024 * 1024
# Strings first, so that what looks like a comment in one stays.
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


def read_json(path: str) -> Document:
    """Read a file of JSON in which comments, and commas before a bracket, may stand."""
    return _read(path, _parse_json)


def read_toml(path: str) -> Document:
    return _read(path, tomllib.loads)


def read_text(path: str) -> tuple[Document, str]:
    """Return the text of a file, and what is wrong with the file."""
    texts: list[str] = []

    def keep(text: str) -> dict[str, Any]:
        texts.append(text)
        return {}

    return _read(path, keep), "".join(texts)


def names(path: str, word: str) -> bool:
    """Return whether a word stands in the bytes of a file, whatever else is in it."""
    try:
        return word.encode() in _content(path)
    except (OSError, ValueError, _UnusableError):
        return False


def located(path: str, root: str = "") -> str:
    """Return a path that starts in the home folder of whoever asks, or in a project, as it is on this machine.

    A person may have moved the folders of some agents elsewhere.
    """
    return place.home().path(path[2:]) if path.startswith("~/") else os.path.join(root, path)


def _read(path: str, parse: Callable[[str], Any]) -> Document:
    try:
        values = parse(_content(path).decode("utf-8-sig"))
    except FileNotFoundError:
        return Document(path)
    except _UnusableError as error:
        return Document(path, problem=str(error), exists=True)
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return Document(path, problem=f"cannot be read: {why}", exists=True)
    if not isinstance(values, dict):
        return Document(path, problem="holds no object", exists=True)
    return Document(path, values, exists=True)


class _UnusableError(Exception):
    """A file that is not opened, or not read to its end."""


def _content(path: str) -> bytes:
    """Return the bytes of a file; a pipe is never opened: it would keep us waiting."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise _UnusableError("is not a file")
    with open(path, "rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise _UnusableError(f"is larger than {MAX_BYTES // 1024} KB")
    return content


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        plain = _COMMENT.sub(lambda found: found.group(1) or " ", text)
        return json.loads(_LAST_COMMA.sub(lambda found: found.group(1) or "", plain))
