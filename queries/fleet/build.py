"""Make the tables over all repositories of a store: one compactor, from the segments alone.

A repository whose segments are those of the last build is not looked at. The rows of the others are worked out anew, in
a folder that may keep what its earlier segments say, and put among those of their bucket; a file in which nothing
changed stays, and where rows only came, a file with them is put beside those that are there. So a build after one new
segment costs little more than what is new, and its fingerprints are those of a build from nothing.
"""

import shutil
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from linetrail.ledger.errors import IntegrityError, UsageError
from linetrail.ledger.files import publish, sha256
from linetrail.ledger.log import segments
from linetrail.ledger.repository import FOLDER
from linetrail.projections.tables.progress import each
from linetrail.queries.fleet import (
    access,
    groups,
    layout,
    objects,
    partition_files,
    repositories,
    repository_rows,
)
from linetrail.queries.fleet.erasure import rows_left
from linetrail.queries.fleet.layout import (
    BUCKET,
    LAKE,
    PRIVATE,
    Damage,
    File,
    FleetTable,
    Manifest,
    ManifestError,
    Rows,
    damage_of,
)
from linetrail.queries.fleet.lease import LEASE, BusyError, lease
from linetrail.queries.fleet.partition_files import Sources
from linetrail.queries.fleet.pull import read_segment
from linetrail.queries.fleet.repositories import Known, Stored, bucket_of, changed_slices, slices_of
from linetrail.queries.fleet.repository_rows import Made, Task

if TYPE_CHECKING:
    import duckdb
    from obstore.store import ObjectStore

# Of a store that is new: at ten million events a month a file of events has some 100 MB.
BUCKETS, MAX_BUCKETS = 8, 4_096
# So few repositories are not worth other processes, which take a second to begin; more at once need more memory.
_FEW, _AT_ONCE = 8, 2
# So many files a slice may have before they are written as one.
MOST_FILES = 8
_ROWS = "rows"
# What a manifest says besides its tables: it alone is no reason for another one.
_PASSING = ("generation", "asked", "asked_head")


class Built(NamedTuple):
    """What a build did. `left` are rows that name something erased, of which there may be none.

    `uncounted` are segments of which no push said who recorded them.
    """

    manifest: Manifest
    changed: int
    gone: int
    written: int
    erased: int
    left: int
    uncounted: int


class _Step(NamedTuple):
    """What the writing of files goes by: where, and what is known of each repository before and now."""

    store: "ObjectStore"
    scratch: Path
    connection: "duckdb.DuckDBPyConnection"
    before: Mapping[str, Known]
    now: Mapping[str, Known]

    @property
    def rows(self) -> str:
        """The folder in which the rows of each repository wait."""
        return str(self.scratch / _ROWS)


class _Files(NamedTuple):
    """The files that stay, by their slices, and those that wait in a folder to be put into the store."""

    kept: dict[str, list[File]]
    fresh: dict[Path, File]

    def of(self, table: FleetTable) -> tuple[File, ...]:
        every = [*(file for files in self.kept.values() for file in files), *self.fresh.values()]
        return tuple(sorted(file for file in every if f"{file.slice}/".startswith(f"{table.tier}/{table.name}/")))


def build(
    url: str,
    *,
    full: bool = False,
    buckets: int | None = None,
    excerpts: bool = False,
    take_over: bool = False,
    work: Path | None = None,
) -> Built:
    """Bring the tables of a store up to its segments; with `full`, or with another number of buckets, from nothing.

    What is worked out of each repository is kept for the next build in the folder `work`, if one is given.
    """
    if buckets is not None and not 1 <= buckets <= MAX_BUCKETS:
        raise UsageError(f"--buckets is a number from 1 to {MAX_BUCKETS:,}, not {buckets}")
    store = objects.open_store(url)
    with lease(store, take_over=take_over), tempfile.TemporaryDirectory(prefix="linetrail-fleet-") as scratch:
        last = _last(store, full=full)
        number = buckets or (last.buckets if last else BUCKETS)
        base = None if full or last is None or last.buckets != number else last
        first = Manifest((last.generation if last else 0) + 1, number)
        ledgers = _ledgers(work or Path(scratch), url)
        if base is None:
            shutil.rmtree(ledgers)
        return _build(store, Path(scratch), ledgers, base, first, excerpts=excerpts)


