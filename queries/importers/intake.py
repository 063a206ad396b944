"""Read transcripts into a ledger: survey them, put their records in order, append what is new.

What one record gives is appended together or not at all. Nothing grows with the input but the names of events.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from linetrail.ledger.errors import PayloadError
from linetrail.ledger.event.event import Event
from linetrail.ledger.repository import Repository
from linetrail.projections.git.history import Objects
from linetrail.queries.importers.claude_code import Translator
from linetrail.queries.importers.conversation import Found
from linetrail.queries.importers.register import Register
from linetrail.queries.importers.roots import Root, known_paths, root_of
from linetrail.queries.importers.sink import Import, Report, Sink
from linetrail.queries.importers.survey import Survey, survey
from linetrail.queries.importers.timeline import Input, in_order
from linetrail.queries.importers.transcript import Counts, Pending, records

THOUGHT = "thought.recorded"


class Transcript(NamedTuple):
    """A transcript to read; where its beginning is that of one already read, its file has only the rest.

    `time` is that of the last record before the file begins, `reached` the latest of all before it; `survey` is None
    where the file cannot be read.
    """

    counts: Counts
    survey: Survey | None
    time: int = 0
    reached: int = 0


def import_transcripts(paths: Iterable[str], into: Import) -> Report:
    transcripts = _surveyed(paths)
    with into.sink() as sink:
        fill(sink, transcripts, into)
    return Report([transcript.counts for transcript in transcripts], sink.events)


def fill(
    sink: Sink, transcripts: Sequence[Transcript], into: Import, wanted: Callable[[Event], bool] | None = None
) -> None:
    """Import transcripts that were surveyed; of their events those that are `wanted`, or all."""
    with contextlib.closing(Objects(into.repository)) as objects:
        translator = Translator(sink.register, objects, into)
        roots = _roots(transcripts, into.repository)
        for counts, pending in in_order(_placed(transcripts, roots)):
            events = readable(translator.read(pending.load(), pending.time, roots[counts.path], counts), counts)
            sink.add(found for found in events if wanted is None or wanted(found.event))
        for found in translator.rest():
            sink.add([found] if wanted is None or wanted(found.event) else [])


def import_thoughts(paths: Iterable[str], into: Import) -> Report:
    """Import what agents thought in sessions that the ledger has, and nothing else of their transcripts."""
    transcripts = _surveyed(paths)
    with into.sink() as sink:
        fill(sink, transcripts, into._replace(thoughts=True), partial(_is_thought, sink.register))
    return Report([transcript.counts for transcript in transcripts], sink.events)


def _is_thought(register: Register, event: Event) -> bool:
    return event.type == THOUGHT and register.has_session(event.session_id or "")


def _surveyed(paths: Iterable[str]) -> list[Transcript]:
    found = []
    for counts in map(Counts, paths):
        try:
            found.append(Transcript(counts, survey(counts.path)))
        except OSError as error:
            counts.rejected[f"cannot be read: {error.strerror}"] += 1
            found.append(Transcript(counts, None))
    return found


def _roots(transcripts: Iterable[Transcript], repository: Repository) -> dict[str, Root]:
    """Return the root of each transcript; those of other repositories have none."""
    touched: dict[str | None, set[str]] = {}
    for _, found, *_ in transcripts:
        if found is not None:
            touched.setdefault(found.cwd, set()).update(found.touched)
    known = known_paths(repository)
    roots = {cwd: root_of(cwd, paths, repository, known) for cwd, paths in touched.items()}
    places = {}
    for counts, found, *_ in transcripts:
        root = None if found is None else roots[found.cwd]
        if root is not None:
            places[counts.path] = root
        elif found is not None:
            counts.skip("other repository")
    return places


def _placed(transcripts: Iterable[Transcript], roots: Mapping[str, Root]) -> list[Input[Pending]]:
    return [
        Input(max(found.start, reached), counts, _reading(time), os.path.getsize(counts.path))
        for counts, found, time, reached in transcripts
        if found is not None and counts.path in roots
    ]


def _reading(time: int) -> Callable[[Counts, int], Iterator[Pending]]:
    """Return what reads the records of a transcript whose last record before them has this time, if any."""
    return lambda counts, start: records(counts.path, counts, time or start)


def readable(found: Iterator[Found], counts: Counts) -> list[Found]:
    """Return the events of a record up to where it is not as it must be."""
    events = []
    try:
        for item in found:
            events.append(item)  # noqa: PERF402  what came before the error counts
    except PayloadError as error:
        counts.rejected[str(error)] += 1
    return events
