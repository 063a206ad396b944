"""Import what commits say: the agents that their trailers, authors or committers credit.

A trailer is about a commit as a whole and names no line. So an event says no more than that, and `blame` follows it
only where nothing was recorded, for lines that git says the commit added, with little confidence.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import NamedTuple

from linetrail.ledger.errors import GitError
from linetrail.ledger.event.event import Event, derived_id, rfc3339
from linetrail.ledger.files import git_blob
from linetrail.ledger.redact.redactor import scrub
from linetrail.ledger.repository import Repository
from linetrail.projections.git import credits as credited
from linetrail.projections.git.credits import Credit
from linetrail.projections.git.history import Objects
from linetrail.projections.survival.agent_lines import revisions
from linetrail.projections.tables.progress import each
from linetrail.queries.importers.conversation import Found
from linetrail.queries.importers.sink import Import, Report, Sink
from linetrail.queries.importers.transcript import Counts

SOURCE = DIALECT = "trailers"
EVENT = "authorship.stated"
HEAD = "HEAD"
# A commit that credits more agents in more ways says nothing; so many fit an event.
MAX_CREDITS = 50
_COMMITTED = re.compile(rb"^committer .*> ([0-9]{1,11}) [+-]", re.MULTILINE)


class Match(NamedTuple):
    """A commit and one agent that it credits."""

    revision: str
    credit: Credit


def import_trailers(paths: Iterable[str], into: Import) -> Report:
    """Import the trailers of the commits of these ranges; what is counted are commits."""
    all_counts = [Counts(path) for path in paths]
    with into.sink() as sink:
        for counts in all_counts:
            for revision, raw in _commits(into.repository, counts.path):
                counts.read += 1
                _add(sink, counts, revision, raw)
    return Report(all_counts, sink.events)


def matches(repository: Repository, wanted: str) -> Iterator[Match]:
    """Yield what would be imported of a range, new or not."""
    for revision, raw in _commits(repository, wanted):
        yield from (Match(revision, credit) for credit in credited.found(raw))


def _commits(repository: Repository, wanted: str) -> Iterator[tuple[str, bytes]]:
    with closing(Objects(repository)) as store:
        for revision in each(revisions(repository, None if wanted == HEAD else wanted), "reading commits", "commits"):
            raw = store.read(revision)
            if raw is None:
                raise GitError(f"git cat-file {revision} failed")
            yield revision, raw


def _add(sink: Sink, counts: Counts, revision: str, raw: bytes) -> None:
    """Add the credits of a commit to the sink; skip one that credits no agent."""
    found = credited.found(raw)[:MAX_CREDITS]
    if not found:
        counts.skip("credits no agent")
        return
    text = scrub("\n".join(f"{credit.key}: {credit.said}" for credit in found))
    committed = _COMMITTED.search(raw)
    time = int(committed[1]) * 1_000_000_000 if committed else 0
    note = git_blob(text.encode())
    # what a second import looks for stands first: see `register`
    data = {
        "revision": revision,
        "note": note,
        "generator": None,
        "unread": None,
        "authors": [_author(credit) for credit in found],
        "files": [],
        "dialect": DIALECT,
        "raw": text,
    }
    event_id = derived_id(time, SOURCE, revision, note)
    event = Event(event_id, rfc3339(time), EVENT, None, None, "unknown", None, None, data)
    sink.add([Found(counts, event)])


def _author(credit: Credit) -> dict[str, str | None]:
    return {
        "key": credit.key,
        "contributor": "ai",
        "agent_name": credit.agent_name,
        "session_id": None,
        "model_id": credit.model_id,
        "person": None,
    }
