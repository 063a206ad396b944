"""Hold what git has against what the ledger saw: which committed contents did no hook ever meet?

A file as a commit has it is reconciled when the ledger knows that content of that path, from before a change or after
one. What is left was written while nobody looked: by a person, or by an agent whose hooks did not run.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from linetrail.ledger.repository import Repository, stored_path
from linetrail.projections.computed.blob_hashes import hashes
from linetrail.projections.git.history import Objects
from linetrail.projections.git.plumbing import answer
from linetrail.projections.statements import statement
from linetrail.projections.tables.table import Ask

_DELETED = "select distinct coalesce(from_path, path) as path from mutation_files where op in ('delete', 'rename')"


class Unrecorded(NamedTuple):
    """A file of a commit that the ledger never met; `shows_agent`: the commit says that an agent had a hand in it.

    `blob` is what git calls its content; None: it was deleted.
    """

    revision: str
    committed_at: str
    author: str
    path: str
    op: str
    shows_agent: bool
    blob: str | None


class _Change(NamedTuple):
    path: str
    op: str
    blob: str | None


def unrecorded(
    repository: Repository, ask: Ask, revisions: Sequence[str], *, by_agents: bool = False
) -> Iterator[Unrecorded]:
    """Yield what the commits of these git revisions changed and the ledger never met, the newest commit first.

    `by_agents` where only those with the signs of an agent matter: the contents of the others are not read.
    """
    known = {(row["path"], row["content"]) for row in ask(statement("reconciled_contents")).mappings()}
    deleted = {row["path"] for row in ask(_DELETED).mappings()}

    with closing(Objects(repository)) as store:
        commits = [one for one in _commits(repository, revisions) if not by_agents or store.shows_agent(one[0], ())]
        blobs = {change.blob for *_, changes in commits for change in changes if change.blob}
        contents = hashes(repository, blobs)

        def met(change: _Change) -> bool:
            if change.blob is None:
                return change.path in deleted
            stored = contents[change.blob][:1]  # none: this clone lacks it
            return not stored or (change.path, stored[0]) in known

        for revision, committed_at, author, changes in commits:
            missed = [change for change in changes if not met(change)]
            shows_agent = bool(missed) and store.shows_agent(revision, ())
            for path, op, blob in missed:
                yield Unrecorded(revision, committed_at, author, path, op, shows_agent, blob)


def _commits(repository: Repository, revisions: Sequence[str]) -> Iterator[tuple[str, str, str, list[_Change]]]:
    """Yield each commit that is no merge, with what it changed but for the ledger's own files."""
    form = "--format=%x01%H%x00%cI%x00%an"
    flags = ("--no-merges", "--raw", "-z", "-r", "--no-abbrev", "--no-renames", form)
    printed = answer(repository, "log", *flags, *revisions, "--", ":/", ":(exclude,top).orchestration")
    for record in printed.split(b"\x01")[1:]:
        head, _, rest = record.partition(b"\n")
        revision, committed_at, author = head.strip(b"\0").decode(errors="replace").split("\0")[:3]
        yield revision, committed_at, author, list(_changes(rest))


def _changes(raw: bytes) -> Iterator[_Change]:
    fields = iter(raw.strip(b"\0").split(b"\0"))
    for about in fields:
        modes = about.decode().lstrip("\n").split(" ")
        path = next(fields, None)
        if path is None or len(modes) < 5:
            return
        # links and submodules have no lines
        if modes[1] in ("120000", "160000"):
            continue
        op = {"A": "add", "D": "delete"}.get(modes[4], "modify")
        blob = None if op == "delete" else modes[3]
        yield _Change(stored_path(path.decode("utf-8", "surrogateescape")), op, blob)