def _ledgers(work: Path, url: str) -> Path:
    """Return the folder with the ledgers of the repositories of a store, and with what was worked out of them."""
    ledgers = work / sha256(url.encode()).hexdigest()[:16]
    try:
        ledgers.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--work {work} is no folder that can be written: {error.strerror}") from None
    return ledgers


def _last(store: "ObjectStore", *, full: bool) -> Manifest | None:
    """Return the manifest of the last build; of one that cannot be read its number is enough to build anew."""
    try:
        return layout.newest(store)
    except ManifestError:
        if not full:
            raise
        return Manifest(layout.generation_of(layout.manifests(store)[-1]), BUCKETS)


def _build(
    store: "ObjectStore", scratch: Path, ledgers: Path, base: Manifest | None, first: Manifest, *, excerpts: bool
) -> Built:
    """Build on what the last build left, if anything; `first` is the new manifest, yet without a file."""
    there = repositories.stored(store)
    keys = {repo: repositories.key(one, excerpts=excerpts) for repo, one in there.items()}
    before = repositories.known(store, base.state) if base else {}
    changed = [repo for repo in there if repo not in before or before[repo].key != keys[repo]]
    gone = sorted(before.keys() - there.keys())
    for kept in ledgers.glob("*"):
        if kept.name not in there:
            shutil.rmtree(kept)
    now = {repo: one for repo, one in before.items() if repo in there}
    tables = _unfilled(base, excerpts=excerpts) if not changed else ()
    for made in _rows(store, [there[repo] for repo in changed], before, scratch, ledgers, excerpts=excerpts):
        now[made.repo_id] = Known(made.repo_id, keys[made.repo_id], made.slices, made.erased, made.damage)
        tables = made.tables
    files = _Files(layout.by_slice(file for table in base.tables for file in table.files) if base else {}, {})
    with partition_files.database(scratch) as connection:
        step = _Step(store, scratch, connection, before, now)
        touched = {repo: bucket_of(repo, first.buckets) for repo in sorted({*changed, *gone})}
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            buckets = {bucket: [repo for repo in touched if touched[repo] == bucket] for bucket in touched.values()}
            written = [
                pool.submit(_write_bucket, step, tables, *one, files, first.buckets) for one in sorted(buckets.items())
            ]
            for one in each(written, "writing", "buckets"):
                one.result()
        if touched:
            _write_cells(step, tables, files)
        state = dict(repositories.render(bucket, of) for bucket, of in _by_bucket(now, first.buckets).items())
        manifest = first._replace(
            repositories=len(now),
            tables=tuple(table._replace(files=files.of(table)) for table in tables),
            state=tuple(sorted(state)),
            damage=tuple(found for repo in sorted(now) for found in now[repo].damage),
        )
        if base is not None and manifest._replace(**{name: getattr(base, name) for name in _PASSING}) == base:
            manifest = base
        else:
            asked, head = access.end(store)
            manifest = manifest._replace(asked=asked, asked_head=head)
            _put(store, manifest, files.fresh, state)
        erased = sorted({name for one in now.values() for name in one.erased})
        left = rows_left(step.store, scratch, connection, manifest, erased, gone)
    uncounted = sum(segments.name_of(file) not in one.people for one in there.values() for file in one.segments)
    return Built(manifest, len(changed), len(gone), len(files.fresh), len(erased), left, uncounted)


def _unfilled(base: Manifest | None, *, excerpts: bool) -> tuple[FleetTable, ...]:
    """Return the tables without a file where no repository says anew what they are."""
    if base is None:
        return repository_rows.empty_tables(excerpts=excerpts)
    return tuple(table._replace(files=()) for table in base.tables)


