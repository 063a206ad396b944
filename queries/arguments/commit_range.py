"""Read a range of commits as git writes it, or one commit, and return the ids for use in SQL."""

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository, git


def commits(repository: Repository, text: str) -> str:
    """Return the ids of the commits in a range, or of one commit, separated by spaces."""
    wanted = text.strip()
    one = ".." not in wanted
    command = ("rev-parse", "--verify", "--quiet") if one else ("rev-list",)
    told = git(repository, *command, "--end-of-options", f"{wanted}^{{commit}}" if one else wanted)
    if told is None or not wanted:
        raise _unknown(repository, text)
    return told.decode().replace("\n", " ").strip()


def _unknown(repository: Repository, text: str) -> UsageError:
    where = repository.root if repository.git_dir else f"{repository.root}, which is no git repository"
    return UsageError(
        f"{text!r} names no commits that git knows in {where}; write A..B, as main..HEAD, or one commit",
        "git log --oneline",
    )
