"""Find the named question that answers one in plain words, and what it has to be told.

A question is taken apart into what is measured (cost, tokens, lines, changes, prompts …), by what it is summed up, and
of whom, where and when. What none of the named questions can be told is no reason to leave it out in silence: then
there is no answer, and that is said. None stands for a question that looks for rows, which `search` answers.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import chain, pairwise
from typing import Any

from linetrail.queries.ask import account, lexicon, question_files, several, words
from linetrail.queries.ask.choice import Chosen, Figure, Unanswered
from linetrail.queries.ask.compiler import compiled
from linetrail.queries.ask.grammar import COUNT, LIST, Plan, plans
from linetrail.queries.ask.lexicon import LEAST, MOST
from linetrail.queries.ask.question_files import Question
from linetrail.queries.ask.said import DIMENSIONS, Known, Said

# what a question is told -> the column that says the same of its rows, where it cannot be told
_COLUMNS = {"agent": "agent_name", "model": "model_id", "intent": "intent_id", "path": "path", "until": "occurred_at"}
_HAS = "instr(lower(cast({} as varchar)), lower(cast(${} as varchar))) > 0"
# what says little of itself: the prompt and the intent tell what it is about, which `search` knows
_IN_CONTEXT = frozenset({"change", "call", "test"})
# by what is summed up -> how a column of that is called or begins, where not in the same way
_OF_GROUPS = {"person": "human", "file": "path", "commit": "vcs_revision"}


def choose(question: str, now: datetime, known: Known, paths: Sequence[str]) -> Chosen | Unanswered | None:
    """Return what answers a question at a moment, with the names that a ledger has and the files of a repository."""

    def reading(text: str) -> tuple[Said, Sequence[Plan]]:
        said = Said(text, now, known, paths)
        return said, plans(said, known.values)

    if found := several.running(question, reading) or several.beside(question, now, reading):
        return found
    said, readings = reading(question)
    read = next(iter(readings), None)
    by_name = _by_words(said)
    is_known_best = "line" in said.told or (said.node and read and read.shape != COUNT and read.figure != "length")
    if by_name is not None and is_known_best:
        return by_name
    if read is not None and not (read.left or read.unread):
        return compiled(read, said.since, said.until)
    return several.ratio(question, reading) or by_name or _with_left(said, readings)


def _with_left(said: Said, readings: Sequence[Plan]) -> Chosen | Unanswered | None:
    """Return what answers where no reading has a use for all words."""
    read, is_searchable = next(iter(readings), None), account.is_searchable(said)
    if read is None or (read.left and "what" not in read.thing.columns):
        return None if is_searchable else account.cannot(said)
    if read.shape == LIST and is_searchable and read.left:
        return _searched(said, readings)
    return compiled(read, said.since, said.until)


def _searched(said: Said, readings: Sequence[Plan]) -> Chosen | None:
    """Return the rows of a thing that have all the words which are left; where there are none, rows are looked for.

    Why something is so, is told by what has reasons.
    """
    found: Plan | None = None
    has_words = {"what", "reason"} if "why" in said.low else {"what"}
    telling = [one for one in readings if one.shape == LIST and one.thing.name not in _IN_CONTEXT]
    listed = [one for one in telling if has_words <= {*one.thing.columns}]
    for one in reversed((*listed, *(one._replace(is_wide=True) for one in listed))):
        found = one._replace(otherwise=found)
    if found is None:
        return None
    # whether a thing is all that there is of its kind, so that nothing else can be looked for
    is_all = found.thing.name in ("commit", "definition") or (found.thing.name == "approval" and found.by is not None)
    return compiled(found, said.since, said.until)._replace(is_searched=not is_all)


def _by_words(said: Said) -> Chosen | None:
    """Return the question whose own words were used, the one with most of them; all that was said must be of use.

    Words count that were said as they stand, and others that mean the same where something happened, or was told.
    """
    loosely = not account.is_untold(said) and not set(said.low) & lexicon.plain("attempts")
    found: dict[tuple[bool, int, int], Chosen] = {}
    for name, question in question_files.questions().items():
        for phrase in question.phrases:
            exactly = all({words.stem(word) for word in one} & said.stems for one in phrase)
            alike = loosely and all({lexicon.concept(word) for word in one} & said.concepts for one in phrase)
            chosen = _by_phrase(said, name, question, phrase) if exactly or alike else None
            if isinstance(chosen, Chosen):
                found.setdefault((exactly, len(phrase), -len(question.parameters)), chosen)
            elif chosen is not None and len(phrase) > 1:
                said.short = said.short or chosen
    return found[max(found)] if found else None


def _by_phrase(
    said: Said, name: str, question: Question, phrase: Sequence[frozenset[str]]
) -> Chosen | Unanswered | None:
    """Return a question one of whose phrases was said, or what it would have to be told; None where more was said."""
    said_so = {lexicon.concept(word) for one in phrase for word in one}
    known = said_so | _spoken(name)
    summed = said.summed or said.orders & {MOST, LEAST}
    groups = [
        group
        for at, group in said.groups.items()
        if summed and (lexicon.concept(said.low[at]) not in said_so or said.low[at - 1] == "by")
    ]
    if said.head.endswith("s") and lexicon.concept(said.head) not in said_so | _concepts(question.question):
        groups += filter(None, [lexicon.dimensions(said.head)])
    # what turns a question into its opposite or into a share has to be what the question is about
    turning = lexicon.plain("negations") | lexicon.plain("everything") | lexicon.plain("average")
    turned = {lexicon.concept(low) for low in said.low if low in turning}
    turned |= {"share"} if lexicon.plain("share") & set(said.low) else set()
    if not _answers_for(question, groups) or not turned <= known:
        return None
    known |= {lexicon.concept(said.low[at]) for at, one in said.groups.items() if _answers_for(question, [one])}
    is_ranked = " desc" in question.sql.rpartition("order by")[2]
    known |= lexicon.plain_degrees() if said.orders & {MOST, LEAST} and is_ranked else set()
    told = {**said.told, "since": said.since, "until": said.until, **_dimensions(said, question)}
    left = [word for word in said.left(lexicon.is_filler) if lexicon.concept(word.lower()) not in known]
    if any(parameter.name == "node" for parameter in question.parameters):
        told["node"] = said.node or next(iter(left), None)
        left = [word for word in left if word.removesuffix("()") != told["node"]]
    left += said.kinds - known
    found = _told(name, said, told, left)
    return None if left and isinstance(found, Unanswered) else found


@cache
def _spoken(name: str) -> frozenset[str]:
    """Return what a question speaks of besides its phrases: the concepts of its sentence and of its name."""
    question = question_files.find(name)
    texts = (
        question.question,
        " ".join((name, *question.columns, *(one.name for one in question.parameters))).replace("_", " "),
        *(one.meaning for one in question.parameters),
        *(value for one in question.parameters for value in one.values),
        *(" ".join(one) for phrase in question.phrases for one in phrase),
    )
    return _concepts(" ".join(texts))


def _concepts(text: str) -> frozenset[str]:
    return frozenset(lexicon.concept(word.strip("?,.:;")) for word in text.lower().split())


def _answers_for(question: Question, groups: Iterable[Sequence[str]]) -> bool:
    """Return whether a question answers for each agent, each intent and so on, as one asked."""
    values = {value for one in question.parameters if one.name in DIMENSIONS for value in one.values}
    columns = {column: column.partition("_")[0] for column in question.columns}
    told_apart = {*values, *columns, *columns.values()}
    return all(any(_OF_GROUPS.get(one, one) in told_apart for one in group) for group in groups)


def _told(name: str, said: Said, told: Mapping[str, Any], left: Sequence[str]) -> Chosen | Unanswered:
    """Return a question with what it is told, if that is all that was said and all that it needs."""
    question = question_files.find(name)
    parameters = {parameter.name: parameter for parameter in question.parameters}
    given = {key: value for key, value in told.items() if value is not None}
    unused = [
        *left,
        *said.missing,
        *said.paths[:-1],
        *([said.bound.unit or said.bound.how] if said.bound and said.bound.number != 1 else []),
    ]
    if unused:
        return Unanswered(f"@{name} cannot be narrowed by {', '.join(unused)}", [name])
    kept = {"dim": said.several[said.compared]} if said.compared and "dim" in question.columns else {}
    if said.endings and "path" not in question.columns:
        return Unanswered(f"@{name} cannot be narrowed by {', '.join(said.endings)}", [name])
    if said.endings:
        kept["path"] = said.endings
    clauses = {}
    for key in [key for key in given if key not in parameters]:
        column = "cohort_value" if _summed_by(question, key, given) else _COLUMNS.get(key)
        if column not in question.columns:
            return Unanswered(f"@{name} cannot be narrowed by {key}", [name])
        given |= {"cohort": key} if column == "cohort_value" else {}
        clauses[key] = f"{column} < ${key}" if key == "until" else _HAS.format(column, key)
    for column, texts in kept.items():
        given |= {f"{column}_{at}": text for at, text in enumerate(texts, 1)}
        clauses[column] = f"({' or '.join(_HAS.format(column, f'{column}_{at + 1}') for at in range(len(texts)))})"
    short = [key for key, parameter in parameters.items() if not parameter.optional and key not in given]
    if short:
        return Unanswered(f"@{name} has to be told its {' and '.join(short)}", [name])
    in_time = {given.get(name) for name in DIMENSIONS} & {"day", "month"} and not said.orders & {MOST, LEAST}
    order = "1 nulls last" if in_time else "row_at desc" if LEAST in said.orders else None
    counted = _counted(said, question) if said.many and question.counted and not said.summed else None
    return narrowed(Chosen(question, given, said.others), list(clauses.values()), order, counted)


def _counted(said: Said, question: Question) -> tuple[str, str] | None:
    """Return what `how many` asks for, and how it is counted: what rows tell apart, else the rows."""
    behind = (low for before, low in pairwise(said.low) if before in lexicon.plain("many"))
    for name in chain.from_iterable(map(lexicon.dimensions, behind)):
        called = _OF_GROUPS.get(name, name)
        for column in {called, f"{called}_id", f"{called}_name"}.intersection(question.columns):
            return name, f"count(distinct {column})"
    return question.counted


def narrowed(asked: Chosen, clauses: Sequence[str], order: str | None, counted: tuple[str, str] | None) -> Chosen:
    """Return a select over the rows of a question, or over how many there are; the question itself where all are."""
    question = asked.question
    if not (clauses or order or counted):
        return asked
    sql = question.sql.strip().removesuffix(";")
    for one in question.parameters:
        sql = sql if one.name in asked.told else re.sub(rf"\${one.name}\b", "null", sql)
    where = f"\nwhere {' and '.join(clauses)}" if clauses else ""
    figure = Figure(f"{counted[0].replace(' ', '_')}s", counted[0], COUNT) if counted else None
    if counted and figure:
        select = f"select {counted[1]} as {figure.column}\nfrom asked{where}"
    else:
        numbered = "(select *, row_number() over () as row_at from asked)"
        select = f"select * exclude (row_at)\nfrom {numbered}{where}\norder by {order or 'row_at'}"
    sql = f"with\nasked as (\n{sql}\n)\n\n{select};\n"
    return asked._replace(question=question._replace(sql=sql), is_narrowed=True, figure=figure)


def _summed_by(question: Question, key: str, given: Mapping[str, Any]) -> bool:
    """Return whether a question that cannot be narrowed can tell apart what it is to be narrowed to."""
    return "cohort" not in given and any(
        one.name == "cohort" and key in one.values and "cohort_value" in question.columns for one in question.parameters
    )


def _dimensions(said: Said, question: Question) -> dict[str, str]:
    """Return by what a question is asked to sum up, where it can."""
    for parameter in question.parameters:
        if parameter.name in DIMENSIONS:
            wanted = [*([said.compared] if said.compared else []), *chain.from_iterable(said.groups.values())]
            found = next((name for name in wanted if name in parameter.values), None)
            return {parameter.name: found} if found else {}
    return {}
