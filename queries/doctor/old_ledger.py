"""Find ledgers kept the old way, in one file that git tracks, and say which commands bring them over.

Such a file may stand where hooks write today (`.orchestration/agent_trace.jsonl`). Then no hook can append to it, and
what is recorded waits in the spool until the file has another name. An uncommitted line in a tracked file also keeps
git from switching branches, and `merge=union` repeats lines, glues them together and forgets deletions.
"""

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.log.store import TAIL, Ledger
from linetrail.ledger.repository import FOLDER, Repository, git
from linetrail.queries.doctor.finding import ERROR, OK, WARNING, Finding
from linetrail.queries.importers.older.agent_trace import SOURCE, import_ledgers
from linetrail.queries.importers.older.dialects import dialect, is_ours
from linetrail.queries.importers.older.pieces import Piece, is_marker, lines, pieces
from linetrail.queries.importers.sink import Import
from linetrail.queries.render.text import counted

LIVE = f"{FOLDER}/{TAIL}"
# The name that a ledger in the place of ours is moved to.
MOVED = f"{FOLDER}/agent_trace.old.jsonl"
# Where hooks of the specification write.
REFERENCE = ".agent-trace/traces.jsonl"
_TRACKED = (TAIL, REFERENCE, f":(glob)**/{LIVE}", f":(glob)**/{MOVED}")
CHECK = "old ledger"
# So many lines are looked at to tell whose ledger a file is.
_HEAD_LINES = 100


class OldLedgerError(LinetrailError):
    """A ledger of another tool stands where ours has to be."""


@dataclass(frozen=True)
class Old:
    """A file that is, or may be, an older ledger. `path` is relative to the root of the repository."""

    path: str
    tracked: bool
    unmerged: bool


def old_ledgers(repository: Repository) -> list[Old]:
    """Return the files that hold records of older ledgers, tracked or not."""
    tracked = _tracked(repository)
    there = [path for path in (LIVE, MOVED, TAIL, REFERENCE) if os.path.isfile(os.path.join(repository.root, path))]
    return [
        Old(path, path in tracked, tracked.get(path, False))
        for path in dict.fromkeys([*there, *tracked])
        if is_foreign(os.path.join(repository.root, path))
    ]


def is_foreign(path: str) -> bool:
    """Return whether a file holds records of an older ledger before anything else."""
    for piece in _head(path):
        if piece.fields and (is_ours(piece.fields) or dialect(piece.fields)):
            return not is_ours(piece.fields)
    return False


def require_place(repository: Repository) -> None:
    """Refuse to write where an older ledger stands: it would be taken for ours."""
    if is_foreign(os.path.join(repository.root, LIVE)):
        old = next(one for one in old_ledgers(repository) if one.path == LIVE)
        raise OldLedgerError(f"{LIVE} is an older ledger, and stands where linetrail writes", way_out(old))


def way_out(old: Old) -> str:
    """Return the commands that bring an older ledger over; those that were run already do no harm."""
    steps = [f"git add {shlex.quote(old.path)}"] if old.unmerged else []
    path = old.path
    if path == LIVE:
        path = MOVED
        steps.append(f"{'git mv' if old.tracked else 'mv'} {LIVE} {MOVED}")
    return " && ".join([*steps, f"linetrail import {SOURCE} {shlex.quote(path)}"])


def check_old_ledger(repository: Repository) -> Iterator[Finding]:
    """Look for ledgers in one tracked file: whether they are in the way, damaged, merged badly, or not imported."""
    if repository.git_dir is None:
        return
    found = old_ledgers(repository)
    for old in found:
        yield _judged(old, repository)
        yield from _damage(old, repository)
    tracked = _tracked(repository)
    if LIVE in tracked and LIVE not in {old.path for old in found}:
        message = f"git tracks {LIVE}: uncommitted lines keep it from switching branches"
        yield Finding(CHECK, ERROR, message, f"git rm --cached {LIVE} && git commit -m 'stop tracking {LIVE}'")
        yield from _damage(Old(LIVE, tracked=True, unmerged=tracked[LIVE]), repository)
    yield from _union([LIVE, *(old.path for old in found if old.path != LIVE)], repository)


