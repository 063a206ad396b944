r"""Read the rules of the audit: files of SQL in ``rules/``, and the two that no table can answer.

The first comment of a file is what is found; `-- key: value` lines say the rest, and a key that comes twice goes on. In
`message` and `remedy` a column stands in braces; a `rows of` line names tables without whose rows there is none. What
makes a finding the same one the next time is its path and its `anchor`, so neither a place nor a time may be in that
column. What a row says has to follow from one session, as far as `session_answers` tells: after more events, a rule is
asked about their sessions alone.
"""

import difflib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from linetrail.ledger.errors import UsageError
from linetrail.queries.ask.question_files import Question, read

HERE = Path(__file__).resolve().parent.parent / "rules"
HIGH, MEDIUM, LOW, INFO = "high", "medium", "low", "info"
# The worst first.
LEVELS = (HIGH, MEDIUM, LOW, INFO)
# What every rule answers with; further columns are there to be named in its message.
COLUMNS = (
    "position",
    "path",
    "line",
    "end_line",
    "anchor",
    "session_id",
    "intent_id",
    "agent_name",
    "event_id",
    "occurred_at",
)
_FILE = re.compile(r"(LT\d{3})_(\w+)\.sql")
_KEY = re.compile(r"^-- (id|level|control|message|remedy|why|example|silent|rows of): (.+)$", re.MULTILINE)


class Rule(NamedTuple):
    """What is looked for, how bad it is, and what helps. Without a `question` it is answered outside the tables.

    The question has no row where all the tables are empty that its rows are `rows_of`.
    """

    id: str
    name: str
    finds: str
    level: str
    controls: tuple[str, ...]
    message: str
    remedy: str
    why: str
    example: str
    silent: str
    question: Question | None = None
    rows_of: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The name in words."""
        return self.name.replace("_", " ")

    @property
    def advice(self) -> str:
        """The remedy with names in capitals where a finding has values."""
        return spelled(self.remedy)


def spelled(template: str) -> str:
    """Return a sentence with names in capitals where values belong.

    >>> spelled("linetrail show {event_id}; {{a: b}}")
    'linetrail show EVENT_ID; {a: b}'
    """
    named = re.sub(r"(?<!\{)\{(\w+)\}", lambda found: found[1].upper(), template)
    return named.replace("{{", "{").replace("}}", "}")


# An exception that ended is no fact of the ledger, but somebody has to decide again.
EXPIRED = Rule(
    id="LT000",
    name="expired_exception",
    finds="An exception of the policy has ended",
    level=MEDIUM,
    controls=("CC8.1",),
    message="the exception for {rules} ended on {expires}: {reason} ({owner})",
    remedy="decide again: write a new date into the policy, or take the exception out",
    why="An exception that nobody ends becomes the rule.",
    example="Generated files were left out until the end of a quarter, and the quarter is over.",
    silent="for exceptions without a date",
)


# Commits are git's; the ledger has what hooks saw of them.
UNMET = Rule(
    id="LT021",
    name="commit_without_record",
    finds="A commit with the signs of an agent holds what no hook ever met",
    level=MEDIUM,
    controls=("CC7.2", "ASI10", "SSDF PS.3"),
    message="{path} was committed in {revision} with the signs of an agent, and no hook saw it written",
    remedy="linetrail doctor; linetrail gate reconcile; then linetrail import what the agent kept of its session",
    why="Hooks can be off. Then nothing was held against a scope, and nobody can ask later why a line is there.",
    example="A commit is co-authored by an agent that ran where linetrail is not installed.",
    silent="for commits of people, for merges, and for what is older than the first event of the ledger",
)


@cache
def rules() -> Mapping[str, Rule]:
    """Return every rule by its id, in the order of the ids."""
    found = [parse(path.name, path.read_text("utf-8")) for path in sorted(HERE.glob("*.sql"))]
    return {rule.id: rule for rule in (EXPIRED, *found, UNMET)}


def parse(file: str, text: str) -> Rule:
    r"""Read one rule from the text of its file.

    >>> parse("LT999_odd_write.sql", "-- Odd\n-- level: low\n-- control: CC1\n-- columns: path\nselect 1").title
    'odd write'
    """
    named = _FILE.fullmatch(file)
    if named is None:
        raise ValueError(f"{file} is no name of a rule, such as LT001_out_of_scope_write.sql")
    said: dict[str, str] = {}
    for key, value in _KEY.findall(text):
        said[key] = f"{said[key]} {value}" if key in said else value
    question = read(file, text)
    return Rule(
        id=named[1],
        name=named[2],
        finds=question.question,
        level=said.get("level", LOW),
        controls=tuple(control.strip() for control in said.get("control", "").split(",") if control.strip()),
        message=said.get("message", ""),
        remedy=said.get("remedy", ""),
        why=said.get("why", ""),
        example=said.get("example", ""),
        silent=said.get("silent", ""),
        question=question,
        rows_of=tuple(said["rows of"].split(", ")) if "rows of" in said else (),
    )


def find(name: str) -> Rule:
    """Return a rule by its id or its name, however it is written; or name those that look alike."""
    wanted = name.strip().lower().replace("-", "_").replace(" ", "_")
    known = {rule.id.lower(): rule for rule in rules().values()} | {rule.name: rule for rule in rules().values()}
    if wanted in known:
        return known[wanted]
    alike = difflib.get_close_matches(wanted, known, n=3, cutoff=0.5)
    told = f"; is it {' or '.join(known[one].id + ' ' + known[one].name for one in alike)}?" if alike else ""
    raise UsageError(f"no rule is called {name}{told}", "linetrail explain")


def at_least(level: str, least: str) -> bool:
    """Return whether a level is as bad as another, or worse.

    >>> at_least("high", "medium"), at_least("low", "medium")
    (True, False)
    """
    return LEVELS.index(level) <= LEVELS.index(least)
