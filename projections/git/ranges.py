"""Let git say which lines `-L` means where it names a function or a pattern.

Only git knows what begins a function in which kind of file. It is asked about a commit that holds the content and
nothing else, made in a folder that is thrown away: so it need not walk through a history, and the file need be in none.
"""

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence

from linetrail.ledger.errors import GitError, UsageError
from linetrail.ledger.repository import NO_HOOKS, Repository, file_path, invocation
from linetrail.projections.git.target import Target, TargetError

_HEADING = re.compile(rb"^[0-9a-f]{40,64} \d+ (\d+)", re.MULTILINE)
_NOBODY = {f"GIT_{who}_{what}": "nobody" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def numbers(repository: Repository, target: Target, ranges: Sequence[str]) -> list[int]:
    """Return the numbers of the lines that all these ranges together mean to git."""
    if repository.git_dir is None or repository.common_dir is None:
        raise TargetError("functions and patterns are looked up by git, and this is no git repository", "git init")
    with tempfile.TemporaryDirectory() as folder:
        made = {
            **_NOBODY,
            "GIT_INDEX_FILE": os.path.join(folder, "index"),
            "GIT_OBJECT_DIRECTORY": folder,
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.path.join(repository.common_dir, "objects"),
        }
        blob = _ask(repository, made, "hash-object", "-w", "--stdin", "--no-filters", stdin=target.content)
        entry = f"100644 {_word(blob)}\t".encode() + os.fsencode(file_path(target.path)) + b"\0"
        _ask(repository, made, "update-index", "-z", "--index-info", stdin=entry)
        tree = _ask(repository, made, "write-tree")
        commit = _ask(repository, made, "commit-tree", "-m", "content", _word(tree))
        wanted = [f"-L{text}" for text in ranges]
        asked = ("blame", "--no-textconv", "--porcelain", *wanted, _word(commit), "--", file_path(target.path))
        said = _ask(repository, made, *asked, told=True)
    return sorted({int(number) for number in _HEADING.findall(said)})


def _word(output: bytes) -> str:
    return output.decode().strip()


def _ask(
    repository: Repository, made: Mapping[str, str], *arguments: str, stdin: bytes = b"", told: bool = False
) -> bytes:
    """Run git beside the repository; what it has against the ranges it is told is the user's to read."""
    command, environment = invocation(repository, *NO_HOOKS, *arguments)
    done = subprocess.run(command, env={**environment, **made}, input=stdin, capture_output=True, check=False)
    if done.returncode != 0:
        reason = done.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise UsageError(reason) if told else GitError(f"git {arguments[0]}: {reason}")
    return done.stdout
