"""Find the commits that an export is about, and refuse those of which git cannot tell what they brought."""

from linetrail.ledger.errors import LinetrailError, UsageError
from linetrail.ledger.repository import Repository
from linetrail.projections.git.diff_sides import is_shallow
from linetrail.projections.survival.agent_lines import revisions


class ShallowError(LinetrailError):
    """Which lines a commit brought is not in this clone."""

    hint = "git fetch --unshallow"


def commits(repository: Repository, wanted: str | None) -> list[str]:
    """Return the commits of a range, parents first; without one all behind HEAD."""
    if repository.git_dir is None:
        raise UsageError(f"{repository.root} is no git repository: there are no commits to tell of")
    found = revisions(repository, wanted)
    if is_shallow(repository) and revisions(repository, wanted, "--max-parents=0"):
        # at the end of a shallow clone all lines of a commit would be its own, and others would be told so
        raise ShallowError("this clone is shallow: which lines its oldest commit brought is not in it")
    return found
