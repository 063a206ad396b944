"""What a store has of each repository, and what the last build knows of it.

What the rows of a repository follow from has a name, its key. So whether it has to be looked at is known from names
alone, and how many repositories there are costs a build next to nothing.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from linetrail.ledger.files import sha256
from linetrail.ledger.log import segments
from linetrail.projections.tables import models
from linetrail.projections.tables.parquet import engine
from linetrail.queries.fleet import columns, objects, owners, people
from linetrail.queries.fleet.groups import groups
from linetrail.queries.fleet.layout import BUCKET, LAKE, Damage, File, Rows
from linetrail.queries.fleet.push import segments_of

if TYPE_CHECKING:
    from obstore.store import ObjectStore

SEGMENTS, HEADS = "segments", "heads"
STATE = "state"
# Another number where the same segments give other rows.
VERSION = 3
# The place of an event is its place in its repository, below the number of that: both fit what JSON can tell exactly.
_PLACE_BITS, _NUMBER_BITS = 31, 22
_REPO = re.compile(r"repo=([0-9a-f]{7,64})/(.+)")


class Stored(NamedTuple):
    """A repository in a store: its segments with their sizes, and what its places begin with."""

    repo_id: str
    number: int
    segments: Mapping[str, int]
    # who recorded each segment, as far as a push said so; the object with the owners of files
    people: Mapping[str, str]
    owners: str | None

    @property
    def place(self) -> str:
        return segments_of(self.repo_id)


class Known(NamedTuple):
    """What a build knows of a repository: `key` names all that its rows follow from, `slices` the rows themselves."""

    repo_id: str
    key: str
    slices: Mapping[str, Rows]
    erased: tuple[str, ...]
    damage: tuple[Damage, ...]


def stored(store: "ObjectStore") -> dict[str, Stored]:
    """Return the repositories of a store by their ids; whatever no push can have put there is passed over."""
    found: dict[str, dict[str, int]] = {}
    for name, size in objects.sizes(store, SEGMENTS).items():
        place = _REPO.fullmatch(name)
        if place and segments.name_of(place[2]) is not None:
            found.setdefault(place[1], {})[place[2]] = size
    numbers, writers = numbered(found), people.of_segments(store)
    teams: dict[str, str] = {}
    for name in sorted(objects.sizes(store, owners.OWNERS)):
        if place := _REPO.fullmatch(name):
            teams[place[1]] = f"{owners.OWNERS}/{name}"
    return {
        repo: Stored(repo, numbers[repo], found[repo], writers.get(repo, {}), teams.get(repo)) for repo in sorted(found)
    }


def with_heads(store: "ObjectStore") -> set[str]:
    """Return the repositories that ever pushed all that they had."""
    return {place[1] for name in objects.sizes(store, HEADS) if (place := _REPO.fullmatch(name))}


def numbered(repositories: Iterable[str]) -> dict[str, int]:
    """Return what is added to the places of each repository, so that no two have the same.

    >>> [number >> 31 for number in numbered(["00000400aa", "00000400bb", "ffffffff"]).values()]
    [1, 2, 4194303]
    """
    taken: dict[int, str] = {}
    for repo in sorted(repositories):
        number = int(repo[:8].ljust(8, "0"), 16) >> (32 - _NUMBER_BITS)
        while number in taken:
            number = (number + 1) % (1 << _NUMBER_BITS)
        taken[number] = repo
    return {repo: number << _PLACE_BITS for number, repo in taken.items()}


def key(repository: Stored, *, excerpts: bool) -> str:
    """Return the name of all that the rows of a repository follow from."""
    told = [sorted(repository.segments), sorted(repository.people.items()), repository.owners]
    said = [VERSION, repository.number, told, excerpts, _programs()]
    return sha256(json.dumps(said).encode()).hexdigest()


def bucket_of(repo_id: str, buckets: int) -> str:
    """Return the bucket that the rows of a repository are in.

    >>> bucket_of("0000000f", 8), bucket_of("0000000f", 128)
    ('7', '015')
    """
    number = int(repo_id[:8], 16) % buckets
    return f"{number:0{len(str(buckets - 1))}}"


def known(store: "ObjectStore", state: Iterable[File]) -> dict[str, Known]:
    """Return what the build that left these objects knows of each repository."""
    found = [Known(**told) for file in state for told in json.loads(objects.get(store, file.path))]
    return {
        one.repo_id: one._replace(
            slices={name: Rows(*rows) for name, rows in one.slices.items()},
            erased=tuple(one.erased),
            damage=tuple(Damage(*damage) for damage in one.damage),
        )
        for one in found
    }


def render(bucket: str, repositories: Iterable[Known]) -> tuple[File, bytes]:
    """Return what a build knows of the repositories of a bucket, as an object of the store."""
    told = [one._asdict() for one in sorted(repositories)]
    content = json.dumps(told, ensure_ascii=False, sort_keys=True).encode()
    name = sha256(content).hexdigest()
    place = f"{STATE}/{BUCKET}={bucket}"
    return File(f"{LAKE}/{place}/{name[:16]}.json", place, len(told), len(content), name, name), content


def slices_of(known: Known | None) -> Mapping[str, Rows]:
    """Return the rows of a repository by table and month; of one that is not there none."""
    return known.slices if known else {}


def changed_slices(before: Known | None, now: Known | None) -> Iterator[str]:
    """Yield the tables and months in which a repository has other rows than before."""
    old, new = slices_of(before), slices_of(now)
    yield from (name for name in sorted({*old, *new}) if old.get(name) != new.get(name))


@cache
def _programs() -> list[str]:
    told = json.dumps([columns.text(), [group.queries for group in groups()]]).encode()
    return [models.digest((*models.facts(), *models.derived(), *models.views())), engine(), sha256(told).hexdigest()]
