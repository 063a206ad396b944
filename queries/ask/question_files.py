r"""Read the named questions: files of SQL in ``questions/``.

The first comment of a file is the question, a `-- param name: meaning` line says what it may be told (`name?` may be
left out, and is null then), and a `-- columns:` line what it answers with. A `-- control:` line names what an audit may
take the answer as evidence for. A question with a `-- lines of: name` line asks about the lines of one file, that of
this parameter; only those are then worked out. A `-- values name: one, other` line says all that a parameter may be
told; one that is called `range` is told commits, as A..B or one of them, and gets their ids; one that is called
`frames` is told a stack trace, and gets its files; those in `NUMBERS` are told whole numbers. A `-- topic:` line says
where it stands in the list for people, an `-- asked as:` line in which words it is asked: phrases whose words all stand
in a question, in any order (`a|b`: one of them); a `-- how many:` line what a row is, and where a row is several of
them how these are counted.
"""

import difflib
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from linetrail.ledger.errors import UsageError
from linetrail.queries.arguments.frames import paths

NUMBERS = frozenset({"after", "least", "limit", "line", "seconds"})
_TOLD = re.compile(r"-- (control|topic|asked as|how many|param \w+\??|values \w+|columns|lines of): ")
_HOW_MANY = re.compile(r"^-- how many: ([\w ]+)(?:, (.+))?$", re.MULTILINE)
# What every engine takes for a number of rows.
_LARGEST = 2**31 - 1
# No file is called so.
_NO_FILE = ("/",)
HERE = Path(__file__).resolve().parent.parent / "questions"
# In the order of the list for people.
TOPICS = (
    "lines",
    "changes",
    "intents",
    "decisions and lessons",
    "the gate, and what went past it",
    "sessions, tools and cost",
    "the ledger",
    "other questions",
)


class Parameter(NamedTuple):
    """What a question may be told."""

    name: str
    meaning: str
    optional: bool
    values: tuple[str, ...] = ()


class Question(NamedTuple):
    """One question that has a name."""

    name: str
    question: str
    parameters: tuple[Parameter, ...]
    columns: tuple[str, ...]
    sql: str
    lines_of: str | None = None
    control: str | None = None
    topic: str = TOPICS[-1]
    # in which words people ask it, each phrase as its words; a word may be one of several
    phrases: tuple[tuple[frozenset[str], ...], ...] = ()
    # what `how many` asks for, in the singular, and the SQL that counts it over the rows
    counted: tuple[str, str] | None = None

    def paths(self, given: Mapping[str, object]) -> tuple[str, ...]:
        """Return the files whose lines it asks about, given what is understood of parameters; none stands for all."""
        told = given.get(self.lines_of) if self.lines_of else None
        if not isinstance(told, str):
            return ()
        return paths(told) or _NO_FILE if self.lines_of == "frames" else (told,)


@cache
def questions() -> dict[str, Question]:
    """Return every question by its name."""
    return {path.stem: read(path.stem, path.read_text("utf-8")) for path in sorted(HERE.glob("*.sql"))}


def find(name: str) -> Question:
    """Return one question, or name those that sound alike."""
    known = questions()
    if name in known:
        return known[name]
    alike = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    raise UsageError(
        f"no question is called {name}" + (f"; is it {' or '.join(alike)}?" if alike else ""), "linetrail sql --list"
    )


def notes(question: Question) -> Iterator[str]:
    """Yield the lines of the first comment that are prose for people, without the question itself."""
    for line in question.sql.splitlines()[1:]:
        if not line.startswith("--"):
            return
        if not _TOLD.match(line):
            yield line.removeprefix("--").strip()


def read(name: str, text: str) -> Question:
    r"""Read a question from its text.

    >>> read("x", "-- Who?\n-- param since?: after this\n-- columns: a, b\nselect 1 as a, 2 as b;\n").columns
    ('a', 'b')
    """
    parameters = re.findall(r"^-- param (\w+)(\??): (.+)$", text, re.MULTILINE)
    values = dict(re.findall(r"^-- values (\w+): (.+)$", text, re.MULTILINE))
    columns = re.findall(r"^-- columns: (.+)$", text, re.MULTILINE)
    return Question(
        name=name,
        question=text.partition("\n")[0].removeprefix("--").strip(),
        parameters=tuple(
            Parameter(param, meaning, bool(optional), tuple(values[param].split(", ")) if param in values else ())
            for param, optional, meaning in parameters
        ),
        columns=tuple(column.strip() for line in columns for column in line.split(",")),
        sql=text,
        lines_of=next(iter(re.findall(r"^-- lines of: (\w+)$", text, re.MULTILINE)), None),
        control=next(iter(re.findall(r"^-- control: (.+)$", text, re.MULTILINE)), None),
        topic=next(iter(re.findall(r"^-- topic: (.+)$", text, re.MULTILINE)), TOPICS[-1]),
        phrases=tuple(
            tuple(frozenset(word.split("|")) for word in phrase.split())
            for line in re.findall(r"^-- asked as: (.+)$", text, re.MULTILINE)
            for phrase in line.split(",")
        ),
        counted=next(((unit, by or "count(*)") for unit, by in _HOW_MANY.findall(text)), None),
    )


def bound(question: Question, given: dict[str, object]) -> dict[str, object]:
    """Return a value for every parameter of a question; what may be left out and is, is null."""
    names = [parameter.name for parameter in question.parameters]
    strange = sorted(set(given) - set(names))
    if strange:
        known = f"it knows {', '.join(names)}" if names else "it knows none"
        raise UsageError(f"@{question.name} has no parameter {', '.join(strange)}; {known}")
    missing = [parameter for parameter in question.parameters if not parameter.optional and parameter.name not in given]
    if missing:
        told = "; ".join(f"-p {parameter.name} VALUE ({parameter.meaning})" for parameter in missing)
        raise UsageError(f"@{question.name} must be told {told}")
    for name, _, _, values in question.parameters:
        if values and given.get(name) not in (None, *values):
            raise UsageError(
                f"@{question.name} knows no {name} {given[name]!r}; it knows {', '.join(values)}",
                f"linetrail sql @{question.name} -p {name} {values[0]}",
            )
    return {name: _number(question, name, given.get(name)) if name in NUMBERS else given.get(name) for name in names}


def _number(question: Question, name: str, value: object) -> object:
    """Return a number that came as text; the engine would name a line of its SQL, which nobody wrote here."""
    if not isinstance(value, str):
        return value
    if re.fullmatch(r"[0-9]{1,10}", value) is None or int(value) > _LARGEST:
        raise UsageError(f"@{question.name}: {name} is a whole number, not {value!r}; write -p {name} 3")
    return int(value)
