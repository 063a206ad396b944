"""Everything that `linetrail import` reads: which agents, ledgers, notes and trailers, and what imports each."""

import functools
from collections.abc import Callable

from linetrail.ledger.adapters.claude_code import NAME as CLAUDE
from linetrail.queries.importers import intake
from linetrail.queries.importers.histories import entire, history
from linetrail.queries.importers.histories.sources import SOURCES as HISTORIES
from linetrail.queries.importers.notes import gitai_notes, trailers
from linetrail.queries.importers.older import agent_trace
from linetrail.queries.importers.sink import Report

# agents whose sessions can be read
TALKS = (CLAUDE, *HISTORIES, entire.SOURCE)
# what wrote the records -> how they are taken in
SOURCES: dict[str, Callable[..., Report]] = {
    CLAUDE: intake.take_in,
    **{name: functools.partial(history.take_in, source) for name, source in HISTORIES.items()},
    agent_trace.SOURCE: agent_trace.take_in,
    gitai_notes.SOURCE: gitai_notes.take_in,
    trailers.SOURCE: trailers.take_in,
    entire.SOURCE: entire.take_in,
}
# what wrote the records -> what is read, what of it is counted, and what it becomes, in words
WORDS = {
    CLAUDE: ("transcript", "line", "event"),
    **dict.fromkeys(HISTORIES, ("session", "record", "event")),
    agent_trace.SOURCE: ("ledger", "line", "record"),
    gitai_notes.SOURCE: ("source", "note", "note"),
    trailers.SOURCE: ("range", "commit", "commit"),
    entire.SOURCE: ("transcript", "line", "event"),
}
