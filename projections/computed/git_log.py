"""Read the commits that HEAD comes from, with their files: each commit once in its life.

What a commit is follows from its id, so what was read is kept, and after a rewrite of history only new ones are read.
Of merges no files are told: what they brought has commits of its own.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec

from linetrail.ledger.errors import GitError
from linetrail.ledger.repository import Repository, stored_path
from linetrail.projections import remembered
from linetrail.projections.git import credits as credited
from linetrail.projections.git.credits import is_bot
from linetrail.projections.git.history import cut_commits
from linetrail.projections.git.plumbing import answer
from linetrail.projections.tables.computed_cache import folder as computed_folder
from linetrail.projections.tables.tables import Asked

# 1: first layout.
LAYOUT = 1
# So many commits are asked for at once: git's answer is held in memory.
PORTION = 5_000
MAX_SUBJECT = 300
_PLAIN = ("-c", "log.showSignature=false", "-c", "log.showRoot=true", "-c", "diff.renameLimit=400")
_LOG = ("log", "--no-walk=unsorted", "--stdin", "-z", "--no-color", "--encoding=UTF-8", "--no-abbrev")
_DIFF = ("--diff-merges=off", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none", "--diff-algorithm=myers")
_FORMAT = "--format=%x01%H%x00%P%x00%an%x00%ae%x00%at%x00%ct%x00%B"
_FIELDS = 7


class CommitFile(msgspec.Struct, frozen=True, array_like=True):
    """One file that a commit changed; `blob` is None where it deleted it, the numbers where nobody counted."""

    path: str
    old_path: str | None
    blob: str | None
    insertions: int | None
    deletions: int | None


class Commit(msgspec.Struct, frozen=True, array_like=True):
    """One commit. `agent` is the product that it credits, `is_bot` says that a program made it that is none."""

    revision: str
    parents: list[str]
    author: str
    authored: int
    committed: int
    subject: str
    agent: str | None
    is_bot: bool
    files: list[CommitFile]


def key(asked: Asked) -> list[object]:
    """Name all that the commits follow from: the history that the clone has."""
    return [LAYOUT, asked.head, _boundary(asked.repository)]


def commits(repository: Repository, head: str | None) -> Sequence[Commit]:
    """Return the commits that HEAD comes from, by time; none before the first, and none without git."""
    if head is None or repository.git_dir is None:
        return ()
    return _commits(repository, head, _boundary(repository))


@lru_cache(1)
def _commits(repository: Repository, head: str, boundary: str) -> Sequence[Commit]:
    wanted = answer(repository, "rev-list", head).decode().split()
    file = computed_folder(repository) / "commits" / f"{boundary}.jsonl"
    known = {commit.revision: commit for commit in remembered.load(file, Commit)}
    missing = [revision for revision in wanted if revision not in known]
    cut = cut_commits(repository)
    for start in range(0, len(missing), PORTION):
        found = [_whole(commit, cut) for commit in _read(repository, missing[start : start + PORTION])]
        remembered.append(file, found)
        known |= {commit.revision: commit for commit in found}
    here = (known[revision] for revision in wanted if revision in known)
    return sorted(here, key=lambda commit: (commit.committed, commit.revision))


def _whole(commit: Commit, cut: frozenset[str]) -> Commit:
    """Say nothing of the files of a commit whose parents a shallow clone does not have: it seems to add them all."""
    return msgspec.structs.replace(commit, files=[]) if commit.revision in cut else commit


def _read(repository: Repository, revisions: Sequence[str]) -> Iterator[Commit]:
    stdin = "\n".join(revisions).encode() + b"\n"
    try:
        told = answer(repository, *_PLAIN, *_LOG, *_DIFF, "--raw", "--numstat", "-M", _FORMAT, stdin=stdin)
    except GitError:
        # contents that a partial clone lacks: what trees tell is told
        told = answer(repository, *_PLAIN, *_LOG, *_DIFF, "--raw", "--no-renames", _FORMAT, stdin=stdin)
    return _parse(told)


def _parse(told: bytes) -> Iterator[Commit]:
    r"""Read what git printed: seven fields, then `:modes blobs status`, names, and `lines\tlines\tname`."""
    tokens = told.split(b"\0")
    at = 0
    while at < len(tokens) and tokens[at].lstrip(b"\n").startswith(b"\x01"):
        fields = tokens[at : at + _FIELDS]
        at += _FIELDS
        changed: dict[str, CommitFile] = {}
        while at < len(tokens) and tokens[at].lstrip(b"\n")[:1] == b":":
            at = _raw(tokens, at, changed)
        while at < len(tokens) and tokens[at].count(b"\t") >= 2 and not tokens[at].startswith(b"\x01"):
            at = _counted(tokens, at, changed)
        if at < len(tokens) and tokens[at] in (b"", b"\n"):
            at += 1
        yield _commit([field.decode(errors="replace") for field in fields], list(changed.values()))


def _raw(tokens: Sequence[bytes], at: int, changed: dict[str, CommitFile]) -> int:
    """Read one file that differs; return where the next begins."""
    _, _, _, blob, status = tokens[at].lstrip(b"\n").split(b" ")
    renamed = status[:1] in (b"R", b"C")
    old = _stored(tokens[at + 1])
    path = _stored(tokens[at + 2]) if renamed else old
    changed[path] = CommitFile(path, old if renamed else None, None if status == b"D" else blob.decode(), None, None)
    return at + (3 if renamed else 2)


def _counted(tokens: Sequence[bytes], at: int, changed: dict[str, CommitFile]) -> int:
    """Read how many lines came and went in one file; return where the next begins."""
    inserted, deleted, name = tokens[at].lstrip(b"\n").split(b"\t", 2)
    renamed = not name
    path = _stored(tokens[at + 2] if renamed else name)
    if path in changed:
        numbers = [int(number) if number.isdigit() else None for number in (inserted, deleted)]
        changed[path] = msgspec.structs.replace(changed[path], insertions=numbers[0], deletions=numbers[1])
    return at + (3 if renamed else 1)


def _commit(fields: Sequence[str], files: list[CommitFile]) -> Commit:
    revision, parents, name, address, authored, committed, message = fields
    raw = f"author {name} <{address}> {authored} +0000\n\n{message}".encode(errors="replace")
    agents = [credit.agent_name for credit in credited.found(raw)]
    return Commit(
        revision=revision.lstrip("\n\x01"),
        parents=parents.split(),
        author=f"{name} <{address}>",
        authored=int(authored or 0),
        committed=int(committed or 0),
        subject=message.strip().partition("\n")[0][:MAX_SUBJECT],
        agent=agents[0] if agents else None,
        is_bot=is_bot(name, address),
        files=files,
    )


def _stored(name: bytes) -> str:
    return stored_path(os.fsdecode(name))


def _boundary(repository: Repository) -> str:
    """Name where the clone's history ends: another shallow clone tells other files of its first commits."""
    text = "\n".join([str(LAYOUT), *sorted(cut_commits(repository))])
    return hashlib.sha256(text.encode()).hexdigest()[:16]
