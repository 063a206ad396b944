"""What the `data` of every type of event may carry, and the kinds of values in it."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from linetrail.ledger.event.event import MAX_INT

Count = Annotated[int, Field(ge=0, le=MAX_INT)]
Position = Annotated[int, Field(ge=1, le=MAX_INT)]
Integer = Annotated[int, Field(ge=-MAX_INT, le=MAX_INT)]
Digest = Annotated[str, Field(pattern="^sha256:[0-9a-f]{64}$")]
LineHash = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
Name = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
GitId = Annotated[str, Field(pattern="^([0-9a-f]{40}|[0-9a-f]{64})$")]
Excerpt = Annotated[str, Field(max_length=200)]


class Fact(BaseModel):
    """Strict: a name that is not listed, a float, or a number in quotes is an error."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)


class Received(Fact):
    """Where in a file an imported record stood: in order, the `raw` of all events of a file are its lines."""

    file: str
    """Relative to the repository; the bare name of a file that lies elsewhere."""
    line: Position
    """Several records may have been glued into one line, then `raw` is the record's own piece of it."""
    unended: bool | None = None
    """True: the line was the last and had no line feed."""
    part: Position | None = None
    """Of a record too long for one event: which part of it `raw` is; the parts follow one another."""
    parts: Position | None = None
    redacted: bool | None = None
    """True: secrets were taken out of `raw`, which is the line but for their marks."""
    left_out: list[str] | None = None
    """Of a note: names of fields that hold a conversation, or a long text; in `raw` they are empty."""


class Data(Fact):
    """What the `data` of every type may carry besides its own fields."""

    dialect: str | None = None
    """Of an imported record: the format it came in. `latin-1`: it is no UTF-8, `raw` has a character for each byte."""
    raw: str | None = None
    """Of an imported record: the line as it was received, without its line feed; of a note, its text."""
    received: Received | None = None
