"""Read the histories of one agent into a ledger: find out where each ran, put all in order, append what is new.

What one record gives is appended together or not at all. Between two records no file of a history is open.
"""

import contextlib
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from linetrail.ledger.errors import LinetrailError, PayloadError
from linetrail.ledger.repository import Repository
from linetrail.projections.git.history import Objects
from linetrail.queries.importers.conversation import Found
from linetrail.queries.importers.histories.event_builder import EventBuilder
from linetrail.queries.importers.register import Register
from linetrail.queries.importers.roots import Root, known_paths, root_of
from linetrail.queries.importers.sink import Import, Report, Sink
from linetrail.queries.importers.steps import Reader
from linetrail.queries.importers.timeline import Input, Timed, in_order
from linetrail.queries.importers.transcript import Counts


class Waiting(Timed, Protocol):
    """A record that waits for its turn, and can be loaded then."""

    # the record; an empty one where it has gone since
    def load(self) -> dict[str, Any]: ...


class History(NamedTuple):
    """One session, or a few that one file holds, as known before its records are read.

    `start` is the time of its first record in nanoseconds, `cwd` the folder that it ran in and `touched` the paths that
    it names, as far as they are told.
    """

    counts: Counts
    start: int
    cwd: str | None
    touched: frozenset[str]
    records: Callable[[Counts, int], Iterator[Waiting]]
    reader: Reader
    session_id: str | None = None
    # a history without times and names: a second reading could not tell what is new
    is_once: bool = False


class Source(Protocol):
    """What a module of this folder offers."""

    # the agent, as on the command line and in `agent.name`
    @property
    def NAME(self) -> str: ...  # noqa: N802  a constant of a module

    # whether the agent's hooks are told a name for each call
    @property
    def NAMED_CALLS(self) -> bool: ...  # noqa: N802  the same

    # files and folders as somebody named them -> what of them can be read; UsageError where there is no such file
    def listed(self, paths: Iterable[str]) -> list[str]: ...

    # what the agent keeps on this machine that may be about this repository
    def kept(self, repository: Repository) -> list[str]: ...

    # one listed path, this repository, and a private folder for copies -> its histories;
    # HistoryError where it cannot be read at all
    def histories(self, path: str, repository: Repository, folder: str, /) -> Iterator[History]: ...


class HistoryError(LinetrailError):
    """A history that cannot be read: the others can."""


def import_histories(source: Source, paths: Iterable[str], into: Import) -> Report:
    with into.sink() as sink:
        return Report(fill(sink, source, paths, into), sink.events)


def fill(sink: Sink, source: Source, paths: Iterable[str], into: Import) -> list[Counts]:
    """Import the histories at these paths, and return what came of each."""
    repository = into.repository
    with (
        contextlib.closing(Objects(repository)) as objects,
        tempfile.TemporaryDirectory(prefix="linetrail-") as folder,
    ):
        builder = EventBuilder(source.NAME, sink.register, objects, into, named_calls=source.NAMED_CALLS)
        found = [*_histories(source, paths, repository, folder)]
        histories = [one for one in found if isinstance(one, History)]
        placed = _placed(_untold(histories, sink.register), repository)
        readers = {id(history.counts): (history.reader, root) for history, root in placed}
        sharing = Counter(history.counts.path for history, _ in placed)
        order = in_order(
            [
                Input(
                    history.start,
                    history.counts,
                    history.records,
                    _size(history.counts.path) // sharing[history.counts.path],
                )
                for history, _ in placed
            ]
        )
        for counts, waiting in order:
            reader, root = readers[id(counts)]
            sink.add(_events(builder, reader, waiting.load(), waiting.time, root, counts))
    return [one.counts if isinstance(one, History) else one for one in found]


def _size(path: str) -> int:
    """Return how many bytes there are to read; of a history whose file is gone there are none."""
    with contextlib.suppress(OSError):
        return os.path.getsize(path)
    return 0


def _histories(
    source: Source, paths: Iterable[str], repository: Repository, folder: str
) -> Iterator["History | Counts"]:
    """Yield the histories of all paths; of a path that cannot be read, a count with the reason."""
    for path in paths:
        try:
            yield from source.histories(path, repository, folder)
        except (HistoryError, OSError) as error:
            reason = f"cannot be read: {error.strerror}" if isinstance(error, OSError) else str(error)
            counts = Counts(path)
            counts.rejected[reason] += 1
            yield counts


def _untold(histories: Sequence[History], register: Register) -> Iterator[History]:
    """Yield the histories but those that can be read once alone, and are told by others or by the ledger."""
    others = {history.session_id for history in histories if not history.is_once}
    for history in histories:
        if history.is_once and (history.session_id in others or register.has_session(history.session_id or "")):
            history.counts.skip("session recorded already")
        else:
            yield history


def _placed(histories: Iterable[History], repository: Repository) -> list[tuple[History, Root]]:
    """Return the histories of this repository, each with what was its folder; the others are counted as skipped."""
    histories = list(histories)
    known = known_paths(repository)
    touched: dict[str, set[str]] = {}
    for history in histories:
        if history.cwd is not None:
            touched.setdefault(history.cwd, set()).update(history.touched)
    roots = {cwd: root_of(cwd, paths, repository, known) for cwd, paths in touched.items()}
    found = []
    for history in histories:
        root = _elected(history, repository, known) if history.cwd is None else roots[history.cwd]
        if root is None:
            history.counts.skip(_strange(history))
        else:
            found.append((history, root))
    return found


def _strange(history: History) -> str:
    """Return why a history is not of this repository; of one without records the damage is counted."""
    if history.cwd or history.touched:
        return "other repository"
    return (
        "folder not told" if any(True for _ in history.records(history.counts, history.start)) else "no session in it"
    )


def _elected(history: History, repository: Repository, known: frozenset[str]) -> Root | None:
    """Return the folder that a history touched files of; None where none of them is known here."""
    root = root_of(None, history.touched, repository, known)
    if root is None or not any(root.relative(path, None) in known for path in history.touched):
        return None
    return root if root.worktree or root.prefix != repository.root else Root(repository.root, repository)


def _events(
    builder: EventBuilder, reader: Reader, record: Mapping[str, Any], time: int, root: Root, counts: Counts
) -> list[Found]:
    """Return the events of a record, up to where it is not as it must be."""
    found: list[Found] = []
    try:
        for step in reader.read(record, time, counts):
            found += builder.build(step, root, counts) if step.said is None else ()
    except PayloadError as error:
        counts.rejected[str(error)] += 1
    return found
