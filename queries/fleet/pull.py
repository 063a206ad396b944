"""Take the segments of a repository out of an object store, and see that the store still has all that it ever had.

What a store holds is believed as far as its names and checkpoints prove it: a segment has the hash that it is called
by, and every checkpoint that was ever put there is covered.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from linetrail.ledger.errors import IntegrityError, LinetrailError
from linetrail.ledger.files import sha256
from linetrail.ledger.log import checkpoint, segments, signed_notes
from linetrail.ledger.log.segments import MAX_SEGMENT_BYTES, SEGMENTS, Segment
from linetrail.ledger.repository import FOLDER, Repository, find, own_environment
from linetrail.projections.computed.code_owners import PLACES
from linetrail.queries.fleet import objects
from linetrail.queries.fleet.push import Pushed, heads_of, identity, push, segments_of

if TYPE_CHECKING:
    from obstore.store import ObjectStore


class CloneError(LinetrailError):
    """git could not clone a repository."""

    hint = "git clone it by hand, then `linetrail push` in the clone"


class StoredDamageError(IntegrityError):
    """Something in an object store is not what was put there."""

    hint = "remove the object, then `linetrail push` from a clone that has the segment"


class Pulled(NamedTuple):
    """What a pull found: segments that were not here before, how many were, and what is wrong with the store."""

    repo_id: str
    taken: tuple[Segment, ...]
    here: int
    damage: tuple[IntegrityError, ...]


def pull(repository: Repository, url: str, *, check: bool = False) -> Pulled:
    """Keep the segments that a store has of this repository and that are not here.

    With `check` every object of the repository is read, also those of segments that are here, and nothing is written.
    """
    repo_id = identity(repository)
    store = objects.open_store(url)
    here, _ = segments.read_headers(repository.folder)
    prefix = segments_of(repo_id)

    def take(file: str) -> Segment | IntegrityError:
        try:
            segment, content = read_segment(store, f"{prefix}/{file}", stored[file])
        except IntegrityError as error:
            return error
        if not check:
            segments.keep(repository.folder, segment, content)
        return segment

    stored = objects.sizes(store, prefix)
    wanted = sorted(file for file in stored if check or segments.name_of(file) not in here)
    read = list(objects.at_once(take, wanted, "reading", "segments"))
    found = {one.name: one for one in read if isinstance(one, Segment)}
    damage = [one for one in read if isinstance(one, IntegrityError)]
    kept = (
        {} if check else {name: here[name] for name in here if stored.get(f"{name}.jsonl") == _size(repository, name)}
    )
    damage += uncovered(store, heads_of(repo_id), kept | found)
    taken = tuple(segment for name, segment in found.items() if name not in here)
    return Pulled(repo_id, taken, len(here), tuple(damage))


def push_of_clone(origin: str, url: str, people_key: bytes | None = None) -> tuple[str, Pushed | None]:
    """Put the segments that a repository tracks into a store: of a clone that has nothing else of its files.

    Returns the repository and what was pushed; None where it has no ledger.
    """
    with tempfile.TemporaryDirectory(prefix="linetrail-clone-") as folder:
        _git("clone", "--quiet", "--no-checkout", "--filter=blob:none", "--", origin, folder)
        wanted = (f"{FOLDER}/{SEGMENTS}/", f"{FOLDER}/checkpoint", *PLACES)
        _git("-C", folder, "sparse-checkout", "set", "--no-cone", *(f"/{place}" for place in wanted))
        _git("-C", folder, "checkout", "--quiet")
        repository = find(folder)
        return origin, push(repository, url, people_key=people_key) if os.path.isdir(repository.folder) else None


def read_segment(store: "ObjectStore", place: str, size: int) -> tuple[Segment, bytes]:
    """Read a segment, and make sure that its name is its hash."""
    name = segments.name_of(place)
    if name is None or size > MAX_SEGMENT_BYTES:
        message = "the name is no hash" if name is None else f"longer than {MAX_SEGMENT_BYTES} bytes"
        raise StoredDamageError(place, 0, "UNREADABLE_SEGMENT", message)
    content = objects.get(store, place)
    digest = sha256(content).hexdigest()
    if digest != name:
        message = f"the content is not what it was: its hash is {digest[:16]}, not its name"
        raise StoredDamageError(place, 0, "WRONG_NAME", message)
    return segments.parse_header(content[: content.find(b"\n") + 1], name, place), content


def uncovered(store: "ObjectStore", prefix: str, known: Mapping[str, Segment]) -> Iterator[IntegrityError]:
    """Yield what the segments lack of those that the checkpoints of a repository stand for."""
    stored = objects.sizes(store, prefix)

    def content(file: str) -> bytes:
        return objects.get(store, f"{prefix}/{file}") if stored[file] <= signed_notes.MAX_BYTES else b""

    files = sorted(stored)
    for file, read in zip(files, objects.at_once(content, files, "comparing", "checkpoints"), strict=True):
        for problem in checkpoint.judge(read, known, file=f"{prefix}/{file}"):
            yield StoredDamageError(problem.file, problem.offset, problem.code, problem.message)


def _size(repository: Repository, name: str) -> int:
    return os.path.getsize(segments.path(repository.folder, name))


def _git(*arguments: str) -> None:
    """Run git where it may fetch, with no hook of anybody's."""
    command = ["git", "-c", f"core.hooksPath={os.devnull}", *arguments]
    try:
        done = subprocess.run(command, env=own_environment(), capture_output=True, text=True, check=False)
    except OSError as error:
        raise CloneError(f"git does not run: {error.strerror}") from None
    if done.returncode:
        raise CloneError(f"git could not clone: {done.stderr.strip()}")
