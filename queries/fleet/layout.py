"""What the tables of a store consist of, and where each object is.

A file of rows is named by its content, and the manifest says which files there are. A manifest is never changed: the
next one has a number more and is put only where none of this number is, so of two compactors one wins, whole.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from linetrail.ledger.errors import IntegrityError, LinetrailError, warn_of
from linetrail.ledger.event.event import GENESIS
from linetrail.ledger.files import sha256
from linetrail.queries.fleet import objects

if TYPE_CHECKING:
    from obstore.store import ObjectStore

# 1: first layout.
# 2: fingerprints add up.
SCHEMA_VERSION = 2
LAKE = "lake"
MANIFESTS = f"{LAKE}/manifests"
# Who may read a tier is for the store to say: each has a prefix of its own.
FACTS, EXCERPTS, PUBLIC, PRIVATE = "facts", "excerpts", "public", "private"
MONTH, BUCKET = "month", "bucket"
# Of a hash of a row.
_DIGITS = 16
# Below the lake: who asked what.
ASKED = "asked"


class NotBuiltError(LinetrailError):
    """A store has segments, and no tables yet."""

    hint = "linetrail fleet build URL"


class ManifestError(LinetrailError):
    """The manifest of a store cannot be read."""

    exit_status = 3
    hint = "linetrail fleet build URL --full"


class Rows(NamedTuple):
    """How many rows there are, and what names them whatever their order: exclusive or and sum of their hashes, in hex.

    Both add up: rows in several files are named as they would be in one.
    """

    number: int
    fingerprint: str


class File(NamedTuple):
    """A file of rows; `slice` is its table and its partition, `fingerprint` follows from its rows alone."""

    path: str
    slice: str
    rows: int
    bytes: int
    sha256: str
    fingerprint: str

    @property
    def content(self) -> Rows:
        """What names its rows."""
        return Rows(self.rows, self.fingerprint)


class Column(NamedTuple):
    """A column of a table; `kind` is that of `columns.toml`."""

    name: str
    type: str
    kind: str
    comment: str | None


class FleetTable(NamedTuple):
    """A table over all repositories, in the tier that its folder is in."""

    name: str
    tier: str
    about: str
    columns: tuple[Column, ...]
    partitioned_by: tuple[str, ...]
    sorted_by: tuple[str, ...]
    files: tuple[File, ...] = ()

    @property
    def path(self) -> str:
        return f"{LAKE}/{self.tier}/{self.name}"

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)


class Damage(NamedTuple):
    """What is wrong with a segment, which the tables are without."""

    file: str
    offset: int
    code: str
    message: str


class Manifest(NamedTuple):
    """All tables of a store as one build left them. `state` are the objects that the next build goes on from."""

    generation: int
    buckets: int
    repositories: int = 0
    tables: tuple[FleetTable, ...] = ()
    state: tuple[File, ...] = ()
    damage: tuple[Damage, ...] = ()
    # how many questions had been asked, and the hash of the last of them
    asked: int = 0
    asked_head: str = GENESIS

    def files(self) -> tuple[File, ...]:
        """Return every object that this manifest stands for."""
        return (*(file for table in self.tables for file in table.files), *self.state)

    def warn(self) -> None:
        """Warn of what the tables are without."""
        warn_of(IntegrityError(*damage) for damage in self.damage)

    def named(self, tier: str) -> Mapping[str, FleetTable]:
        return {table.name: table for table in self.tables if table.tier == tier}


def newest(store: "ObjectStore") -> Manifest | None:
    """Return the manifest that counts; None before the first build."""
    names = manifests(store)
    return parse(objects.get(store, names[-1]), names[-1]) if names else None


def require(store: "ObjectStore", url: str) -> Manifest:
    """Return the manifest that counts, or raise."""
    found = newest(store)
    if found is None:
        raise NotBuiltError(f"{url} has no tables yet", f"linetrail fleet build {url}")
    return found


def manifests(store: "ObjectStore") -> list[str]:
    """Return the names of the manifests, the one that counts last."""
    return [f"{MANIFESTS}/{name}" for name in sorted(objects.sizes(store, MANIFESTS))]


def name_of(generation: int) -> str:
    return f"{MANIFESTS}/{generation:08}.json"


def generation_of(name: str) -> int:
    """Return the number of a manifest by its name.

    >>> generation_of(name_of(12))
    12
    """
    return int(name.rpartition("/")[2].removesuffix(".json"))


def render(manifest: Manifest) -> bytes:
    document = {
        "schema_version": SCHEMA_VERSION,
        **manifest._asdict(),
        "tables": [
            table._asdict()
            | {
                "columns": [column._asdict() for column in table.columns],
                "path": table.path,
                "rows": table.rows,
                "files": [file._asdict() for file in table.files],
            }
            for table in manifest.tables
        ],
        "state": [file._asdict() for file in manifest.state],
        "damage": [damage._asdict() for damage in manifest.damage],
    }
    # on one line: without indentation C writes it, in a twentieth of the time
    return json.dumps(document, ensure_ascii=False).encode() + b"\n"


def parse(content: bytes, name: str) -> Manifest:
    try:
        told = json.loads(content)
        if told["schema_version"] != SCHEMA_VERSION:
            raise ManifestError(f"{name} has layout {told['schema_version']}, not {SCHEMA_VERSION}")
        return Manifest(
            told["generation"],
            told["buckets"],
            told["repositories"],
            tuple(_table(table) for table in told["tables"]),
            _files(told["state"]),
            tuple(Damage(**damage) for damage in told["damage"]),
            told["asked"],
            told["asked_head"],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ManifestError(f"{name} is no manifest: {error}") from None


def damage_of(error: IntegrityError) -> Damage:
    return Damage(error.file, error.offset, error.code, error.message)


def is_no_builds(name: str) -> bool:
    """Return whether an object of the lake is written by others: who asked what, and the log of a Delta table."""
    return name.startswith(f"{LAKE}/{ASKED}/") or "/_delta_log/" in name


def fingerprint(files: Iterable[File]) -> str:
    """Return what names the rows of files, whatever the files are called and however many there are."""
    said = sorted((name, *together(file.content for file in of)) for name, of in by_slice(files).items())
    return sha256(json.dumps(said).encode()).hexdigest()


def together(found: Iterable[Rows]) -> Rows:
    """Return what names all of these rows.

    >>> one, other = Rows(1, f"{7:016x}{7:016x}"), Rows(2, f"{5:016x}{(1 << 64) - 1:016x}")
    >>> together([one, other])
    Rows(number=3, fingerprint='00000000000000020000000000000006')
    """
    number = either = total = 0
    for one in found:
        number += one.number
        either ^= int(one.fingerprint[:_DIGITS], 16)
        total += int(one.fingerprint[_DIGITS:], 16)
    return rows_named(number, either, total)


def rows_named(number: int, either: int, total: int) -> Rows:
    """Return rows by their number, and by exclusive or and sum of their hashes of 64 bits."""
    return Rows(number, f"{either:0{_DIGITS}x}{total % 16**_DIGITS:0{_DIGITS}x}")


def by_slice(files: Iterable[File]) -> dict[str, list[File]]:
    found: dict[str, list[File]] = {}
    for file in files:
        found.setdefault(file.slice, []).append(file)
    return found


def _table(told: Mapping[str, Any]) -> FleetTable:
    return FleetTable(
        told["name"],
        told["tier"],
        told["about"],
        tuple(Column(**column) for column in told["columns"]),
        tuple(told["partitioned_by"]),
        tuple(told["sorted_by"]),
        _files(told["files"]),
    )


def _files(told: Sequence[Mapping[str, Any]]) -> tuple[File, ...]:
    return tuple(File(**file) for file in told)
