"""What a question in words came to: what answers it, or that nothing does."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.queries.ask.question_files import Question


class Figure(NamedTuple):
    """How an answer is put in a sentence: the column of the figure, what it counts, and how it was asked for.

    `shape` is one of those of grammar.py, `unit` is in the singular, `thing` and `by` are what is asked about.
    """

    column: str
    unit: str
    shape: str
    thing: str = ""
    by: str | None = None
    # whether the figures of groups add up: a file that two agents changed is one
    adds_up: bool = True
    # the files whose lines are asked about; none stands for all
    paths: tuple[str, ...] = ()
    # what tells it apart from the same figure of another time, and the figures that stand beside it
    label: str | None = None
    # the unit that it was asked for in, and how much of the figure that is
    told_in: tuple[str, float] | None = None
    # whether those whose figures these are were compared
    is_compared: bool = False
    beside: tuple["Figure", ...] = ()

    @property
    def name(self) -> str:
        """Return the column of its own where several figures stand in a row."""
        return f"{self.label}_{self.column}" if self.label else self.column


class Chosen(NamedTuple):
    """A question with what it is told. `others` are files of the same name."""

    question: Question
    told: Mapping[str, Any]
    others: Sequence[str] = ()
    # whether the SQL is a select over the rows of the named question
    is_narrowed: bool = False
    figure: Figure | None = None
    # what answers where this has no rows
    otherwise: "Chosen | None" = None
    # whether rows are looked for by the words, where nothing has rows
    is_searched: bool = False


class Unanswered(NamedTuple):
    """That there is no answer, why, and what could be asked instead."""

    reason: str
    near: Sequence[str] = ()
