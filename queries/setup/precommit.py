"""The pre-commit hook that seals before git takes a commit: two commented lines around one, in whatever hook is there.

It never stops a commit. It is put at the top, since a script may end anywhere further down.
"""

import os
import re
import shlex
from collections.abc import Iterator

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository, git
from linetrail.queries.setup.steps import CREATE, KEEP, REMOVE, UPDATE, Step, mode

NAME = "pre-commit"
NEW_FILE = "#!/bin/sh\n"
_BLOCK = "# >>> linetrail\n{}\n# <<< linetrail\n"
_OURS = re.compile(r"^# >>> linetrail\n.*?^# <<< linetrail\n", re.MULTILINE | re.DOTALL)
_SHELL = re.compile(r"#!.*\b(?:ba|da|k|z)?sh\b.*\n")


def plan(repository: Repository, command: str) -> Iterator[Step]:
    """Plan a new hook, or our lines in the one that is there; `command` is the installed `linetrail`."""
    path = _path(repository)
    if path is None:
        raise UsageError(f"{repository.root} is no git repository, so it has no {NAME} hook")
    before = _read(path)
    line = _line(repository, path, command)
    shebang = _SHELL.match(before if before is not None else NEW_FILE)
    if shebang is None:
        raise UsageError(f"{path} is no shell script; let it run this: {line}")
    rest = _OURS.sub("", (before or NEW_FILE)[shebang.end() :])
    after = shebang[0] + _BLOCK.format(line) + rest
    if after == before:
        yield Step(KEEP, path, "seals already")
        return
    folder = os.path.join(os.path.dirname(path), "")
    if not os.path.isdir(folder):
        yield Step(CREATE, folder, "hooks of git", mode=0o755)
    permissions = (mode(path) if before is not None else 0o644) | 0o111
    yield Step(CREATE if before is None else UPDATE, path, "seals before a commit", after.encode(), permissions)


def plan_undo(repository: Repository) -> Iterator[Step]:
    """Plan the removal of our lines, and of a hook that has no others."""
    path = _path(repository)
    before = _read(path) if path is not None else None
    if path is None or before is None:
        return
    after = _OURS.sub("", before)
    if after == before:
        return
    if after == NEW_FILE:
        yield Step(REMOVE, path, "did nothing but seal")
    else:
        yield Step(UPDATE, path, "seals no more", after.encode(), mode(path))


def _path(repository: Repository) -> str | None:
    """Return where git looks for the hook: in its own folder, or where `core.hooksPath` says."""
    told = git(repository, "rev-parse", "--git-path", f"hooks/{NAME}")
    return os.path.realpath(os.path.join(repository.root, os.fsdecode(told.rstrip(b"\n")))) if told else None


def _line(repository: Repository, path: str, command: str) -> str:
    """Return the line that seals; in a hook that others get with the repository, no path of this machine."""
    shared = not path.startswith(os.path.join(repository.common_dir or "", ""))
    found = "command -v linetrail >/dev/null" if shared else f"[ -x {shlex.quote(command)} ]"
    return f"{found} && {'linetrail' if shared else shlex.quote(command)} seal --stage || true"


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is no text") from None
