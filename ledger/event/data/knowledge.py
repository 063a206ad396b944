"""What was decided, learned and thought."""

from typing import Literal

from linetrail.ledger.event.data.shared import Count, Data, Digest, Excerpt, Fact, LineHash, Position


class Alternative(Fact):
    """A way that was not taken."""

    option: str
    why_rejected: str | None = None


class DecidedLines(Fact):
    """Lines that a decision is about, with what tells them again where they went."""

    path: str
    first: Position
    last: Position
    line_hashes: list[LineHash]
    """One for each of the lines, as in a hunk."""


class DecisionRecorded(Data):
    """Somebody chose between ways and said why."""

    decision_id: str
    """The same in each record of one decision; the last record counts."""
    title: str
    rationale: str | None = None
    status: str
    supersedes: str | None = None
    """The decision this one replaces."""
    alternatives: list[Alternative] = []
    lines: list[str] | None = None
    """The places it is about, as `path:first-last`; a whole file is its path alone."""
    places: list[DecidedLines] | None = None
    """Those of the places that are lines, as they were when this was recorded."""


class LessonRecorded(Data):
    """Something to do differently next time."""

    lesson_id: str
    """The same for the same lesson learned again."""
    title: str
    body: str | None = None
    lines: list[str] | None = None
    """The places it is about, as `path:first-last`."""
    source: Literal["denial", "command", "verification", "demand"] | None = None
    """What taught it; `demand`: somebody said so."""
    code: str | None = None
    """The stable word of the refusal or failure that taught it."""
    path: str | None = None
    """The file, folder or program it is about."""
    resolution: str | None = None
    """How it is put right, where somebody said so."""
    pattern: str | None = None
    """By what it is known when it comes again, where somebody said so."""
    forgotten: bool | None = None
    """True: a person wants it shown no more, whatever teaches it again, until a person says it."""


class LessonsShown(Data):
    """An agent was told lessons together with its intent, when it checked it out or its session began."""

    intent_id: str | None = None
    lesson_ids: list[str]
    """Those that there was room for, the most useful first."""


class ThoughtRecorded(Data):
    """An excerpt of an agent's reasoning; recorded only where a person asked for it."""

    excerpt: Excerpt
    """The first characters, secrets taken out."""
    sha256: Digest | None = None
    """Of the whole thought in UTF-8; in older events. A short text can be guessed from it."""
    length: Count
    """Characters in the whole thought."""
    commitment: Digest | None = None
    """SHA-256 of 32 random bytes, then the whole thought in UTF-8. The bytes are kept on one machine and erasable."""
    prompt_id: str | None = None
    """The prompt it was thought about."""
    agent_id: str | None = None
    """The subagent that thought; null is the main agent of the session."""
