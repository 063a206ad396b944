"""What was done to the ledger itself."""

from typing import Literal

from linetrail.ledger.event.data.shared import Count, Data, Digest, Name, Position


class LedgerSealed(Data):
    """The header of a segment: the lines that follow it in its file are closed."""

    parents: list[Name]
    """Every segment that no other named as its parent when this one was sealed."""
    first: Position
    """Number of the first line in the chain of the tail it was sealed from."""
    last: Position
    follows: Name
    """Hash of the line before the first; 64 zeros where a chain begins."""
    digest: Name
    """Hash of the last line."""
    bytes: Count
    """Of the lines, without the header."""
    oldest_id: str
    newest_id: str
    redaction: Count
    """Version of the rules by which secrets were taken out."""


class LedgerRepaired(Data):
    """A line that was never finished was moved aside; the bytes are kept."""

    quarantined: str
    """Where, relative to `.orchestration`."""
    bytes: Count
    offset: Count


class LedgerRestored(Data):
    """The file of lines not sealed yet was gone, and came back from the second name that git's folder keeps."""

    lines: Count


class LedgerLost(Data):
    """Lines that were acknowledged and not sealed are gone, or not as they were."""

    lines: Count
    """At least so many."""
    digest: Name
    """Hash of the last of them."""


class LedgerMissed(Data):
    """Events could not be stored, for want of space or of rights; some may be missing."""

    since: str
    """When that began, in RFC 3339."""
    events: Count
    """How many could not be stored, as far as that could be counted."""


class PayloadErased(Data):
    """What was kept outside the ledger was deleted on request; the lines that speak of it stay."""

    sha256: Digest
    """Of the content, or the commitment to the text whose salt is gone."""
    reason: str | None = None
    """As the person who asked for it wrote, secrets taken out."""
    kind: Literal["content", "salt"] | None = None
    erased_event_id: str | None = None
    """The event whose salt is gone."""
    path: str | None = None
    """A file that had the content."""
