"""Work out which files belong beside an intent: what it holds already, and what changes together with its scope."""

import os
from collections import Counter
from collections.abc import Iterator

from linetrail.ledger.intents import related
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.paths.globs import ScopeError, compile_scope
from linetrail.ledger.repository import FOLDER, Repository, git, stored_path
from linetrail.projections.tables.intent_map import INTENT_MAP, definitions_of

# Of history so many commits are looked at, and none that changes more files than a piece of work does.
COMMITS, MAX_FILES = 300, 40
LEAST, MOST = 2, 5
MAX_NODES = 4
MAX_MAP = 4 << 20


def note_related(repository: Repository, intent: Intent) -> None:
    """Keep what belongs beside an intent, for the hook that tells its agent."""
    related.note(repository, intent.id, [*_held(repository, intent.id), *_changed_together(repository, intent)])


def _held(repository: Repository, intent_id: str) -> Iterator[str]:
    """Yield the files in which the intent has lines, each with their definitions, as the intent map says."""
    try:
        with open(os.path.join(repository.folder, INTENT_MAP), encoding="utf-8", errors="replace") as file:
            found = definitions_of(file.read(MAX_MAP), intent_id)
    except OSError:
        return
    for path, nodes in list(found.items())[:MOST]:
        more = f" and {len(nodes) - MAX_NODES} more" if len(nodes) > MAX_NODES else ""
        yield f"{path}: {', '.join(nodes[:MAX_NODES])}{more}" if nodes else path


def _changed_together(repository: Repository, intent: Intent) -> Iterator[str]:
    """Yield the files outside of the scope that commits changed together with files in it, the most often first."""
    try:
        scope = compile_scope(intent.scope)
    except ScopeError:
        return
    times: Counter[str] = Counter()
    for paths in changed_by_commits(repository, COMMITS):
        outside = [path for path in paths if scope.owner(path) is None]
        if len(outside) < len(paths) <= MAX_FILES:
            times.update(outside)
    often = sorted((-number, path) for path, number in times.items() if number >= LEAST)
    yield from (f"{path} changed with it in {-number} commits" for number, path in often[:MOST])


def changed_by_commits(repository: Repository, most: int, *, merged: bool = False) -> Iterator[list[str]]:
    """Yield the files that each of the last commits changed, without those of the ledger.

    Merges are left out; with `merged` each is a commit that changed what it brought, in the place of what it brought.
    """
    which = ("--first-parent", "-m") if merged else ("--no-merges",)
    options = (*which, "--no-renames", "--name-only", "-z", "--format=%x01", f"-n{most}", "HEAD")
    for commit in (git(repository, "log", *options) or b"").split(b"\1"):
        paths = [stored_path(os.fsdecode(name)) for name in commit.strip(b"\0\n").split(b"\0") if name.strip()]
        yield [path for path in paths if not path.startswith(f"{FOLDER}/")]
