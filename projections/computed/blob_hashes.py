"""Name contents that git has as the ledger names them: by SHA-256, as they are stored and as a disk may have them."""

from collections.abc import Iterable, Mapping
from contextlib import closing

from linetrail.ledger.files import digest
from linetrail.ledger.repository import Repository
from linetrail.projections import remembered
from linetrail.projections.git.history import Objects, checked_out
from linetrail.projections.tables.computed_cache import folder as computed_folder
from linetrail.projections.tables.progress import each


def hashes(repository: Repository, blobs: Iterable[str]) -> Mapping[str, list[str]]:
    """Return the hashes of these blobs, each read once in the life of the cache; of what this clone lacks, none."""
    file = computed_folder(repository) / "commits" / "blobs.jsonl"
    known = dict(remembered.load(file, tuple[str, list[str]]))
    wanted = sorted(set(blobs))
    found: dict[str, list[str]] = {}
    with closing(Objects(repository)) as store:
        try:
            for blob in each([blob for blob in wanted if blob not in known], "reading contents", "files"):
                found[blob] = list(map(digest, checked_out(store.read(blob))))
        finally:
            remembered.append(file, [item for item in found.items() if item[1]])
    return {blob: known.get(blob) or found.get(blob, []) for blob in wanted}
