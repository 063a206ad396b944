"""Answer a question in plain words: by the named question that it is, else by the rows that fit it best."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

from linetrail.ledger.errors import UsageError
from linetrail.ledger.gate.refusals import ADVICE
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Tables
from linetrail.queries.arguments.moments import moment
from linetrail.queries.ask import lexicon, nested, search
from linetrail.queries.ask.account import cannot
from linetrail.queries.ask.ask import answer
from linetrail.queries.ask.choice import Chosen, Unanswered
from linetrail.queries.ask.interpretation import is_id, understand
from linetrail.queries.ask.question_match import choose
from linetrail.queries.ask.said import Known, Said
from linetrail.queries.ask.spelling import respelled

_REASONS = ("why ", "where ", "reason ")


class Named(NamedTuple):
    """The answer of a named question, or of one over things; `read_as` is the question with its spelling mended."""

    chosen: Chosen
    table: Table
    read_as: str | None = None

    @property
    def rows(self) -> Sequence[Any]:
        """Return the rows that answer."""
        return self.table.rows


def reply(
    tables: Tables, question: str, now: datetime, known: Known, limit: int = search.LIMIT
) -> Named | Unanswered | search.Answer:
    """Answer; `limit` is for rows that are looked for, a named question has all of its own.

    Words are only spelled anew where they were of no use as they stand.
    """
    files = tables.once(_files)
    # a code that nothing was refused by yet is one where it is spelled so
    codes = {*known.values.get("code", ()), *ADVICE.keys() & set(re.findall(r"\w+", question))}
    known = known._replace(values={**known.values, "code": sorted(codes)})
    if not all(map(lexicon.is_known, re.findall(r"\w+", question.lower()))):
        known = known._replace(people=tables.once(search.people))
    found = _reply(tables, question, now, known, files, limit)
    other = None if _is_whole(found) else respelled(question, known, partial(search.is_recorded, tables))
    mended = _reply(tables, other, now, known, files, limit) if other else None
    if isinstance(mended, Named | search.Answer) and _is_whole(mended):
        return mended._replace(read_as=other)
    return found


def _reply(
    tables: Tables, question: str, now: datetime, known: Known, files: Sequence[str], limit: int, *, nests: int = 3
) -> Named | Unanswered | search.Answer:
    """Answer a question in which others are nested so often: a model may be called `the most expensive model`."""

    def again(asked: str) -> Named | Unanswered | search.Answer:
        return _reply(tables, asked, now, known, files, limit, nests=nests - 1)

    found = _by_inside(question, again) if nests else None
    return found or _directly(tables, question, now, known, files, limit)


def _by_inside(
    question: str, ask: Callable[[str], Named | Unanswered | search.Answer]
) -> Named | Unanswered | search.Answer | None:
    """Answer a question with another one inside it, which is asked first; None where there is none."""
    inside = nested.inside(question)
    inner = ask(inside.question) if inside else None
    if inside is None or not isinstance(inner, Named):
        return None
    names = nested.names(inside.thing, inner.chosen.figure, list(inner.table.mappings()))
    if len(names) > 1:
        return Unanswered(f"several are the {inside.question}: {', '.join(names)}; ask of one of them")
    found = ask(inside.outer.format(*names)) if names else None
    return found._replace(read_as=inside.outer.format(*names)) if isinstance(found, Named) else found


def _directly(
    tables: Tables, question: str, now: datetime, known: Known, files: Sequence[str], limit: int
) -> Named | Unanswered | search.Answer:
    chosen = choose(question, now, known, files)
    if isinstance(chosen, Unanswered):
        return chosen
    if chosen and chosen.question.name:
        return _named(tables, chosen)
    if figured := _figured(tables, chosen) if chosen else None:
        return figured
    said = Said(question, now, known, files)
    if chosen and not chosen.is_searched:
        return cannot(said, chosen.question.question.partition(": ")[2])
    found = search.answer(tables, understand(question, now, known), limit)
    if lacking := _lacking(found, question.lower()):
        return cannot(said, lacking=lacking)
    best = [hit.row for hit in found.hits if hit.matched == found.hits[0].matched and hit.row["kind"] == "decision"]
    is_told = "why" in said.low and len(best) == 1  # a decision has its reasons
    return _directly(tables, f"decision {best[0]['id']}", now, known, files, limit) if is_told else found


def _named(tables: Tables, chosen: Chosen) -> Named:
    """Answer by a named question, or by a select over its rows."""
    if not chosen.is_narrowed:
        return Named(chosen, answer(tables, chosen.question.name, **chosen.told))
    tables.look_at(*chosen.question.paths(chosen.told))
    return Named(chosen, tables.ask(chosen.question.sql, chosen.told))


def _figured(tables: Tables, chosen: Chosen) -> Named | None:
    """Answer over things, by the first reading that has rows; None where no row has the words that are looked for."""
    answers: list[Named] = []
    one: Chosen | None = chosen
    while one and one.figure and not (answers and _has_some(answers[-1])):
        tables.look_at(*one.figure.paths)
        answers.append(Named(one, tables.ask(one.question.sql, one.told)))
        one = one.otherwise
    found = answers[-1] if _has_some(answers[-1]) else answers[0]
    return None if not _has_some(found) and "word_1" in chosen.told else found


def _has_some(found: Named) -> bool:
    return bool(found.rows) and found.rows not in ([(0,)], [(None,)])


def _lacking(answer: search.Answer, low: str) -> list[str]:
    """Return the words of a question that the best of what was found has not, and that mean nothing else here.

    A reason may be given in other words; of words alone, that ask nothing, most are enough.
    """
    wanted = [term.word for term in answer.asked.terms]
    if answer.hits and not wanted and not answer.asked.places:
        return list(answer.asked.unused)
    lacking = [word for word in wanted if answer.hits and word not in answer.hits[0].matched]
    is_enough = lacking != wanted and (low.startswith(_REASONS) or 2 * len(lacking) <= len(wanted))
    is_asked = low.partition(" ")[0] in lexicon.plain("asking") or any(map(is_id, lacking))
    return (
        []
        if is_enough and not is_asked
        else [word for word in lacking if is_id(word) or not lexicon.is_known(word.lower())]
    )


def _is_whole(found: Named | Unanswered | search.Answer) -> bool:
    """Return whether all words that were looked for are in what was found."""
    if not isinstance(found, search.Answer):
        return isinstance(found, Named)
    return not found.asked.terms or any(len(hit.matched) == len(found.asked.terms) for hit in found.hits[:1])


def asked_at(as_of: str | None) -> datetime:
    """Return the moment that `yesterday` is counted from: that of `--as-of`, where it is one."""
    if as_of is not None:
        try:
            return moment(as_of).replace(tzinfo=UTC)
        except UsageError:
            pass
    return datetime.now(UTC)


def _files(tables: Tables) -> list[str]:
    """Return the files that HEAD has, and those that were ever recorded."""
    return [path for (path,) in tables.ask("select path from v_files order by path").rows]
