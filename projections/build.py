"""Bring everything that follows from the ledger up to date: tables, derived tables, tracked files.

What was kept is used where it is certainly right, so the answer is the same with a cache, without one, and with half
of one. Nothing is ever changed in place.
"""

import contextlib
import hashlib
import json
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from linetrail.ledger.errors import StorageError, UsageError
from linetrail.ledger.files import publish
from linetrail.ledger.knowledge import lessons
from linetrail.ledger.log.chain import Head
from linetrail.ledger.repository import Repository, git, require_ledger
from linetrail.projections.tables import computed_cache, models
from linetrail.projections.tables.cache import EVENTS
from linetrail.projections.tables.intent_map import INTENT_MAP, intent_map
from linetrail.projections.tables.lessons import recalled
from linetrail.projections.tables.partitions import Parts, given_up_on_failure
from linetrail.projections.tables.prefix import Cut
from linetrail.projections.tables.progress import working
from linetrail.projections.tables.tables import NAMES, Tables, computed_in, tables_over

MAP = INTENT_MAP.removesuffix(".md")
AGENT = lessons.FILE.removesuffix(".md")
# What the map is made of, besides what a commit holds: as long as they are the same, so is the map.
MAP_NEEDS = ("mutation_files", "intent_marks", "mutation_classes", "classified_files")
# Whoever asks looks through these at other tables; how many rows they have tells nobody anything.
LOOKED_THROUGH = frozenset({"findable", "ledger_end"})
_LAST_COMMIT = "select arg_max(vcs_revision, position) from events where vcs_revision is not null"
_INTENTS = "select intent_id, title, status from intents"
_NAMES_TOLD = """
select path, after_hash, definitions
from classified_files where definitions is not null
order by position, file_index
"""


class Row(NamedTuple):
    """What became of one projection. `changed`: it says something else than after the last rebuild."""

    projection: str
    rows: int
    ms: int
    changed: bool


class Finding(NamedTuple):
    """A check that answered with rows, and the first of them."""

    check: str
    about: str
    rows: int
    first: Mapping[str, Any]


def names() -> list[str]:
    """Return the names of the projections that every rebuild makes, in the order in which they are made."""
    return [model.name for model in (*models.stored(), *_derived())] + [MAP, AGENT]


def on_demand() -> list[str]:
    """Return the names of the tables that are made when they are asked about: most also follow from what git has."""
    made = {model.name for model in _derived()}
    late = [model.name for model in models.derived() if model.name not in made]
    return [*NAMES, *late]


def _derived() -> list[models.Model]:
    return [model for model in models.derived() if model.name not in LOOKED_THROUGH and not computed_in([model.name])]


def rebuild(
    repository: Repository,
    *,
    full: bool = False,
    check: bool = False,
    only: Collection[str] | None = None,
    until: Cut | None = None,
) -> list[Row]:
    """Regenerate the projections; with `check`, find out what that would change and write nothing.

    With `until` they are those of the ledger as it was, and the next rebuild goes on as if this one had not been.
    """
    known = [*names(), *on_demand()]
    unknown = sorted(set(only or ()) - set(known))
    if unknown:
        raise UsageError(f"no projection is called {', '.join(unknown)}; there are {', '.join(known)}")
    if full and not check:
        computed_cache.forget(repository)
    wanted = names() if only is None else only
    parts = Parts(require_ledger(repository), keep=not check)
    start = time.perf_counter()
    current = parts.current(anew=full, until=until and until.of)
    reading = time.perf_counter() - start
    opened = tables_over(repository, current, keep=not check, until=until)
    with given_up_on_failure(current if full else ()), opened as tables:
        rebuilding = _Rebuilding(repository, tables, parts, full=full, check=check, apart=until is not None)
        rows = []
        with working("rebuilding", len({*names(), *wanted}), "projections") as advance:
            for row in rebuilding.rows(wanted, reading):
                rows.append(row)
                advance(1)
    if not check and until is None:
        rebuilding.remember()
    return [row for row in rows if row.projection in wanted]


