"""Read transcripts into a ledger: survey them, put their records in order, append what is new.

What one record gives is appended together or not at all. Nothing grows with the input but the names of events.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from linetrail.ledger.errors import PayloadError
from linetrail.ledger.fingerprints import Redactor, private_folder
from linetrail.ledger.repository import Repository
from linetrail.ledger.store import Ledger
from linetrail.projections.history import Objects
from linetrail.queries.importers.claude_code import Translator
from linetrail.queries.importers.conversation import Found
from linetrail.queries.importers.roots import Root, known_paths, root_of
from linetrail.queries.importers.sink import Report, filling
from linetrail.queries.importers.survey import Survey, survey
from linetrail.queries.importers.timeline import Placed, in_order
from linetrail.queries.importers.transcript import Pending, Tally, records

THOUGHT = "thought.recorded"


def take_in(
    paths: Iterable[str],
    repository: Repository,
    ledger: Ledger,
    *,
    dry_run: bool = False,
    aside: Ledger | None = None,
    thoughts: bool = False,
    advance: Callable[[int], None] = lambda _: None,
) -> Report:
    """Import the transcripts at these paths; `advance` is told how many bytes were read."""
    tallies = [Tally(path) for path in paths]
    with filling(ledger, dry_run=dry_run, aside=aside) as sink, contextlib.closing(Objects(repository)) as objects:
        redactor = redactor_of(repository, ledger, dry_run=dry_run)
        translator = Translator(sink.register, objects, redactor, thoughts=thoughts)
        roots = _roots(tallies, repository)
        for tally, pending in in_order(_placed(roots)):
            events = translator.read(pending.load(), pending.time, roots[tally.path].root, tally)
            sink.add(readable(events, tally))
            advance(pending.size)
        for found in translator.rest():
            sink.add([found])
    return Report(tallies, sink.events)


def take_in_thoughts(paths: Iterable[str], repository: Repository, ledger: Ledger) -> Report:
    """Import what agents thought in sessions that the ledger has, and nothing else of their transcripts."""
    tallies = [Tally(path) for path in paths]
    with filling(ledger, dry_run=False) as sink, contextlib.closing(Objects(repository)) as objects:
        translator = Translator(sink.register, objects, redactor_of(repository, ledger, dry_run=False), thoughts=True)
        roots = _roots(tallies, repository)
        for tally, pending in in_order(_placed(roots)):
            events = translator.read(pending.load(), pending.time, roots[tally.path].root, tally)
            sink.add(
                found
                for found in readable(events, tally)
                if found.event.type == THOUGHT and sink.register.has_session(found.event.session_id or "")
            )
    return Report(tallies, sink.events)


def redactor_of(repository: Repository, ledger: Ledger, *, dry_run: bool) -> Redactor:
    """Return who takes secrets out; a dry run, and one into a ledger elsewhere, leave no key behind."""
    kept = not dry_run and ledger.folder == repository.folder
    return Redactor(private_folder(repository) if kept else None)


class _Place(NamedTuple):
    tally: Tally
    start: int
    root: Root


def _roots(tallies: Iterable[Tally], repository: Repository) -> dict[str, _Place]:
    """Survey the transcripts; those that ran in one folder are placed together, those of other repositories not."""
    surveys = {tally.path: (tally, found) for tally in tallies if (found := _surveyed(tally)) is not None}
    touched: dict[str | None, set[str]] = {}
    for _, found in surveys.values():
        touched.setdefault(found.cwd, set()).update(found.touched)
    known = known_paths(repository)
    roots = {cwd: root_of(cwd, paths, repository, known) for cwd, paths in touched.items()}
    places = {}
    for path, (tally, found) in surveys.items():
        root = roots[found.cwd]
        if root is None:
            tally.skip("other repository")
        else:
            places[path] = _Place(tally, found.start, root)
    return places


def _placed(places: Mapping[str, _Place]) -> list[Placed[Pending]]:
    return [Placed(place.start, place.tally, _records) for place in places.values()]


def _records(tally: Tally, start: int) -> Iterator[Pending]:
    return records(tally.path, tally, start)


def _surveyed(tally: Tally) -> Survey | None:
    try:
        return survey(tally.path)
    except OSError as error:
        tally.rejected[f"cannot be read: {error.strerror}"] += 1
        return None


def readable(found: Iterator[Found], tally: Tally) -> list[Found]:
    """Return the events of a record up to where it is not as it must be."""
    events = []
    try:
        for item in found:
            events.append(item)  # noqa: PERF402  what came before the error counts
    except PayloadError as error:
        tally.rejected[str(error)] += 1
    return events
