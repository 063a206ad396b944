"""Commits that were made again by an amend, a rebase, a squash of one or a cherry-pick, and what they were before."""

from collections.abc import Iterator

from linetrail.ledger.repository import Repository
from linetrail.projections.computed import git_log
from linetrail.projections.git import plumbing
from linetrail.projections.statements import statement
from linetrail.projections.tables.tables import Asked

ABOUT = "one row is one commit that HEAD comes from whose change was seen in a commit that HEAD does not come from"
COLUMNS = {"vcs_revision": "VARCHAR", "patch_id": "VARCHAR", "rewritten_from": "VARCHAR"}
VERSION = 1

_OBSERVED = "select count(*), max(position) from commits"


def key(asked: Asked) -> list[object]:
    """Name the history that the clone has, and the commits that were seen being made."""
    return [git_log.key(asked), asked.tables.ask(_OBSERVED).rows]


def rows(asked: Asked) -> Iterator[tuple[object, ...]]:
    """Yield the commits by name."""
    candidates = [revision for (revision,) in asked.tables.ask(statement("rewritten_commits_candidates")).rows]
    patches = _patch_ids(asked.repository, candidates) if candidates else {}
    given = {"revisions": list(patches), "patches": list(patches.values())}
    yield from asked.tables.ask(statement("rewritten_commits"), given).rows


def _patch_ids(repository: Repository, revisions: list[str]) -> dict[str, str]:
    """Return git's stable patch ids, as the hooks record them."""
    stdin = "\n".join(revisions).encode() + b"\n"
    patches = plumbing.answer(repository, "diff-tree", "-p", "--root", "--stdin", stdin=stdin)
    told = plumbing.answer(repository, "patch-id", "--stable", stdin=patches).decode().split()
    return dict(zip(told[1::2], told[::2], strict=True))
