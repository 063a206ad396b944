"""What can be wrong with a registry of intents, and how it is said: code, line and the way out."""

from collections.abc import Mapping
from typing import NamedTuple

from linetrail.ledger.intents.intent import TOO_LARGE, Intent, compact

# Of more than the first people are warned; more than the second are more than anybody keeps.
MAX_INTENTS, MOST_INTENTS = 1000, 10_000
# code -> what it means, in the order of the fields; docs/intents.md shows it
CODES = {
    "YAML_PARSE_ERROR": "not YAML, not UTF-8, nested too deeply, or anchors, aliases and tags, which are refused",
    "MISSING_ACTIVE_INTENTS": "the root has no list of intents",
    "FILE_TOO_LARGE": f"the file is {TOO_LARGE}",
    "TOO_MANY_INTENTS": f"more than {MAX_INTENTS:,} intents, which is much; more than {MOST_INTENTS:,} are not read",
    "INVALID_TYPE": "a list, text or map is expected here",
    "DUPLICATE_KEY": "a key is there twice, or in both spellings",
    "UNKNOWN_FIELD": "a key that linetrail does not know",
    "INVALID_ID_FORMAT": "the id is not INT- and three digits or more",
    "DUPLICATE_ID": "two intents have the same id",
    "MISSING_NAME": "the intent has no name",
    "INVALID_STATUS": "the status is missing or none of the known ones",
    "REOPENED": "it was done, and is worked on again; the reason that was given",
    "INVALID_APPROVAL": "what a person approves is none of the known words",
    "INVALID_PRIORITY": "the priority is none of the known ones",
    "MISSING_BLOCKED_REASON": "BLOCKED, and nobody says why",
    "EMPTY_SCOPE": "the intent owns no files",
    "INVALID_GLOB": "a pattern that cannot match as it was meant",
    "ABSOLUTE_PATH": "a pattern that is not relative to the repository",
    "SCOPE_OVERLAP": "two intents in progress own the same file",
    "MISSING_CONSTRAINTS": "no constraint is given",
    "INVALID_CONSTRAINT": "a constraint that should be checked, and cannot be",
    "MISSING_ACCEPTANCE_CRITERIA": "nothing says when it is done",
    "INVALID_CRITERION": "a criterion that a command should decide, and cannot be run",
    "INVALID_DEPENDENCY": "it depends on an intent that is not here",
    "CIRCULAR_DEPENDENCY": "it depends on itself, by way of others",
    "DEPENDENCY_NOT_DONE": "in progress before what it depends on is done",
    "INVALID_PARENT": "its parent is not here",
    "CIRCULAR_PARENT": "it is its own parent, by way of others",
    "MISSING_TIMESTAMP": "one of the two times is given, and the other is not",
    "INVALID_TIMESTAMP_FORMAT": "no time as 2026-01-05T09:00:00Z",
    "INVALID_TIMESTAMP": "updated before it was created",
}


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