def _rows(
    store: "ObjectStore",
    wanted: Sequence[Stored],
    before: Mapping[str, Known],
    scratch: Path,
    ledgers: Path,
    *,
    excerpts: bool,
) -> Iterator[Made]:
    """Yield what becomes of each repository; its rows wait in a folder, its ledger goes where nobody keeps it."""
    out = scratch / _ROWS
    out.mkdir()
    alone = len(wanted) <= _FEW
    kept = not ledgers.is_relative_to(scratch)

    def task(one: Stored) -> Task:
        folder = ledgers / one.repo_id
        teams = objects.get(store, one.owners) if one.owners else None
        damage = _fetch(store, one, folder)
        known = slices_of(before.get(one.repo_id))
        return Task(
            one.repo_id,
            one.number,
            str(folder),
            str(out),
            excerpts,
            damage,
            writers=one.people,
            owners=teams,
            before=known,
            threads=_AT_ONCE if alone else 1,
            kept=kept,
        )

    def finished(made: Made) -> Made:
        if not kept:
            shutil.rmtree(ledgers / made.repo_id)
        return made

    if alone:
        yield from (finished(repository_rows.make(task(one))) for one in each(wanted, "working out", "repositories"))
        return
    waiting: deque[Future[Made]] = deque()
    with ProcessPoolExecutor(_AT_ONCE, mp_context=get_context("spawn")) as pool:
        for one in each(wanted, "working out", "repositories"):
            waiting.append(pool.submit(repository_rows.make, task(one)))
            if len(waiting) > _AT_ONCE:
                yield finished(waiting.popleft().result())
        yield from (finished(one.result()) for one in waiting)


def _fetch(store: "ObjectStore", one: Stored, folder: Path) -> tuple[Damage, ...]:
    """Bring the ledger in a folder up to the segments of a repository; return what is wrong with those left out."""
    kept = folder / FOLDER / segments.SEGMENTS
    kept.mkdir(parents=True, exist_ok=True)
    there = {path.name: path.stat().st_size for path in kept.iterdir()}
    for file in there.keys() - one.segments.keys():
        (kept / file).unlink()

    def fetch(file: str) -> Damage | None:
        try:
            _, content = read_segment(store, f"{one.place}/{file}", one.segments[file])
        except IntegrityError as error:
            return damage_of(error)
        publish(str(kept / file), content, durable=False)
        return None

    missing = sorted(file for file, size in one.segments.items() if there.get(file) != size)
    with ThreadPoolExecutor(objects.AT_ONCE) as pool:
        return tuple(found for found in pool.map(fetch, missing) if found)


def _write_bucket(
    step: "_Step", tables: Sequence[FleetTable], bucket: str, repos: Sequence[str], files: _Files, buckets: int
) -> None:
    """Write the rows of all tables and months of a bucket that these repositories have and did not have before."""
    changed = {one for repo in repos for one in changed_slices(step.before.get(repo), step.now.get(repo))}
    inside = [one for repo, one in step.now.items() if bucket_of(repo, buckets) == bucket]
    for table in tables:
        name = f"{table.tier}/{table.name}"
        own = sorted(one for one in changed if one == name or one.startswith(f"{name}/"))
        if not own:
            continue
        wanted = {one: layout.together(known.slices[one] for known in inside if one in known.slices) for one in own}
        with step.connection.cursor() as connection:
            slices = _Slices(step, connection, table, bucket, wanted, files)
            for one in own:
                fresh = _fresh(step, table, repos, one)
                if not slices.extend(one, fresh):
                    slices.rewrite(one, fresh)


def _fresh(step: _Step, table: FleetTable, repos: Sequence[str], one: str) -> Mapping[str, str | None]:
    """Return the files with new rows of a slice by the repositories that have others there; what stays is in none."""
    changed = [repo for repo in repos if not _stays(step, repo, one)]
    files = {repo: repository_rows.file_of(step.rows, table.tier, table.name, repo) for repo in changed}
    return {repo: str(file) if file.exists() else None for repo, file in files.items()}


def _stays(step: _Step, repo: str, one: str) -> bool:
    """Return whether a repository has rows in a slice, and the same as before."""
    rows = slices_of(step.before.get(repo)).get(one)
    return rows is not None and rows == slices_of(step.now.get(repo)).get(one)


