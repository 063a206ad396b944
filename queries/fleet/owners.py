"""Keep which teams own which files, by the CODEOWNERS of a repository: teams alone, no person."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from linetrail.ledger.files import sha256
from linetrail.ledger.repository import Repository, git
from linetrail.projections.computed.code_owners import PLACES, Owners
from linetrail.queries.fleet import objects

if TYPE_CHECKING:
    from obstore.store import ObjectStore

OWNERS = "owners"
_TEAM = re.compile(r"@[\w.-]+/[\w./-]+")


def put(store: "ObjectStore", repository: Repository, repo_id: str, events: int) -> None:
    """Put the owners as HEAD has them into a store, under a name that begins with how many events there were."""
    found = (git(repository, "cat-file", "blob", f"HEAD:{place}") for place in PLACES)
    content = next((one for one in found if one is not None), None)
    if content is None:
        return
    kept = teams_alone(content)
    prefix, name = f"{OWNERS}/repo={repo_id}", f"{events:012}-{sha256(kept).hexdigest()}.txt"
    if not any(there.partition("-")[2] == name.partition("-")[2] for there in last(objects.sizes(store, prefix))):
        objects.put(store, f"{prefix}/{name}", kept)


def last(names: Iterable[str]) -> list[str]:
    """Return the name that counts, if there is any."""
    return sorted(names)[-1:]


def teams_alone(content: bytes) -> bytes:
    r"""Return a CODEOWNERS file with its patterns and teams, in the same order.

    >>> teams_alone(b"# who\n/src/ @org/core ana@example.org # both\n/docs/ @ana\n")
    b'/src/ @org/core\n/docs/\n'
    """
    kept = []
    for line in content.decode(errors="replace").splitlines():
        words = line.partition(" #")[0].strip().split()
        if words and not words[0].startswith("#"):
            kept.append(" ".join([words[0], *filter(_TEAM.fullmatch, words[1:])]) + "\n")
    return "".join(kept).encode()


def owners_of(content: bytes, paths: Iterable[str]) -> dict[str, str]:
    """Return the team that owns each of these files; of several the one that is named first."""
    owners = Owners(content)
    found = ((path, owners.of(path)) for path in paths)
    return {path: owner[1][0] for path, owner in found if owner is not None and owner[1]}
