"""Read every object that a store should have, and say which is gone, changed, replaced or one too many."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from linetrail.ledger.errors import IntegrityError
from linetrail.ledger.files import sha256
from linetrail.queries.fleet import access, layout, objects, repositories
from linetrail.queries.fleet.layout import LAKE, File, Manifest
from linetrail.queries.fleet.lease import LEASE
from linetrail.queries.fleet.pull import read_segment, uncovered
from linetrail.queries.fleet.push import heads_of, segments_of

if TYPE_CHECKING:
    from obstore.store import ObjectStore

    from linetrail.ledger.log.segments import Segment


class LakeDamageError(IntegrityError):
    """An object of the tables is not what the last build put there."""

    hint = "linetrail fleet build URL --full"


def check(url: str) -> tuple[int, list[IntegrityError]]:
    """Return how many objects were read, segments and those of the last build, and what is wrong with the store."""
    store = objects.open_store(url)
    manifest = layout.require(store, url)
    there = {f"{LAKE}/{name}" for name in objects.sizes(store, LAKE)}
    named = sorted(manifest.files())
    files = [file.path for file in named]
    judged = objects.at_once(lambda file: _judged(store, file, there), named, "reading", "objects")
    problems = [problem for problem in judged if problem is not None]
    problems += _strange(manifest, there)
    try:
        access.require_all(store, manifest.asked, manifest.asked_head)
    except IntegrityError as error:
        problems.append(error)
    segments = {repo: one.segments for repo, one in repositories.stored(store).items()}
    for repo in sorted({*segments, *repositories.with_heads(store)}):
        problems += _of_segments(store, repo, segments.get(repo, {}))
        files += segments.get(repo, {})
    return len(files), problems


def _of_segments(store: "ObjectStore", repo_id: str, sizes: Mapping[str, int]) -> Iterator[IntegrityError]:
    """Yield what is wrong with the segments of a repository, and which its checkpoints stand for and that are gone."""
    known: dict[str, Segment] = {}
    for file, size in sorted(sizes.items()):
        try:
            segment, _ = read_segment(store, f"{segments_of(repo_id)}/{file}", size)
        except IntegrityError as error:
            yield error
        else:
            known[segment.name] = segment
    yield from uncovered(store, heads_of(repo_id), known)


def _judged(store: "ObjectStore", file: File, there: set[str]) -> IntegrityError | None:
    if file.path not in there:
        return LakeDamageError(file.path, 0, "OBJECT_MISSING", "the manifest names it, and it is gone")
    digest = sha256(objects.get(store, file.path)).hexdigest()
    if digest != file.sha256:
        return LakeDamageError(file.path, 0, "OBJECT_CHANGED", f"its hash is {digest[:16]}, not {file.sha256[:16]}")
    return None


def _strange(manifest: Manifest, there: set[str]) -> Iterator[IntegrityError]:
    ours = {file.path for file in manifest.files()} | {layout.name_of(manifest.generation), LEASE}
    for name in sorted(there - ours):
        if not layout.is_no_builds(name):
            yield LakeDamageError(name, 0, "OBJECT_STRANGE", "no manifest names it; who reads by pattern reads it, too")