def _judged(old: Old, repository: Repository) -> Finding:
    """Report which command imports one older ledger, or that it is imported."""
    if old.path == LIVE:
        kept = "tracked by git" if old.tracked else "not tracked by git"
        message = f"{LIVE} is an older ledger ({kept}): hooks cannot append to it, what they record waits in the spool"
        return Finding(CHECK, ERROR, message, way_out(old))
    path = os.path.join(repository.root, old.path)
    total = import_ledgers([path], Import(repository, Ledger(repository), dry_run=True)).total()
    if total.imported:
        missing = f"{old.path}: {counted(total.imported, 'record')} of {total.read} lines are not in the ledger"
        return Finding(CHECK, WARNING, missing, way_out(old))
    return Finding(CHECK, OK, f"{old.path}: {counted(total.duplicates, 'record')}, all in the ledger")


def _damage(old: Old, repository: Repository) -> Iterator[Finding]:
    """Describe what merging and crashing left in a file; an import passes over it and loses nothing."""
    markers, glued, unended = [], [], False
    path = os.path.join(repository.root, old.path)
    for raw in lines(path) if os.path.isfile(path) else ():
        found = list(pieces(raw))
        unended = any(piece.unended for piece in found)
        if any(is_marker(piece.text or "") for piece in found):
            markers.append(raw.number)
        elif len(found) > 1:
            glued.append(raw.number)
    if markers:
        yield _damaged(old, f"git conflict markers in line {_numbers(markers)}: an import takes both sides")
    if glued:
        yield _damaged(old, f"records glued together in line {_numbers(glued)}: an import takes each")
    if unended:
        yield _damaged(old, "no newline at the end: the next line would be glued to the last")


def _damaged(old: Old, what: str) -> Finding:
    return Finding(CHECK, WARNING, f"{old.path}: {what}")


def _numbers(found: Sequence[int]) -> str:
    shown = ", ".join(map(str, found[:5]))
    return shown if len(found) <= 5 else f"{shown} and {len(found) - 5} more"


def _union(paths: Sequence[str], repository: Repository) -> Iterator[Finding]:
    """Name the rules that let git merge a ledger line by line."""
    answer = git(repository, "check-attr", "-z", "merge", "--", *paths) or b""
    told = os.fsdecode(answer).split("\0")
    for path, value in zip(told[::3], told[2::3], strict=False):  # an empty text stands after the last
        if value == "union":
            message = f"git merges {path} with the union driver, which repeats and glues lines"
            yield Finding(CHECK, WARNING, message, f"take merge=union for {path} out of {_rule(path, repository)}")


def _rule(path: str, repository: Repository) -> str:
    """Return where the rule stands: the file of attributes, and the line where it is plain to see."""
    for folder in (os.path.dirname(path), ""):
        name = os.path.join(folder, ".gitattributes")
        try:
            with open(os.path.join(repository.root, name), encoding="utf-8", errors="replace") as file:
                at = [number for number, line in enumerate(file, 1) if "merge=union" in line]
        except OSError:
            continue
        if at:
            return f"{name} (line {_numbers(at)})"
    return "git's attributes"


def _tracked(repository: Repository) -> dict[str, bool]:
    """Return the tracked files that have the name of a ledger, and whether git could not merge them."""
    listed = git(repository, "ls-files", "-z", "--stage", "--", *_TRACKED) or b""
    found: dict[str, bool] = {}
    for entry in filter(None, os.fsdecode(listed).split("\0")):
        stage, _, path = entry.partition("\t")
        found[path] = found.get(path, False) or not stage.endswith(" 0")
    return found


def _head(path: str) -> Iterator[Piece]:
    """Yield what the first lines of a file hold."""
    try:
        for raw in lines(path):
            yield from pieces(raw)
            if raw.number >= _HEAD_LINES:
                return
    except OSError:
        return