def findings(tables: Tables) -> list[Finding]:
    """Run the checks that must answer with no row."""
    answers = [(check, tables.ask(check.sql)) for check in models.checks()]
    return [
        Finding(check.name, check.about, len(answer.rows), next(answer.mappings()))
        for check, answer in answers
        if answer.rows
    ]


class _Built(NamedTuple):
    """What a rebuild leaves behind for the next: by which models, up to where, how many rows, which map.

    `contents` tell of the derived tables that the map is made of whether they are still the same. `commit` is the one
    whose files the map was made with.
    """

    version: str
    head: Head
    rows: dict[str, int]
    contents: dict[str, int]
    map_digest: str | None
    commit: str | None


class _Rebuilding:
    """One rebuild at work, with what the last one left; one that is `apart` neither takes nor leaves anything."""

    def __init__(
        self, repository: Repository, tables: Tables, parts: Parts, *, full: bool, check: bool, apart: bool
    ) -> None:
        self._repository, self._tables, self._parts = repository, tables, parts
        self._full, self._check, self._apart = full, check, apart
        self._cache = Path(repository.folder, "cache")
        self._before = None if apart else self._last_built()
        self._rows: dict[str, int] = {}
        self._contents: dict[str, int] = {}
        self._changed: dict[str, bool] = {}
        self._map_digest = self._before.map_digest if self._before else None
        self._commit = _known_commit(repository, tables)

    def rows(self, wanted: Collection[str], reading: float) -> Iterator[Row]:
        """Make every table, and of the others those that are wanted; reading the ledger took so many seconds."""
        yield from self.facts(reading)
        yield from self.tables()
        yield from self.late(name for name in on_demand() if name in wanted)
        if MAP in wanted:
            yield self.map()
        if AGENT in wanted:
            yield self.agent()

    def facts(self, reading: float) -> Iterator[Row]:
        """Make and count every fact, which grows at its end alone."""
        seconds = {}
        for model in models.stored():
            start = time.perf_counter()
            self._tables.make([model.name])
            seconds[model.name] = time.perf_counter() - start + (reading if model.name == EVENTS else 0)
        counts = self._tables.counts()
        for name, taken in seconds.items():
            start = time.perf_counter() - taken
            yield self._row(name, counts[name], start, changed=counts[name] != self._rows_before(name))

    def tables(self) -> Iterator[Row]:
        """Count every derived table, which changes only when one it needs did.

        Of those that the map is made of it is looked up whether they really did, since making the map takes long.
        """
        read_by_others = frozenset[str]().union(*(model.needs for model in _derived()))
        for model in _derived():
            start = time.perf_counter()
            changed = self._before is None or any(self._changed[need] for need in model.needs)
            if changed and model.name in read_by_others:
                self._tables.hold(model.name)
            before = None if changed or self._full else self._rows_before(model.name)
            rows = self._tables.count(model.name) if before is None else before
            if model.name in MAP_NEEDS:
                changed = self._says_something_else(model.name, maybe=changed)
            yield self._row(model.name, rows, start, changed=changed)

    def _says_something_else(self, name: str, *, maybe: bool) -> bool:
        """Return whether the rows of a table changed since the last rebuild; they did not unless `maybe`."""
        before = self._before.contents.get(name) if self._before else None
        if not maybe and before is not None:
            self._contents[name] = before
            return False
        query = f"select coalesce(bit_xor(hash(held)), 0) from {name} as held"  # noqa: S608  the name of a model's file
        [(self._contents[name],)] = self._tables.ask(query).rows
        return self._contents[name] != before

    def late(self, wanted: Iterable[str]) -> Iterator[Row]:
        """Work out tables that are made on demand; each is as it was unless its file has another name."""
        for name in wanted:
            start = time.perf_counter()
            made_of = computed_in([name])
            before = computed_cache.files(self._repository, made_of)
            rows = self._tables.count(name)
            yield self._row(name, rows, start, changed=bool(computed_cache.files(self._repository, made_of) - before))

    def map(self) -> Row:
        """Bring the map up to date, unless nothing that it is made of changed and it is as it was left."""
        start = time.perf_counter()
        path = Path(self._repository.folder, INTENT_MAP)
        found = _digest(path)
        rows = self._rows_before(MAP)
        if rows is not None and found is not None and found == self._map_digest and self._same_lines():
            return self._row(MAP, rows, start, changed=False)
        from linetrail.projections.lines.surviving_lines import holdings  # seldom asked for, and long to load
        from linetrail.projections.nodes.definition_lines import Named, divided

        named = self._tables.ask(_NAMES_TOLD).rows
        held = divided(
            self._repository,
            holdings(self._tables, self._kept("holdings")),
            self._commit,
            self._kept("divided"),
            {(path, state): [Named(**one) for one in json.loads(told)] for path, state, told in named},
        )
        events = {row["event_id"] for row in held.mappings() if row["event_id"] is not None}
        classes = self._tables.records.classes(events)
        text = intent_map(held, self._tables.ask(_INTENTS), classes).encode()
        self._map_digest = hashlib.sha256(text).hexdigest()
        changed = found != self._map_digest
        if self._check:
            changed = changed and (found is not None or bool(git(self._repository, "ls-files", "--", str(path))))
        elif changed:
            _put(path, text)
        return self._row(MAP, len(held.rows), start, changed=changed)

    def agent(self) -> Row:
        """Make the list of lessons anew. People write there, too, so a check passes over it."""
        start = time.perf_counter()
        if not self._rows["lesson_records"]:
            return self._row(AGENT, 0, start, changed=self._rows_before(AGENT) != 0)
        known = recalled(self._tables)
        changed = not (self._check or self._apart) and lessons.keep(self._repository, known)
        return self._row(AGENT, len(known.lessons), start, changed=changed)

    def remember(self) -> None:
        """Leave what the next rebuild can use; without it, everything counts as changed."""
        built = _Built(
            self._parts.version, self._tables.parts[-1].head, self._rows, self._contents, self._map_digest, self._commit
        )
        with contextlib.suppress(OSError, StorageError):
            publish(str(self._cache / "built.json"), json.dumps(built._asdict()).encode(), durable=False)

    def _row(self, name: str, rows: int, start: float, *, changed: bool) -> Row:
        self._rows[name], self._changed[name] = rows, changed
        return Row(name, rows, round((time.perf_counter() - start) * 1000), changed)

    def _same_lines(self) -> bool:
        same_commit = self._before is not None and self._before.commit == self._commit
        return same_commit and not self._full and not any(self._changed[need] for need in MAP_NEEDS)

    def _kept(self, name: str) -> Path | None:
        """Return where something is kept that the map is made of, for those who may use and renew it."""
        if self._apart:
            return None
        kept = self._cache / f"{name}.json"
        if self._full and not self._check:
            kept.unlink(missing_ok=True)
        return None if self._check else kept

    def _rows_before(self, name: str) -> int | None:
        return self._before.rows.get(name) if self._before else None

    def _last_built(self) -> _Built | None:
        """Return what the last rebuild left, if the same models made it out of lines that are still there."""
        try:
            record = json.loads((self._cache / "built.json").read_bytes())
            counts = dict(record["rows"]), dict(record["contents"])
            built = _Built(record["version"], Head(*record["head"]), *counts, record["map_digest"], record["commit"])
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return built if built.version == self._parts.version and self._parts.went_through(built.head) else None


def _known_commit(repository: Repository, tables: Tables) -> str | None:
    """Return the last commit that the ledger tells of, or HEAD where history does not lead to it any more."""
    told: str | None = tables.ask(_LAST_COMMIT).rows[0][0]
    if told is not None and git(repository, "merge-base", "--is-ancestor", told, "HEAD") is not None:
        return told
    head = git(repository, "rev-parse", "--verify", "--quiet", "HEAD")
    return head.decode().strip() if head else None


def _put(path: Path, text: bytes) -> None:
    try:
        publish(str(path), text, durable=True, mode=0o644)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from None


def _digest(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None
