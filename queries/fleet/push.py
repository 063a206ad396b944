"""Put the sealed segments of a repository into an object store.

A segment is named by its content and put only where no object of that name is. So a retry, a second run, and two build
servers at once do no harm, and nobody has to be asked first. A checkpoint follows when all are there: it says what must
never go again.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from linetrail.ledger.errors import LinetrailError, warn_of
from linetrail.ledger.files import sha256
from linetrail.ledger.log import checkpoint, segments
from linetrail.ledger.log.segments import Segment
from linetrail.ledger.repository import Repository
from linetrail.projections.computed.repository_facts import repository_id
from linetrail.queries.fleet import objects, owners, people

if TYPE_CHECKING:
    from obstore.store import ObjectStore

# A store that answers before it is done, or drops what it took, is asked again.
_ROUNDS = 3


class NoIdentityError(LinetrailError):
    """The repository has no first commit to be known by."""

    hint = "git fetch --unshallow; without any commit yet: git commit"


class NotKeptError(objects.StoreError):
    """The store took an object, and does not have it."""


class Pushed(NamedTuple):
    """What a push did: the segments that the store did not have before, and where its checkpoint is."""

    repo_id: str
    sent: tuple[Segment, ...]
    there: int
    head: str | None


def identity(repository: Repository) -> str:
    """Return what a repository is called in a store: the hash of its first commit, which every clone and fork has."""
    found = repository_id(repository)
    if found is None:
        raise NoIdentityError(f"{repository.root} is known by its first commit, and this clone does not have that")
    return found


def segments_of(repo_id: str) -> str:
    return f"segments/repo={repo_id}"


def heads_of(repo_id: str) -> str:
    return f"heads/repo={repo_id}"


def push(repository: Repository, url: str, *, dry_run: bool = False, people_key: bytes | None = None) -> Pushed:
    """Bring a store up to the sealed segments that are here; warn of those that are damaged, which stay here.

    With the key of an organisation, say by a pseudonym who recorded each segment.
    """
    repo_id = identity(repository)
    sealed, damage = segments.read_headers(repository.folder, whole=True)
    warn_of(damage)
    store = objects.open_store(url, make=not dry_run)
    there = objects.sizes(store, segments_of(repo_id))
    waiting = [segment for segment in segments.ordered(sealed) if _file(segment.name) not in there]
    if dry_run:
        return Pushed(repo_id, tuple(waiting), len(sealed) - len(waiting), None)
    _put(store, repository, repo_id, waiting)
    if people_key is not None:
        people.put(store, repository, repo_id, sorted(sealed), people_key)
    owners.put(store, repository, repo_id, sum(segment.events for segment in sealed.values()))
    whole = sealed and not damage and not segments.absent(sealed)
    head = _put_head(store, repository, repo_id, sealed) if whole else None
    return Pushed(repo_id, tuple(waiting), len(sealed) - len(waiting), head)


def _put(store: "ObjectStore", repository: Repository, repo_id: str, waiting: list[Segment]) -> None:
    """Put segments into the store, until it lists every one of them."""
    prefix = segments_of(repo_id)

    def put(segment: Segment) -> None:
        objects.put(store, f"{prefix}/{_file(segment.name)}", segments.content(repository.folder, segment)[0])

    missing = waiting
    for _ in range(_ROUNDS):
        if not missing:
            return
        for _done in objects.at_once(put, missing, "pushing", "segments"):
            pass
        there = objects.sizes(store, prefix)
        missing = [segment for segment in missing if _file(segment.name) not in there]
    if missing:
        raise NotKeptError(f"{prefix}/{_file(missing[0].name)} was put {_ROUNDS} times, and is not there")


def _put_head(store: "ObjectStore", repository: Repository, repo_id: str, sealed: Mapping[str, Segment]) -> str:
    """Put the checkpoint of all segments: the tracked one, with its signatures, where it stands for these."""
    kept = checkpoint.read(repository.folder)
    before = None if kept is None or checkpoint.judge(kept, sealed, file="") else checkpoint.parse(kept)
    made = checkpoint.compose(sealed, checkpoint.origin(sealed, before), before=before)
    content = checkpoint.render(made)
    prefix, name = heads_of(repo_id), f"{sha256(content).hexdigest()}.txt"
    if name not in objects.sizes(store, prefix):
        objects.put(store, f"{prefix}/{name}", content)
    return f"{prefix}/{name}"


def _file(name: str) -> str:
    return f"{name}.jsonl"
