"""Show the conversation around the change that left a line, as long as the agent's own files exist."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.repository import Repository
from linetrail.projections.tables.tables import Tables
from linetrail.queries.answers import transcript
from linetrail.queries.answers.transcript import Anchor, Conversation, TranscriptGoneError, Utterance
from linetrail.queries.answers.transcript_text import Look, excerpt
from linetrail.queries.answers.why.line import Reason
from linetrail.queries.render.terminal import linked
from linetrail.queries.render.text import plain


class Spoken(NamedTuple):
    """The utterances around a change, and the one that made it; `gone` says why there are none."""

    session_id: str
    said: Sequence[Utterance] = ()
    meant: Utterance | None = None
    gone: str | None = None

    def rows(self) -> list[dict[str, object]] | None:
        """Return the utterances as records; None where the files are gone."""
        return None if self.gone else [one._asdict() for one in self.said]


class Conversations:
    """The conversations behind some lines, each read once."""

    def __init__(self, repository: Repository, tables: Tables) -> None:
        self._repository, self._tables = repository, tables
        self._read: dict[str, Conversation | str] = {}

    def behind(self, why: Reason) -> Spoken | None:
        """Return the conversation around the explained change, or around the call that was refused."""
        claim, refused = why.claim, why.refused
        if refused is not None:
            return self._around(refused["session_id"], Anchor(refused["tool_call_id"], str(refused["occurred_at"])))
        if claim is None:
            return None
        return self._around(claim.session_id, Anchor(claim.tool_call_id, claim.occurred_at))

    def _around(self, session_id: str | None, anchor: Anchor) -> Spoken | None:
        if session_id is None:
            return None
        if session_id not in self._read:
            try:
                session = transcript.session_of(self._tables, session_id)
                self._read[session_id] = transcript.conversation(self._repository, session)
            except TranscriptGoneError as error:
                self._read[session_id] = str(error)
        read = self._read[session_id]
        if isinstance(read, str):
            return Spoken(session_id, gone=read)
        at = transcript.place(read.said, anchor)
        return Spoken(session_id, transcript.around(read.said, at), read.said[at])


def lines(spoken: Spoken | None, look: Look) -> Iterator[str]:
    """Yield the lines to print below the reason of a line; `>` marks the utterance that made the change."""
    if spoken is None:
        yield "  said     nothing: no recorded session made this change"
    elif spoken.meant is None:
        yield f"  said     {plain(spoken.gone)}"
    else:
        address = plain(spoken.meant.address)
        yield f"  said     turn {spoken.meant.turn} of session {plain(spoken.session_id)}"
        yield f"           {linked(address, spoken.meant.address if look.links and address.isascii() else None)}"
        for one in spoken.said:
            yield from excerpt(one, look, mark=">" if one is spoken.meant else " ")
