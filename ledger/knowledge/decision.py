"""One decision: what was chosen, why, instead of what, and the lines it is about.

The id is drawn, not counted: two branches that decide at the same time do not meet in one number.
"""

import os
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from linetrail.ledger.knowledge.markdown_line import visible
from linetrail.ledger.redact.redactor import Redactor

PROPOSED, ACCEPTED, REJECTED, SUPERSEDED = STATUSES = ("proposed", "accepted", "rejected", "superseded")
MAX_TITLE, MAX_TEXT, MAX_ALTERNATIVES, MAX_LINES = 200, 4000, 20, 1500
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Alternative(NamedTuple):
    """A way that was not taken."""

    option: str
    why_rejected: str | None = None


class Place(NamedTuple):
    """Lines of a file as they were when it was decided; without a `first`, the whole file, whatever is in it."""

    path: str
    first: int | None = None
    last: int | None = None
    line_hashes: Sequence[str] = ()

    @property
    def text(self) -> str:
        """The place as it is written: `path:first-last`."""
        return self.path if self.first is None else f"{self.path}:{self.first}-{self.last}"


class Decision(NamedTuple):
    """What somebody decided, as a record of it tells; `intent_id` and `session_id` are the event's."""

    id: str
    title: str
    rationale: str | None = None
    status: str = ACCEPTED
    supersedes: str | None = None
    alternatives: tuple[Alternative, ...] = ()
    places: tuple[Place, ...] = ()


def new_id() -> str:
    """Return an id that nobody else draws: 40 random bits, short enough to be typed by its first digits."""
    return f"D-{os.urandom(5).hex()}"


def alternative(text: str) -> Alternative:
    """Read `option: why rejected`; a colon without a space behind it belongs to the option.

    >>> alternative("cron job at 03:00: races with deploys")
    Alternative(option='cron job at 03:00', why_rejected='races with deploys')
    """
    option, _, why = text.partition(": ")
    return Alternative(option.strip(), why.strip() or None)


def event_data(decision: Decision, redactor: Redactor) -> dict[str, Any]:
    """Return the `data` of the event that records it, secrets taken out of all that somebody wrote."""
    ranges = [place for place in decision.places if place.first is not None]
    return {
        "decision_id": decision.id,
        "title": redactor.excerpt(visible(decision.title), MAX_TITLE),
        "rationale": _redacted(decision.rationale, redactor),
        "status": decision.status,
        "supersedes": decision.supersedes,
        "alternatives": [
            {
                "option": redactor.excerpt(visible(way.option), MAX_TITLE),
                "why_rejected": _redacted(way.why_rejected, redactor),
            }
            for way in decision.alternatives
        ],
        "lines": [place.text for place in decision.places] or None,
        "places": [place._asdict() | {"line_hashes": list(place.line_hashes)} for place in ranges] or None,
    }


def _redacted(text: str | None, redactor: Redactor) -> str | None:
    return None if text is None else redactor.cut(visible(text), MAX_TEXT)
