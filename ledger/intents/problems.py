"""What can be wrong with a registry of intents, and how it is said: code, line and the way out."""

from collections.abc import Mapping
from typing import NamedTuple

from linetrail.ledger.intents.intent import Intent, compact

# Of more than the first people are warned; more than the second are more than anybody keeps.
MAX_INTENTS, MOST_INTENTS = 1000, 10_000


class Problem(NamedTuple):
    """One finding; `fatal`: nobody can tell what the file as a whole says."""

    level: str
    code: str
    intent_id: str | None
    field: str | None
    line: int
    message: str
    fatal: bool = False


class Entry(NamedTuple):
    """An intent, and the lines of its values by field; an item of a list is `field[n]`, from 0."""

    intent: Intent
    lines: Mapping[str, int]

    def error(self, code: str, field: str, message: str, at: str | None = None) -> Problem:
        """Name what makes this intent unusable."""
        return self._problem("error", code, field, message, at)

    def warning(self, code: str, field: str, message: str, at: str | None = None) -> Problem:
        """Name what stops nothing."""
        return self._problem("warning", code, field, message, at)

    def _problem(self, level: str, code: str, field: str, message: str, at: str | None) -> Problem:
        line = self.lines.get(at or field) or self.lines.get(field) or self.intent.line
        return Problem(level, code, self.intent.id, field, line, message)


class Reading(NamedTuple):
    """What could be read of a registry, and what is wrong with it."""

    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...]


def shown(text: str) -> str:
    """Return a text from the file as one that is plainly quoted, if it needs that."""
    short = text if len(text) <= 80 else text[:79] + "…"
    return short if short.isprintable() and short.split() == [short] else compact(short)
