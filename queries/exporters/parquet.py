"""Write a lake: Parquet files of all events by month and of every view, with a manifest, a dictionary and a schema.

Equal ledgers give equal files. What did not change since the last export stays as it is, and nothing is removed that
the manifest does not name. Files are made aside; the manifest goes first into its place, and whatever a crash leaves
unlike it is made anew the next time.
"""

import contextlib
import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from linetrail.ledger.errors import LinetrailError, UsageError
from linetrail.ledger.files import publish
from linetrail.projections.tables import Tables, open_tables
from linetrail.queries.exporters.formats import Asked
from linetrail.queries.exporters.lake import (
    EVENTS,
    MONTH,
    SCHEMA_VERSION,
    LakeTable,
    dictionary,
    lake_tables,
    quoted,
    schema,
)
from linetrail.queries.exporters.output import place, writing
from linetrail.queries.render import counted

MANIFEST, DICTIONARY, SCHEMA = "manifest.json", "dictionary.md", "schema.json"
TOOL = "linetrail"
MEMORY = "1GB"
_ASIDE = ".linetrail-"
_PUBLIC = 0o644
_COPY = "format parquet, compression zstd, row_group_size 122880"
_META = "select name, val from v_meta"


class OccupiedError(LinetrailError):
    """The folder holds something else, which might be overwritten or taken for a part of the lake."""

    hint = "give --out an empty folder, or one that an earlier export made"


class Slice(NamedTuple):
    """What becomes one file: a table, or a month of the events. `fingerprint` follows from its rows alone."""

    table: LakeTable
    month: str | None
    rows: int
    fingerprint: str

    @property
    def path(self) -> str:
        """Where its file is, below the lake."""
        folder = self.table.path if self.month is None else f"{self.table.path}/{MONTH}={self.month}"
        return f"{folder}/part-0.parquet"


class File(NamedTuple):
    """A file as the manifest lists it."""

    path: str
    rows: int
    bytes: int
    sha256: str
    fingerprint: str


def export(asked: Asked) -> None:
    """Bring the lake up to the ledger."""
    if asked.out is None:
        raise UsageError("parquet is many files: name a folder with --out")
    folder = place(asked) or ""
    with open_tables(asked.repository) as tables:
        tables.connection.execute(f"set threads = 1; set memory_limit = '{MEMORY}'")
        meta = dict(tables.ask(_META).rows)
        before = _before(folder, meta)
        found = lake_tables(tables, meta.get("repo_id"))
        slices = [piece for table in found for piece in _slices(tables, table)]
        _require_room(folder, before, [piece.path for piece in slices])
        kept = {
            piece.path: before[piece.path]
            for piece in slices
            if piece.path in before and _is_same(folder, before[piece.path], piece)
        }
        if asked.dry_run:
            _say(asked, slices, kept)
            return
        with writing(folder), _aside(folder) as aside:
            tables.connection.execute(f"set temp_directory = '{aside.replace(chr(39), chr(39) * 2)}'")
            made = {piece.path: _write(tables, piece, aside) for piece in slices if piece.path not in kept}
            files = kept | made
            _put(folder, MANIFEST, _manifest(meta, found, slices, files))
            for path in made:
                os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
                os.replace(os.path.join(aside, _flat(path)), os.path.join(folder, path))
            _put(folder, DICTIONARY, dictionary(found))
            _put(folder, SCHEMA, schema(found))
            for path in before.keys() - files.keys():
                _remove(folder, before[path])
    _say(asked, slices, kept)


def _slices(tables: Tables, table: LakeTable) -> Iterator[Slice]:
    """Yield what becomes files, with a fingerprint of the rows that does not depend on their order."""
    month = MONTH if table.name == EVENTS else "null"
    sql = f"""
        select {month} as month, count(*), bit_xor(hash(piece)), sum(hash(piece))
        from ({table.select}) as piece
        group by all
        order by all
    """  # noqa: S608  names of our own views and columns
    version = tables.connection.execute("select version()").fetchall()[0][0]
    rows = tables.connection.execute(sql).fetchall()
    if not rows and table.name != EVENTS:
        rows = [(None, 0, None, None)]
    for value, count, *hashes in rows:
        said = json.dumps(
            [version, SCHEMA_VERSION, [column[:2] for column in table.columns], table.order, count, *hashes]
        )
        yield Slice(table, value, count, hashlib.sha256(said.encode()).hexdigest())


