"""The questions that can be asked of all repositories: those of an organisation, and those of a single one."""

import re
from collections.abc import Collection
from functools import cache

from linetrail.ledger.errors import UsageError
from linetrail.projections.tables import models
from linetrail.projections.tables.tables import named as tables_named
from linetrail.queries.ask import question_files
from linetrail.queries.ask.question_files import Question
from linetrail.queries.fleet import columns

HERE = question_files.HERE / "fleet"
_COMMENT = re.compile(r"--.*")
_WORD = re.compile(r"\w+")
# These functions are told the name of a table as a text.
_HIDING = frozenset({"query", "query_table"})


class OfOneRepositoryError(UsageError):
    """A question asks what git alone knows, which a store does not have."""

    hint = "linetrail fleet sql --list"


@cache
def of_organisation() -> dict[str, Question]:
    """Return the questions over groups that are large enough, by name."""
    return {path.stem: question_files.read(path.stem, path.read_text("utf-8")) for path in sorted(HERE.glob("*.sql"))}


@cache
def of_repositories() -> dict[str, Question]:
    """Return the questions that a single repository has, too, and that segments alone can answer."""
    return {name: one for name, one in question_files.questions().items() if not _asks_git(one)}


def find(name: str) -> Question:
    """Return a question by its name; one of an organisation goes first."""
    if name in of_organisation():
        return of_organisation()[name]
    question = question_files.find(name)
    if missing := _asks_git(question):
        tables = " and ".join(sorted(missing))
        raise OfOneRepositoryError(f"@{name} asks the git of one repository ({tables}), and a store has segments alone")
    return question


def named(sql: str, tables: Collection[str]) -> set[str]:
    """Return the tables that a query names; all, where it may name them in a way that its text does not show."""
    words = set(_WORD.findall(_COMMENT.sub("", sql).lower()))
    return set(tables) if words & _HIDING else words & set(tables)


def _asks_git(question: Question) -> set[str]:
    """Return the views of a question that follow from more than segments."""
    views = tables_named(_COMMENT.sub("", question.sql)) & {view.name for view in models.views()}
    return views - {view.name for view in columns.views()}
