"""Read every object that a store should have, and say which is gone, changed, replaced or one too many."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from linetrail.ledger.errors import IntegrityError
from linetrail.ledger.hashes import sha256
from linetrail.queries.fleet import access, layout, objects
from linetrail.queries.fleet.layout import LAKE, File, Manifest
from linetrail.queries.fleet.lease import LEASE

if TYPE_CHECKING:
    from obstore.store import ObjectStore


class LakeDamageError(IntegrityError):
    """An object of the tables is not what the last build put there."""

    hint = "linetrail fleet build URL --full"


def check(url: str) -> tuple[int, list[IntegrityError]]:
    """Return how many objects of the last build were read, and what is wrong with the store."""
    store = objects.open_store(url)
    manifest = layout.require(store, url)
    there = {f"{LAKE}/{name}" for name in objects.sizes(store, LAKE)}
    files = sorted(manifest.files())
    judged = objects.at_once(lambda file: _judged(store, file, there), files, "reading", "objects")
    problems = [problem for problem in judged if problem is not None]
    problems += _strange(manifest, there)
    try:
        access.require_all(store, manifest.asked, manifest.asked_head)
    except IntegrityError as error:
        problems.append(error)
    return len(files), problems


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
