"""Acceptance criteria that a command decides: a map with `run`, and what it says in words in `text`.

An intent keeps them as they are written; what is wrong with one makes the intent unusable, as with a constraint.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from linetrail.ledger.intents.intent import Intent

SECONDS, MOST_SECONDS = 600, 3600
MAX_COMMAND = 4000


class Check(NamedTuple):
    """What has to be so, the command that ends with 0 where it is, and how long it may take."""

    criterion: str
    run: str
    seconds: int


def problems(written: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a criterion that is a map."""
    run, text, seconds = (written.get(name) for name in ("run", "text", "seconds"))
    if not isinstance(run, str) or not run.strip() or "\0" in run:
        yield "a criterion that is a map has its command in `run`, as in {text: Totals are right, run: pytest -q}"
    elif len(run) > MAX_COMMAND:
        yield f"a command longer than {MAX_COMMAND:,} characters; put it into a script"
    if text is not None and not isinstance(text, str):
        yield "what a criterion says in `text` is text"
    if seconds is not None and not (type(seconds) is int and 1 <= seconds <= MOST_SECONDS):
        yield f"the `seconds` that a command may take are a whole number from 1 to {MOST_SECONDS:,}"


def checks(intent: Intent) -> list[Check]:
    """Return the commands of an intent, in the order of its criteria."""
    return [Check(wording(one), one["run"], one.get("seconds") or SECONDS) for one in intent.checks]


def wording(written: str | Mapping[str, Any]) -> str:
    """Return what a criterion says in words: the command where nothing else is said."""
    if isinstance(written, str):
        return written
    return str(written.get("text") or written.get("run") or "")