def _write(tables: Tables, piece: Slice, aside: str) -> File:
    table = piece.table
    file = os.path.join(aside, _flat(piece.path))
    columns = ", ".join(quoted(column.name) for column in table.columns)
    ids = ", ".join(f"{quoted(column.name)}: {column.field_id}" for column in table.columns)
    chosen = "" if piece.month is None else f"where {MONTH} = $month"
    sql = f"""
        copy (select {columns} from ({table.select}) {chosen} order by {table.order})
        to $file ({_COPY}, field_ids {{{ids}}})
    """  # noqa: S608  names of our own views and columns
    given = {"file": file} | ({} if piece.month is None else {"month": piece.month})
    tables.connection.execute(sql, given)
    return File(piece.path, piece.rows, os.path.getsize(file), _sha256(file), piece.fingerprint)


def _manifest(
    meta: Mapping[str, str], found: Sequence[LakeTable], slices: Sequence[Slice], files: Mapping[str, File]
) -> str:
    told = []
    for table in found:
        own = [files[piece.path] for piece in slices if piece.table.name == table.name]
        described = [
            {"name": one.name, "type": one.type, "field_id": one.field_id, "comment": one.comment}
            for one in table.columns
        ]
        told.append(
            {
                "name": table.name,
                "about": table.about,
                "path": table.path,
                "partitioned_by": [MONTH] if table.name == EVENTS else [],
                "sorted_by": ["repo_id", "session_id", "seq"] if table.name == EVENTS else "all columns",
                "rows": sum(file.rows for file in own),
                "columns": described,
                "files": [file._asdict() for file in own],
            }
        )
    names = ("repo_id", "ledger_head", "events", "head_revision")
    document = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": TOOL, "version": meta.get("tool_version")},
        "ledger": {name: meta.get(name) for name in names},
        "tables": told,
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _before(folder: str, meta: Mapping[str, str]) -> dict[str, File]:
    """Return what an earlier export wrote here; a folder that something else is in is refused."""
    try:
        names = [name for name in os.listdir(folder) if not name.startswith(_ASIDE)]
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise OccupiedError(f"{folder} is no folder that a lake can be in: {error.strerror}") from None
    if not names:
        return {}
    try:
        with open(os.path.join(folder, MANIFEST), encoding="utf-8") as file:
            manifest = json.load(file)
        if manifest["tool"]["name"] != TOOL or manifest["schema_version"] != SCHEMA_VERSION:
            raise OccupiedError(f"{folder} is a lake of another layout")
        listed = [File(**file) for table in manifest["tables"] for file in table["files"]]
        owner = manifest["ledger"]["repo_id"]
    except FileNotFoundError:
        raise OccupiedError(f"{folder} holds something else: {min(names)}") from None
    except (OSError, ValueError, TypeError, KeyError):
        raise OccupiedError(f"{os.path.join(folder, MANIFEST)} is no manifest of a lake") from None
    if owner is not None and meta.get("repo_id") not in {None, owner}:
        raise OccupiedError(f"{folder} is the lake of another repository, {owner}")
    return {file.path: file for file in listed}


def _require_room(folder: str, before: Mapping[str, File], paths: Sequence[str]) -> None:
    """Refuse to overwrite a file that no export wrote."""
    for path in [*paths] if before else []:
        if path not in before and os.path.lexists(os.path.join(folder, path)):
            raise OccupiedError(f"{os.path.join(folder, path)} was not written by an export")


def _is_same(folder: str, known: File, piece: Slice) -> bool:
    if known.fingerprint != piece.fingerprint:
        return False
    try:
        return _sha256(os.path.join(folder, known.path)) == known.sha256
    except OSError:
        return False


def _remove(folder: str, known: File) -> None:
    """Remove a file of the last export, and the folder that it leaves empty, unless somebody changed it."""
    path = os.path.join(folder, known.path)
    with contextlib.suppress(OSError):
        if _sha256(path) == known.sha256:
            os.unlink(path)
            os.rmdir(os.path.dirname(path))


@contextlib.contextmanager
def _aside(folder: str) -> Iterator[str]:
    os.makedirs(folder, exist_ok=True)
    aside = tempfile.mkdtemp(prefix=_ASIDE, dir=folder)
    try:
        yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _put(folder: str, name: str, text: str) -> None:
    publish(os.path.join(folder, name), text.encode(), durable=False, mode=_PUBLIC)


def _say(asked: Asked, slices: Sequence[Slice], kept: Mapping[str, File]) -> None:
    rows = sum(piece.rows for piece in slices)
    verb = "would be written" if asked.dry_run else "written"
    new = len(slices) - len(kept)
    print(f"{counted(new, 'file')} {verb} to {asked.out}, {len(kept):,} unchanged: {rows:,} rows", file=sys.stderr)


def _flat(path: str) -> str:
    return path.replace("/", "+")


def _sha256(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
