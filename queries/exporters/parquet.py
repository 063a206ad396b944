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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from linetrail.ledger.errors import UsageError
from linetrail.ledger.files import publish
from linetrail.projections.tables.progress import each
from linetrail.projections.tables.sql_text import quoted
from linetrail.projections.tables.tables import Tables, bounded
from linetrail.queries.exporters import lake_manifest
from linetrail.queries.exporters.formats import Asked
from linetrail.queries.exporters.lake import (
    EVENTS,
    MONTH,
    NO_MONTH,
    SCHEMA_VERSION,
    LakeTable,
    dictionary,
    lake_tables,
    schema,
)
from linetrail.queries.exporters.lake_manifest import ASIDE, File, OccupiedError, earlier, sha256
from linetrail.queries.exporters.output import place, writing
from linetrail.queries.render.text import counted

DICTIONARY, SCHEMA = "dictionary.md", "schema.json"
MEMORY = "1GB"
_PUBLIC = 0o644
_COPY = "format parquet, compression zstd, row_group_size 122880"
_META = "select name, val from v_meta"


class Slice(NamedTuple):
    """What becomes one file: a table, or a month of the events. `fingerprint` follows from its rows alone."""

    table: LakeTable
    month: str | None
    rows: int
    fingerprint: str

    @property
    def path(self) -> str:
        folder = self.table.path if self.month is None else f"{self.table.path}/{MONTH}={self.month}"
        return f"{folder}/part-0.parquet"


def export(asked: Asked) -> None:
    """Bring the lake up to the ledger."""
    if asked.out is None:
        raise UsageError("parquet is many files: name a folder with --out")
    folder = place(asked) or ""
    with bounded(asked.repository, MEMORY) as tables:
        tables.connection.execute("set threads = 1")  # or the borders of row groups would depend on the machine
        meta = dict(tables.ask(_META).rows)
        before = earlier(folder, meta.get("repo_id"))
        found = lake_tables(tables, meta.get("repo_id"))
        slices = [piece for table in each(found, "comparing", "tables") for piece in _slices(tables, table)]
        _require_room(folder, before, [piece.path for piece in slices])
        kept = {
            piece.path: before[piece.path]
            for piece in slices
            if piece.path in before and _is_same(folder, before[piece.path], piece)
        }
        if not asked.dry_run:
            with writing(folder), _aside(folder) as aside:
                new = [one for one in slices if one.path not in kept]
                made = {one.path: _write(tables, one, aside) for one in each(new, "exporting", "files")}
                own = _by_table(slices, kept | made)
                _put(folder, lake_manifest.NAME, lake_manifest.text(meta, found, own))
                _move(aside, folder, made)
            _put(folder, DICTIONARY, dictionary(found))
            _put(folder, SCHEMA, schema(found))
            _remove(folder, [known for path, known in before.items() if path not in kept and path not in made])
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
    # a table without a row has a file, too: a reader that is given a pattern wants one
    rows = rows or [(NO_MONTH if table.name == EVENTS else None, 0, None, None)]
    for value, count, *hashes in rows:
        said = json.dumps(
            [version, SCHEMA_VERSION, [column[:2] for column in table.columns], table.order, count, *hashes]
        )
        yield Slice(table, value, count, hashlib.sha256(said.encode()).hexdigest())


def _by_table(slices: Sequence[Slice], files: Mapping[str, File]) -> Mapping[str, list[File]]:
    own: dict[str, list[File]] = {}
    for piece in slices:
        own.setdefault(piece.table.name, []).append(files[piece.path])
    return own


def _move(aside: str, folder: str, paths: Iterable[str]) -> None:
    for path in paths:
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        os.replace(os.path.join(aside, _flat(path)), os.path.join(folder, path))


def _write(tables: Tables, piece: Slice, aside: str) -> File:
    table = piece.table
    file = os.path.join(aside, _flat(piece.path))
    columns = ", ".join(quoted(column.name) for column in table.columns)
    ids = ", ".join(f"{quoted(column.name)}: {column.field_id}" for column in table.columns)
    chosen = "" if piece.month is None else f"where {MONTH} = $month"
    sql = f"""
        copy (select {columns} from ({table.select}) {chosen} order by {", ".join(table.order)})
        to $file ({_COPY}, field_ids {{{ids}}})
    """  # noqa: S608  names of our own views and columns
    given = {"file": file} | ({} if piece.month is None else {"month": piece.month})
    tables.connection.execute(sql, given)
    return File(piece.path, piece.rows, os.path.getsize(file), sha256(file), piece.fingerprint)


def _require_room(folder: str, before: Mapping[str, File], paths: Sequence[str]) -> None:
    """Refuse to overwrite a file that no export wrote."""
    for path in paths if before else ():
        if path not in before and os.path.lexists(os.path.join(folder, path)):
            raise OccupiedError(f"{os.path.join(folder, path)} was not written by an export")


def _is_same(folder: str, known: File, piece: Slice) -> bool:
    if known.fingerprint != piece.fingerprint:
        return False
    try:
        return sha256(os.path.join(folder, known.path)) == known.sha256
    except OSError:
        return False


def _remove(folder: str, gone: Iterable[File]) -> None:
    """Remove files of the last export, and folders that they leave empty, unless somebody changed them."""
    for known in gone:
        path = os.path.join(folder, known.path)
        with contextlib.suppress(OSError):
            if sha256(path) == known.sha256:
                os.unlink(path)
                os.rmdir(os.path.dirname(path))


@contextlib.contextmanager
def _aside(folder: str) -> Iterator[str]:
    os.makedirs(folder, exist_ok=True)
    aside = tempfile.mkdtemp(prefix=ASIDE, dir=folder)
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
