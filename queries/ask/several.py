"""Answer for several figures at once, for one figure in several times, and for how much of one there is per other.

Each part is a question of its own, which grammar.py reads: `sessions and cost per agent` is `sessions per agent` beside
`cost per agent`, `refusals this week against last week` is `refusals this week` beside `refusals last week`.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from linetrail.queries.ask import lexicon, time_spans, words
from linetrail.queries.ask.choice import Chosen, Figure
from linetrail.queries.ask.compiler import IN_TIME, compiled
from linetrail.queries.ask.grammar import AVERAGE, COUNT, LIST, MEAN, MEDIAN, RANK, SHARE, SUM, Plan
from linetrail.queries.ask.question_files import Question
from linetrail.queries.ask.said import Said

_TOKEN = re.compile(r"[\w/.@$-]*\w|[,+&:]")
_JOINTS = frozenset({",", "and", "+", "&", "plus", "vs", "versus", "or", "against"})
# what may stand with a figure in a list of figures
_LEADS = frozenset({"number", "count", "amount", "total", "of", "the", "how", "many", "much", "average", "median"})
_PER = re.compile(
    r"\b(?:average |avg |mean )?(?P<what>\S.*?) per (?:(?P<each>\d+) )?(?P<of>[a-z]\w*)(?P<rest>.*)", re.IGNORECASE
)
_RATIO = re.compile(r"\bratio of (.+?) to ", re.IGNORECASE)
# `which model has the most tokens per line`
_RANKED = re.compile(
    rf"\b(?:which|what) (?P<by>\w+)\b.*?\b(?P<most>{'|'.join(lexicon.degrees())}) (?:number of )?"
    r"(?P<what>[\w-]+ per \w+)\b(?P<rest>.*)",
    re.IGNORECASE,
)
_RUNNING = re.compile(r"\b(?:cumulative|cumulated|accumulated|running total of|running)\b", re.IGNORECASE)
# how a question is taken apart, and what it is read as
Read = Callable[[str], tuple[Said, Sequence[Plan]]]
# what nothing was counted of is none, what nothing is known of is not
_WHOLE = {COUNT: "coalesce(max({0}), 0)"}
_NUMBERS = (COUNT, SUM, SHARE, AVERAGE, MEAN, MEDIAN)


class _Part(NamedTuple):
    """One of the questions, and what its column is called where the figure alone does not tell it apart."""

    question: str
    label: str | None = None


class _Column(NamedTuple):
    """What answers one of the questions, and its figure under the name that it has beside the others."""

    answer: Chosen
    figure: Figure


def beside(question: str, now: datetime, read: Read) -> Chosen | None:
    """Return what answers a question of several figures; None where it is none, or a part of it cannot be read."""
    text = words.phrased(question)
    for parts in (_periods(text, now), _counted_twice(text), _listed(text)):
        if len(parts) > 1 and (found := _compiled(parts, read)) and not _is_same(found):
            return _beside(found)
    return None


def ratio(question: str, read: Read) -> Chosen | None:
    """Return what answers how much of one figure there is per other: `tokens per prompt`; None where it is none."""
    text = _RATIO.sub(r"\1 per ", words.phrased(question))
    ranked = _RANKED.search(text)
    text = f"{ranked['what']} by {ranked['by']} {ranked['rest']}" if ranked else text
    found = _PER.search(text)
    if found is None or lexicon.noun(found["of"].lower())[0] is None:
        return None
    rest = re.sub(r"\bper\b", "by", found["rest"])
    counted = f"how many {found['of'].removesuffix('s')}s {rest}"
    figures = _compiled([_Part(f"{found['what']}{rest}"), _Part(counted)], read)
    order = lexicon.degrees()[ranked["most"].lower()] if ranked else None
    return _divided(figures, found["each"], found["of"].lower(), order) if figures else None


def running(question: str, read: Read) -> Chosen | None:
    """Return what answers how a figure adds up from one time to the next: `cumulative cost by day`."""
    rest, times = _RUNNING.subn("", words.phrased(question))
    found = _compiled([_Part(rest)], read) if times else []
    if not found or found[0].figure.by not in IN_TIME:
        return None
    ((answer, figure),) = found
    adding = f"sum({figure.column}) over (order by {figure.by}) as {figure.column}"
    sql = f"select {figure.by}, {adding}\nfrom (\n{answer.question.sql.strip().removesuffix(';')}\n)\norder by 1;\n"
    asked = answer.question._replace(question=f"{answer.question.question}; added up", sql=sql)
    return answer._replace(question=asked, figure=figure._replace(adds_up=False))


def _periods(question: str, now: datetime) -> list[_Part]:
    """Return the question for each of the times that it compares."""
    if not lexicon.plain("versus") & set(re.findall(r"\w+", question.lower())):
        return []
    rest, times = time_spans.compared(question, now)
    compares = "|".join(sorted(lexicon.plain("versus") | lexicon.plain("compares")))
    rest = re.sub(rf"\b(?:{compares})\b(?: (?:to|with)\b)?", " ", rest, flags=re.IGNORECASE)
    return [_Part(f"{rest.strip() or 'events'} {one}", _label(one)) for one in times]


def _label(time: str) -> str:
    """Return what a column of a time is called, where that is no number.

    >>> _label("in the week of Jan 5"), _label("2026-01-05")
    ('week_of_jan_5', 'on_2026_01_05')
    """
    name = re.sub(r"^(?:(?:in|on|during|of|from|at|the)\b ?)+|\W+", "_", time.lower()).strip("_")
    return f"on_{name}" if name[0].isdigit() else name


def _listed(question: str) -> list[_Part]:
    """Return the question for each of the figures that it lists, with what is said before and behind the list."""
    tokens = _TOKEN.findall(question)
    low = [token.lower() for token in tokens]
    found = [
        at for at in range(len(low)) if _is_figure(low[at]) and (low[at - 1 : at] not in (["per"], ["by"], ["for"]))
    ]
    for at in found:
        ends, end = [], at
        while _is_figure(low[end] if end < len(low) else ""):
            after = end + 1
            while after < len(low) and (_is_figure(low[after]) or low[after] == "count"):
                after += 1  # `lines added`, `sessions count`
            ends.append((end, after))
            joint = after
            while joint < len(low) and low[joint] in _JOINTS | (_LEADS if joint > after else frozenset()):
                joint += 1
            if joint == after:
                break
            end = joint
        if len(ends) > 1:
            before, behind = tokens[:at], tokens[ends[-1][1] :]
            of_what = [tokens[at]] if lexicon.noun(low[at])[0] else []  # `lines added and deleted`
            items = [(*(of_what if lexicon.noun(low[a])[0] is None else ()), *tokens[a:b]) for a, b in ends]
            return [_Part(" ".join((*before, *item, *behind))) for item in items]
    return []


def _counted_twice(question: str) -> list[_Part]:
    """Return the questions of `how many tests ran and how many failed`: the second counts what the first does.

    >>> [part.question for part in _counted_twice("how many test runs were there and how many failed")]
    ['how many test runs were there', 'how many test failed']
    """
    found = re.fullmatch(
        r"(.*\bhow many (\w+).*?),? and how many (?:of (?:them|those|these) )?(?:were )?(.+?)\W*", question
    )
    if found is None:
        return []
    if lexicon.noun(found[3].partition(" ")[0])[0]:
        return [_Part(found[1]), _Part(f"how many {found[3]}")]
    return [_Part(found[1]), _Part(f"how many {found[2]} {found[3]}", re.sub(r"\W+", "_", found[3]))]


def _is_same(found: Sequence[_Column]) -> bool:
    """Return whether parts that count the same tell apart values of one column, which one question has as groups."""
    told = [one.answer.told.keys() for one in found]
    is_one_figure = len({one.figure.column for one in found}) == 1 and not found[0].figure.label
    return is_one_figure and bool(told[0]) and told[-1] <= told[0]


def _is_figure(low: str) -> bool:
    return bool(lexicon.figures(low) or (lexicon.noun(low)[0] and (low.endswith("s") or low == "loc")))


def _compiled(parts: Sequence[_Part], read: Read) -> list[_Column]:
    """Return what answers each part; nothing where one has no figure, or another group."""
    found = [(part, said, next(map(_counted, some), None)) for part in parts for said, some in [read(part.question)]]
    plans = [plan for _, _, plan in found if plan and plan.shape in _NUMBERS and not (plan.left or plan.and_by)]
    if len(plans) < len(parts) or len({plan.by for plan in plans}) != 1:
        return []
    answers = [(part, compiled(plan, said.since, said.until)) for part, said, plan in found if plan]
    return [_Column(one, one.figure._replace(label=part.label)) for part, one in answers if one.figure]


def _counted(plan: Plan) -> Plan:
    """Return a plan that counts what it would list."""
    return plan._replace(shape=SUM if plan.figure else COUNT, limit=None) if plan.shape == LIST else plan


def _beside(found: Sequence[_Column]) -> Chosen | None:
    """Return the figures in one table, a column each; None where two have one name."""
    figures = [one.figure for one in found]
    names = [figure.name for figure in figures]
    if len(set(names)) < len(names):
        return None
    by = figures[0].by
    values = [f"{_WHOLE.get(one.shape, 'max({0})').format(one.name)} as {one.name}" for one in figures]
    order = by if by in IN_TIME else f"{names[0]} desc nulls last, {by}"
    sql = _joined(found, values, f"\norder by {order}" if by else "")
    return _answer(found, sql, " beside ", figures[0]._replace(shape=COUNT, beside=tuple(figures[1:])))


def _divided(found: Sequence[_Column], each: str | None, unit: str, order: str | None) -> Chosen | None:
    """Return one figure for each so many of the other, in its unit; None where they are the same."""
    whole, part = (one.figure for one in found)
    if whole.name == part.name:
        return None
    figure = whole._replace(column=f"average_{whole.column}", shape=RANK if order else COUNT, adds_up=False)
    many = float(each or 1) * lexicon.table("units").get(unit.removesuffix("s"), ("", 1))[1]
    value = f"round(max({whole.name}) * {many} / nullif(max({part.name}), 0), 2) as {figure.column}"
    by = {lexicon.MOST: f"{figure.column} desc, {whole.by}", lexicon.LEAST: f"{figure.column}, {whole.by}"}
    ordered = f"\nhaving {figure.column} is not null\norder by {by.get(order or '', whole.by)}" if whole.by else ""
    between = f" per {each} of " if each else " per "
    return _answer(found, _joined(found, [value], ordered), between, figure)


def _joined(found: Sequence[_Column], values: Sequence[str], order: str) -> str:
    """Return the select over all parts, whose parameters keep apart."""
    parts = []
    for at, (one, figure) in enumerate(found, 1):
        sql = re.sub(r"\$([a-z_]\w*)", rf"$\1_{at}", one.question.sql.strip().removesuffix(";"))
        parts.append(f"part_{at} as (\nselect * rename ({figure.column} as {figure.name})\nfrom (\n{sql}\n)\n)")
    union = "\nunion all by name\n".join(f"from part_{at}" for at in range(1, len(parts) + 1))
    by = found[0].figure.by
    select = f"select {', '.join([*([by] if by else []), *values])}"
    group = f"\ngroup by {by}" if by else ""
    return "with\n" + ",\n".join(parts) + f"\n\n{select}\nfrom (\n{union}\n){group}{order};\n"


def _answer(found: Sequence[_Column], sql: str, between: str, figure: Figure) -> Chosen:
    """Return what was asked with its SQL, in the words of its parts."""
    asked = [
        f"{one.question.question}, {figure.label.replace('_', ' ')}" if figure.label else one.question.question
        for one, figure in found
    ]
    told = {f"{key}_{at}": value for at, (one, _) in enumerate(found, 1) for key, value in one.told.items()}
    return Chosen(Question("", between.join(asked), (), (), sql), told, figure=figure)
