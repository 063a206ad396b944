"""Look up what is recorded of files: one question after the other for a few, all at once for many.

A question costs a database some milliseconds, however little it finds. So whoever asks often is answered from memory,
if all that is recorded is small enough to be held there.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import Any, Protocol

from linetrail.projections.statements import statement

# After so many questions about files, all are read; if their hunks, and all line hashes, are no more than this.
FEW = 12
MAX_BYTES, MAX_HASHES = 64 << 20, 1_000_000
# Else what was asked is kept at hand, of up to so many files and lines.
KEPT_FILES, KEPT_LINES = 64, 100_000
# A line that is written in more files than so many says nothing of where it comes from.
RARE = 3
# What changes were judged to be is read at once, up to so many judgements.
MAX_CLASSES = 300_000

# The first of these moments, of any line.
_FIRST = """
select min(case when via = 'import' then strftime(occurred_at, '%Y-%m-%dT%H:%M:%S') else '' end)
from mutation_files
where contributor_type <> 'unknown'
"""
_AGENTS_ON = """
select distinct vcs_revision
from mutation_files
where contributor_type = 'ai' and vcs_revision is not null
"""
_CLASSES = """
select mutation_id, mutation_class
from mutation_classes
where mutation_class is not null and ($ids is null or mutation_id in (select unnest($ids)))
"""
# How many judgements of changes were recorded, and corrected: where there is none, no change has a class.
JUDGED = """
select (select count(*) from classifications) + (select count(*) from correction_records where field = 'class')
"""
_SIZE = "select coalesce(sum(length(hunks)), 0) from mutation_files"
_HASHES = "select count(*) from line_hashes"

Row = Mapping[str, Any]


class Answer(Protocol):
    """What a query is answered with."""

    @property
    def rows(self) -> Sequence[tuple[Any, ...]]: ...
    def mappings(self) -> Iterator[Row]: ...


class Records:
    """The recorded changes of all files of a ledger, behind a function that answers SQL."""

    def __init__(self, ask: Callable[..., Answer]) -> None:
        self._ask = ask
        self._renames: Sequence[tuple[Any, ...]] | None = None
        self._agents_on: frozenset[str] | None = None
        self._questions = 0
        self._rows: defaultdict[str, list[Row]] = defaultdict(list)
        self._written: defaultdict[str, dict[str, str | None]] = defaultdict(dict)
        self._made: dict[str, set[tuple[str, int]]] | None = None
        self._too_large = False
        self._classes: dict[str, str] | None = None

    def expect(self, questions: int) -> None:
        """Prepare for so many questions about files: where they are many, the first one has all read."""
        self._questions += questions

    def renames(self) -> Sequence[tuple[Any, ...]]:
        """Return position, path and former path of each rename and copy, in the order of the ledger."""
        if self._renames is None:
            self._renames = self._ask(statement("recorded_renames")).rows
        return self._renames

    def agents_on(self) -> frozenset[str]:
        """Return the commits on which some agent was recorded changing a file."""
        if self._agents_on is None:
            self._agents_on = frozenset(revision for (revision,) in self._ask(_AGENTS_ON).rows)
        return self._agents_on

    def classes(self, events: Collection[str]) -> Mapping[str, str]:
        """Return what these changes, and perhaps others, were judged to be, by event."""
        if self._classes is None:
            few = 0 < self.judgements <= MAX_CLASSES
            self._classes = dict(self._ask(_CLASSES, {"ids": None}).rows) if few else {}
        if self.judgements <= MAX_CLASSES or not events:
            return self._classes
        return dict(self._ask(_CLASSES, {"ids": sorted(events)}).rows)

    @cached_property
    def judgements(self) -> int:
        """How many judgements of changes there are."""
        return int(self._ask(JUDGED).rows[0][0])

    def changes(self, paths: Collection[str]) -> list[Row]:
        """Return the rows of these files, in the order of the ledger."""
        self.read(paths)
        rows = [row for path in set(paths) for row in self._rows.get(path, ())]
        return sorted(rows, key=itemgetter("position", "file_index"))

    def read(self, paths: Iterable[str]) -> None:
        """Have the rows of these files at hand: one question for many takes as long as for one."""
        missing = {path for path in paths if path not in self._rows}
        if not missing or self._holds():
            return
        if len(self._rows) > KEPT_FILES:
            self._rows.clear()
            missing = set(paths)
        self._rows.update((path, []) for path in missing)
        self._take(self._ask(statement("recorded_files"), {"paths": sorted(missing)}))

    def look_up(self, lines: Iterable[str]) -> None:
        """Have at hand where these lines were written."""
        if self._made is not None:
            return
        missing = {line for line in lines if line not in self._written}
        if not missing:
            return
        if len(self._written) > KEPT_LINES:
            self._written.clear()
            missing = set(lines)
        self._written.update((line, {}) for line in missing)
        for line, path, since in self._ask(statement("written_lines"), {"hashes": sorted(missing)}).rows:
            self._written[line][path] = since

    def same_content(self, digests: Collection[str], least: int, limit: int) -> list[str]:
        """Return files that were made to have one of these contents, of so many lines at least."""
        if self._made is not None:
            found = (made for digest in set(digests) for made in self._made.get(digest, ()))
            return sorted({path for path, lines in found if lines >= least})[:limit]
        looked_for = {"digests": sorted(digests), "least": least, "limit": limit}
        return [path for (path,) in self._ask(statement("same_contents"), looked_for).rows]

    def sharing(self, until: Mapping[str, str], without: Collection[str], least: int, limit: int) -> list[str]:
        """Return other files in which so many of these lines were seen being written, those with most first.

        `until` tells, by line, before which moment. Lines that are written in many files say nothing by themselves.
        """
        found: Counter[str] = Counter()
        telling: set[str] = set()
        for line, paths in self._seen(until).items():
            for path, since in paths.items():
                if since <= until[line] and path not in without:
                    found[path] += 1
                    if len(paths) <= RARE:
                        telling.add(path)
        files = [(-times, path) for path, times in found.items() if times >= least and path in telling]
        return [path for _, path in sorted(files)[:limit]]

    def shared(self, path: str, hashes: Collection[str]) -> set[str]:
        """Return those of these lines that a file was seen with."""
        self.look_up(hashes)
        return {line for line in hashes if path in self._written.get(line, ())}

    def known(self, lines: Collection[str]) -> Collection[str]:
        """Return those of these lines that somebody was seen writing, in whatever file."""
        return self._seen(lines).keys()

    @cached_property
    def first(self) -> str | None:
        """Since when anybody was seen writing a line, where a clock alone tells, else empty; None where nobody was."""
        moment: str | None = self._ask(_FIRST).rows[0][0]
        return moment

    def tells(self, lines: Collection[str]) -> bool:
        """Return whether one of these lines is written in so few files that it says where it comes from."""
        return any(len(paths) <= RARE for paths in self._seen(lines).values())

    def _seen(self, lines: Collection[str]) -> dict[str, dict[str, str]]:
        """Return the files in which somebody was seen writing lines, and since when, of those that somebody was."""
        self.look_up(lines)
        return {
            line: seen
            for line in self._written.keys() & lines
            if (seen := {path: since for path, since in self._written[line].items() if since is not None})
        }

    def _holds(self) -> bool:
        """Return whether all that is recorded is in memory; who asks often has it read, where it is not too large."""
        self._questions += 1
        if self._made is None and self._questions > FEW and not self._too_large:
            self._too_large = self._ask(_SIZE).rows[0][0] > MAX_BYTES or self._ask(_HASHES).rows[0][0] > MAX_HASHES
            if not self._too_large:
                self._hold()
        return self._made is not None

    def _hold(self) -> None:
        self._rows.clear()
        self._take(self._ask(statement("recorded_files"), {"paths": None}))
        self._made = defaultdict(set)
        for row in chain.from_iterable(self._rows.values()):
            if row["snapshot"] is False and row["after_lines"] is not None:
                self._made[row["after_hash"]].add((row["path"], row["after_lines"]))
        self._written.clear()
        for line, path, since in self._ask(statement("written_lines"), {"hashes": None}).rows:
            self._written[line][path] = since

    def _take(self, table: Answer) -> None:
        for row in table.mappings():
            self._rows[row["path"]].append(row)
