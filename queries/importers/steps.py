"""What the history of any agent says, in one shape for all: a reader makes it, `EventBuilder` makes events of it."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from linetrail.ledger.event.signal import Edit, Signal
from linetrail.ledger.observe.hunks import Hunk
from linetrail.queries.importers.transcript import Counts


class Talk(NamedTuple):
    """A conversation as far as its history was read. `revision` is the commit that it began on."""

    session_id: str
    cwd: str | None = None
    version: str | None = None
    model_id: str | None = None
    branch: str | None = None
    revision: str | None = None
    parent_id: str | None = None
    permission_mode: str | None = None
    prompt_id: str | None = None
    agent_id: str | None = None


class Change(NamedTuple):
    """What a call says that it did to one file: both texts, or what leads from the text before to the one after.

    `new` is a file that was not there; `gone` one that is not there any more. `before` and `after` are None where the
    history does not tell them.
    """

    path: str
    before: str | None = None
    after: str | None = None
    edits: tuple[Edit, ...] = ()
    hunks: tuple[Hunk, ...] = ()
    new: bool = False
    gone: bool = False
    from_path: str | None = None
    user_modified: bool | None = None


class Usage(NamedTuple):
    """Tokens that one answer took; those read from a cache are not counted as input a second time."""

    key: str
    model_id: str | None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class Step(NamedTuple):
    """One thing that happened. `name` tells it from all others of its session; a call's is in its signal.

    What the agent `said` is there for whoever reads the conversation; the ledger does not have it.
    """

    time: int
    talk: Talk
    name: str
    signal: Signal | None = None
    changes: tuple[Change, ...] = ()
    usage: Usage | None = None
    thought: str | None = None
    said: str | None = None


class Reader(Protocol):
    """Reads the records of one history in their order."""

    # a record and its time -> what happened; PayloadError when the record is not as it must be
    def read(self, record: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]: ...
