"""Find the branch that a change is going to be merged into: its segments must all be in the change."""

import os
from collections.abc import Iterator, Mapping

from linetrail.ledger.errors import GitError
from linetrail.ledger.log import segment_history
from linetrail.ledger.repository import Repository
from linetrail.projections.git.shell import command

# What the services say that run checks for a proposed change; the value is a branch, perhaps with `refs/heads/`.
_SERVICES = (
    "GITHUB_BASE_REF",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
    "BITBUCKET_PR_DESTINATION_BRANCH",
    "SYSTEM_PULLREQUEST_TARGETBRANCH",
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
    "CHANGE_TARGET",
)
_USUAL = ("origin/HEAD", "origin/main", "origin/master", "@{upstream}", "main", "master")


class UnknownBaseError(GitError):
    """The branch to compare with is not here."""

    def __init__(self, revision: str) -> None:
        super().__init__(f"the base {revision} is no commit that is here")
        self.hint = f"{command(['git', 'fetch', 'origin', revision.removeprefix('origin/')])}, or --base REV"


def base_branch(repository: Repository, asked: str | None, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the revision to compare with; None where nothing says which it is."""
    if asked is not None:
        if segment_history.resolve(repository, asked) is None:
            raise UnknownBaseError(asked)
        return asked
    told = next(filter(None, map(environment.get, _SERVICES)), None)
    if told is not None:
        name = told.removeprefix("refs/heads/")
        found = next((each for each in (f"origin/{name}", name) if segment_history.resolve(repository, each)), None)
        if found is None:
            raise UnknownBaseError(f"origin/{name}")
        return found
    return next(_known(repository), None)


def _known(repository: Repository) -> Iterator[str]:
    return (each for each in _USUAL if segment_history.resolve(repository, each) is not None)
