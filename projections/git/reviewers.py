"""Ask git who reviewed commits, as the `Reviewed-by` trailers of their messages say (git-interpret-trailers(1))."""

from collections.abc import Collection, Sequence

from linetrail.ledger.repository import Repository
from linetrail.projections.git.plumbing import answer

_FORMAT = "%H%x00%(trailers:key=Reviewed-by,valueonly,unfold,separator=%x00)"


def reviewers(repository: Repository, revisions: Collection[str]) -> dict[str, Sequence[str]]:
    """Return the names of those who reviewed commits, for each commit that somebody reviewed."""
    if not revisions:
        return {}
    asked = "".join(f"{revision}\n" for revision in revisions).encode()
    told = answer(repository, "rev-list", "--no-walk", "--stdin", f"--format={_FORMAT}", stdin=asked)
    found: dict[str, Sequence[str]] = {}
    for line in told.decode(errors="replace").split("\n"):
        revision, *people = line.split("\0")
        if names := [name for person in people if (name := person.partition("<")[0].strip() or person.strip())]:
            found[revision] = names
    return found
