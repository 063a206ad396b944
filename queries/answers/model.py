"""Let a model that a person names write the SQL for a question.

The command reads one text on its stdin: the question, every view with its columns, and the book of named questions. It
is given nothing that was recorded, and answers with one select, which runs in the sandbox as anybody's does. It is run
only where `--model` names it; whatever it does with the text, it does as that person.
"""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from linetrail.ledger.errors import LinetrailError, UsageError
from linetrail.ledger.repository import Repository
from linetrail.projections.tables import models
from linetrail.projections.tables.prefix import Cut
from linetrail.queries.ask import question_files
from linetrail.queries.ask.choice import Unanswered
from linetrail.queries.render.text import plain
from linetrail.queries.sandbox import sandbox
from linetrail.queries.sandbox.limits import MAX_SQL

SECONDS = 300.0
# A select that the engine refuses is handed back once, with what it said.
TRIES = 2
_TASK = """\
Answer the question below with one select statement for DuckDB over the views below, and nothing else: no other text, no
parameters. What the views cannot tell is not to be guessed: then answer with one line, CANNOT: and the reason. It is
now {now:%Y-%m-%d %H:%M} UTC; times in the views are UTC. The notes on the named questions say how to count."""
_FENCED = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_CANNOT = re.compile(r"\s*CANNOT: ?(.*)")


class ModelError(LinetrailError):
    """The command that a person named as the model gave no select that can be run."""

    exit_status = 1
    hint = "try the command by hand: it reads a question on stdin and writes SQL on stdout"


class Modelled(NamedTuple):
    """The SQL that a model wrote, and what it answered."""

    sql: str
    answer: sandbox.Answer


def reply(
    repository: Repository, command: str, question: str, now: datetime, until: Cut | None
) -> Modelled | Unanswered:
    """Answer a question by the SQL of a model; a select that is refused is handed back to it once."""
    text = request(question, now)
    for remaining in reversed(range(TRIES)):
        written = sql(command, text)
        if isinstance(written, Unanswered):
            return written
        try:
            return Modelled(written, sandbox.ask(repository, written, until=until))
        except UsageError as error:
            if not remaining:
                raise ModelError(f"the SQL of the model cannot be run: {error}\n{plain(written)}") from None
            text += f"\n\n# Your last answer\n{written}\n\n# What the engine said of it\n"
            text += _refusal(repository, written, until)
    raise AssertionError


def sql(command: str, text: str) -> str | Unanswered:
    """Return the select that a model writes for a request, or why it writes none."""
    said = _run(command, text)
    if cannot := _CANNOT.match(said):
        return Unanswered(f"the model says: {plain(cannot[1].strip()) or 'no reason'}")
    fenced = _FENCED.search(said)
    written = (fenced[1] if fenced else said).strip()
    if not written:
        raise ModelError("the model said nothing")
    return written


def request(question: str, now: datetime) -> str:
    """Return what a model is asked: nothing of it was recorded, all of it but the question and the time is public."""
    return "\n".join((_TASK.format(now=now), *_schema(), *_book(), "\n# The question", question))


def _schema() -> Iterator[str]:
    yield "\n# The views"
    for view in models.views():
        yield f"\n{view.name}: {view.about}"
        yield from (f"  {column}: {comment}" for column, comment in models.column_comments(view).items())


def _book() -> Iterator[str]:
    yield "\n# The named questions"
    for question in question_files.questions().values():
        yield f"\n@{question.name}: {question.question}\n  columns: {', '.join(question.columns)}"
        yield from (f"  {line}" for line in question_files.notes(question))


def _run(command: str, text: str) -> str:
    """Run the command with a text on its stdin, as a shell would without expanding anything, and return its stdout."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--model {command!r} is no command: {error}") from None
    if not words:
        raise UsageError("--model is the command of a model")
    try:
        ended = subprocess.run(words, input=text.encode(), stdout=subprocess.PIPE, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise ModelError(f"the model took longer than {SECONDS:g} s and was stopped") from None
    except OSError as error:
        raise UsageError(f"the model cannot be run: {command}: {os.strerror(error.errno or 0)}") from None
    if ended.returncode:
        raise ModelError(f"the model ended with status {ended.returncode}")
    return ended.stdout[: 2 * MAX_SQL].decode(errors="replace")


def _refusal(repository: Repository, written: str, until: Cut | None) -> str:
    """Return why a select cannot be planned; what fails on recorded values would quote them, and is not told."""
    try:
        sandbox.ask(repository, written, until=until, explain=True)
    except UsageError as error:
        return str(error)
    return "It failed on the values that it met."
