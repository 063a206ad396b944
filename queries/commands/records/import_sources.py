"""Everything that `linetrail import` reads: which agents, ledgers, notes and trailers, and what imports each."""

import functools
from collections.abc import Callable, Sequence

from linetrail.ledger.adapters.claude_code import NAME as CLAUDE
from linetrail.queries.importers import intake
from linetrail.queries.importers.histories import entire, history
from linetrail.queries.importers.histories.sources import SOURCES as HISTORIES
from linetrail.queries.importers.notes import gitai_notes, trailers
from linetrail.queries.importers.older import agent_trace
from linetrail.queries.importers.sink import Import, Report

# agents whose sessions can be read
TALKS = (CLAUDE, *HISTORIES, entire.SOURCE)
# what wrote the records -> what imports them
SOURCES: dict[str, Callable[[Sequence[str], Import], Report]] = {
    CLAUDE: intake.import_transcripts,
    **{name: functools.partial(history.import_histories, source) for name, source in HISTORIES.items()},
    agent_trace.SOURCE: agent_trace.import_ledgers,
    gitai_notes.SOURCE: gitai_notes.import_notes,
    trailers.SOURCE: trailers.import_trailers,
    entire.SOURCE: entire.import_checkpoints,
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