class _Slices(NamedTuple):
    """Slices of one table in one bucket, and the rows that each is to have, which is `wanted`."""

    step: _Step
    connection: "duckdb.DuckDBPyConnection"
    table: FleetTable
    bucket: str
    wanted: Mapping[str, Rows]
    files: _Files

    def extend(self, one: str, fresh: Mapping[str, str | None]) -> bool:
        """Put a file beside those of a slice in which rows only came; return whether that was all."""
        kept = self.files.kept.get(self._place(one), [])
        sources = Sources(self._on_disk(kept), fresh)
        if not 0 < len(kept) < MOST_FILES or not _grew(kept, self.wanted[one]) or not sources.there:
            return False
        written = self._write(one, partition_files.added(self.table, one, sources), "added")
        whole = layout.together(file.content for file in (*kept, *written.values())) == self.wanted[one]
        if whole:
            self.files.fresh.update(written)
        return whole

    def rewrite(self, one: str, fresh: Mapping[str, str | None]) -> None:
        """Write a slice whole, in place of its files."""
        kept = self.files.kept.pop(self._place(one), [])
        sources = Sources(self._on_disk(kept), fresh)
        if not (sources.kept or sources.there):
            return
        query = partition_files.merged(self.table, one, sources)
        if len(kept) > 1:
            query = partition_files.ordered(query, self.table)
        self.files.fresh.update(self._write(one, query, "whole"))

    def _write(self, one: str, query: str, name: str) -> dict[Path, File]:
        folder = self.step.scratch / name
        return partition_files.write(self.connection, self.table, self._place(one), query, folder, self.wanted[one])

    def _place(self, one: str) -> str:
        return f"{one}/{BUCKET}={self.bucket}"

    def _on_disk(self, files: Sequence[File]) -> list[str]:
        return [objects.on_disk(self.step.store, file.path, self.step.scratch / "kept") for file in files]


def _grew(files: Sequence[File], wanted: Rows) -> bool:
    return sum(file.rows for file in files) < wanted.number


def _write_cells(step: "_Step", tables: Sequence[FleetTable], files: _Files) -> None:
    """Write the tables of counts anew, from what is contributed to them."""
    named = {table.name: table for table in tables}
    for group in groups.groups():
        table, name = named[group.name], f"{PRIVATE}/{group.contributions}/"
        files.kept.pop(f"{table.tier}/{table.name}", None)
        found = [str(path) for path, file in files.fresh.items() if file.slice.startswith(name)]
        kept = (file for slice_, of in files.kept.items() if slice_.startswith(name) for file in of)
        found += [objects.on_disk(step.store, file.path, step.scratch / "kept") for file in kept]
        if found:
            query = partition_files.ordered(group.cells_of(found), table)
            place = f"{table.tier}/{table.name}"
            files.fresh.update(partition_files.write(step.connection, table, place, query, step.scratch / "cells"))


def _put(store: "ObjectStore", manifest: Manifest, fresh: Mapping[Path, File], state: Mapping[File, bytes]) -> None:
    """Put new files into the store, then the manifest that names them, and remove what it does not name."""

    def put(item: tuple[str, Path | bytes]) -> None:
        name, content = item
        # the name says what is in it, so one that is there is the same, or was damaged
        objects.replace(store, name, content if isinstance(content, bytes) else content.read_bytes())

    there: dict[str, Path | bytes] = {file.path: path for path, file in fresh.items()}
    there |= {file.path: content for file, content in state.items()}
    for _ in objects.at_once(put, sorted(there.items(), key=lambda item: item[0]), "putting", "files"):
        pass
    name = layout.name_of(manifest.generation)
    if not objects.put(store, name, layout.render(manifest)) or layout.manifests(store)[-1] != name:
        raise BusyError(f"another build has put {name} meanwhile, which counts")
    keep = {file.path for file in manifest.files()} | {name, LEASE}
    every = (f"{LAKE}/{found}" for found in objects.sizes(store, LAKE))
    objects.remove(store, [found for found in every if found not in keep and not layout.is_no_builds(found)])


def _by_bucket(known: Mapping[str, Known], buckets: int) -> Mapping[str, list[Known]]:
    found: dict[str, list[Known]] = {}
    for one in known.values():
        found.setdefault(bucket_of(one.repo_id, buckets), []).append(one)
    return found
