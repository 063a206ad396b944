"""Find the commit that holds a recorded mutation.

A mutation is recorded on top of the commit before the one that will hold it. Where history was rewritten since, the
content tells: one commit alone has the file as the mutation left it, or holds what went on from there.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from linetrail.ledger.files import digest
from linetrail.ledger.repository import Repository, file_path, git, stored_path
from linetrail.projections.classify.steps import File, Step
from linetrail.projections.git.history import Objects, checked_out

# So many commits that changed one of the files are looked at.
MAX_COMMITS = 2_000
# More files than these are not named to git.
MAX_PATHS = 200
_FORMAT = "--format=%x01%H %P"


class _Touch(NamedTuple):
    """A commit that changed a file, and what git calls the file then."""

    revision: str
    parent: str | None
    blob: str


def committed(repository: Repository, store: Objects, done: Sequence[Step]) -> dict[str, str]:
    """Return the commit of each mutation, by its id, as far as one of HEAD's history holds it."""
    paths = dict.fromkeys(file.path for step in done for file in step.files or ())
    held = _Held(store, _touches(repository, list(paths)))
    found: dict[str, str] = {}
    # what a later step left tells of the earlier ones
    later: dict[tuple[str, str], str] = {}
    for step in sorted(done, key=lambda step: -step.position):
        revision = next(filter(None, (held.by(step, file, later) for file in step.files or ())), None)
        if revision is None:
            continue
        found |= dict.fromkeys(step.mutation_ids, revision)
        later |= {(file.from_path or file.path, file.before): revision for file in step.files or () if file.before}
    return found


class _Held:
    """What the commits of HEAD's history hold."""

    def __init__(self, store: Objects, touches: dict[str, list[_Touch]]) -> None:
        self._store, self._touches = store, touches
        self._contents: dict[str, frozenset[str]] = {}

    def by(self, step: Step, file: File, later: dict[tuple[str, str], str]) -> str | None:
        """Return the commit that holds what a step did to a file."""
        touches = self._touches.get(file.path, ())
        on_top = next((one.revision for one in touches if one.parent == step.vcs_revision), None)
        if on_top is not None:
            return on_top
        same = [one.revision for one in touches if file.after is not None and file.after in self._of(one.blob)]
        return same[0] if len(same) == 1 else later.get((file.path, file.after or ""))

    def _of(self, blob: str) -> frozenset[str]:
        if blob not in self._contents:
            self._contents[blob] = frozenset(map(digest, checked_out(self._store.read(blob))))
        return self._contents[blob]


def _touches(repository: Repository, paths: Sequence[str]) -> dict[str, list[_Touch]]:
    """Return the commits that changed files, these at least, oldest first."""
    where = [f":(top,literal){file_path(path)}" for path in paths] if len(paths) <= MAX_PATHS else []
    found: dict[str, list[_Touch]] = defaultdict(list)
    if not paths:
        return found
    flags = ("--raw", "--no-merges", "--no-renames", "--no-abbrev", "-z", f"--max-count={MAX_COMMITS}", _FORMAT)
    listed = git(repository, "log", *flags, "HEAD", "--", *where) or b""
    for record in listed.split(b"\x01")[1:]:
        heading, *fields = record.rstrip(b"\0").split(b"\0")
        revision, *parents = heading.decode().split()
        for about, name in zip(fields[::2], fields[1::2], strict=False):
            path = stored_path(name.decode("utf-8", "surrogateescape"))
            found[path].insert(0, _Touch(revision, parents[0] if parents else None, about.decode().split()[3]))
    return found
