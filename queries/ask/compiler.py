"""Compile a plan to one select over the views, with every value as a parameter, and the figure that it answers with."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import compress
from typing import Any

from linetrail.queries.ask import grammar, lexicon, programs, words
from linetrail.queries.ask.choice import Chosen, Figure
from linetrail.queries.ask.grammar import Plan
from linetrail.queries.ask.lexicon import Condition
from linetrail.queries.ask.question_files import Question
from linetrail.queries.ask.things import Thing, things
from linetrail.queries.render.text import timestamp

# Columns of which a thing may have several, each on its line.
_SEVERAL = {
    "commit": ("file", "agent", "session", "model", "intent"),
    "session": ("file", "intent"),
    "verdict": ("file",),
    "decision": ("file",),
}
# What is shown of a thing, where it has it.
_SHOWN = (
    *("id", "happened_at", "who", "what", "status", "code", "kind", "class", "file", "agent", "model", "intent"),
    *("session", "person", "author", "error", "reason", "alternatives", "scope", "criteria", "replaced", "successor"),
    *("length", "seconds", "prompts", "calls", "tokens", "cost", "size", "added", "deleted", "lines", "bytes"),
    *("times", "ended_at", "completed_at"),
)

# by what a row is found, and whatever has it
_NAMES = ("agent", "model", "person", "session", "intent", "file", "role")
_DERIVED = {
    "folder": "case when instr(file, '/') > 0 then substr(file, 1, instr(file, '/')) else '.' end",
    "day": "cast(cast(happened_at as date) as varchar)",
    "week": "cast(cast(date_trunc('week', happened_at) as date) as varchar)",
    "month": "strftime(happened_at, '%Y-%m')",
    "hour": "strftime(happened_at, '%H')",
    "weekday": "strftime(happened_at, '%A')",
    "program_name": programs.FIRST.format("program"),
}
IN_TIME = ("day", "week", "month", "hour")
# How a column is held against a value.
_CLAUSES = {
    lexicon.EQUAL: "list_contains(string_split({0}, chr(10)), {1})",
    lexicon.PART: "instr(lower({0}), {1}) > 0",
    lexicon.FILE: "regexp_matches({0}, {1})",
    lexicon.PROGRAM: f"regexp_matches({programs.UNQUOTED.format('{0}')}, {{1}})",
    lexicon.NAMED: "({0} = {1} or ends_with({0}, concat('.', {1})))",
    lexicon.MORE: "{0} > cast({1} as double)",
    lexicon.LESS: "{0} < cast({1} as double)",
    lexicon.EXACTLY: "{0} = cast({1} as double)",
}
_AND = "\n    and "
# of groups, the one with the newest row comes first, or with the oldest
_IN_ORDER = {lexicon.NEWEST: "max(happened_at) desc", lexicon.OLDEST: "min(happened_at)"}
_SOMEBODY = ("who", "person", "author", "contributor")
# Of what is said to be a share, what is the part, and not the whole: `the denial rate of codex` is of its calls.
_PARTS = (
    frozenset({"status", "class", "code", "hands", "type", "via"}),
    frozenset({"contributor", "agent", "model"}),
)
# what is worked out over the figures of all rows
_OF_ROWS = {grammar.MEAN: "avg", grammar.MEDIAN: "median"}
_UNITS = {
    "input_tokens": "input token",
    "output_tokens": "output token",
    "cached_tokens": "cached token",
    "cache_read_tokens": "cache-read token",
    "cache_write_tokens": "cache-write token",
    "growth": "line",
    "added": "added line",
    "deleted": "deleted line",
    "length": "line",
    "prompt.length": "character",
    "size": "line",
}


def compiled(plan: Plan, since: datetime | None, until: datetime | None) -> Chosen:
    """Return what answers a plan: a question without a name, what it is told, and its figure."""
    told: dict[str, Any] = {"bound": plan.bound.values[0]} if plan.bound else {}
    conditions, times = list(_conditions(plan, told)), list(_times(plan, since, until, told))
    clauses = dict(conditions) | dict.fromkeys([*times, *_terms(plan, told)], False)
    select, figure = _select(plan, clauses)
    things_asked = [plan.thing]
    if _is_of_all(plan):
        things_asked.append(things()[plan.by or ""])
        members = _members(plan, [clause for clause, _ in conditions], times)
        select = _lacking(plan, members, clauses) if plan.group_has else _with_zeros(plan, members, select)
        figure = figure._replace(column="id", unit=plan.by or "", shape=grammar.LIST) if plan.group_has else figure
    sql = "with\n" + ",\n".join(map(_defined, things_asked)) + f"\n\n{select};\n"
    return Chosen(
        Question("", "; ".join([_meaning(plan), *_period(since, until)]), (), (), sql),
        told,
        figure=figure._replace(
            thing=plan.thing.name,
            by=plan.by,
            paths=_paths(plan),
            told_in=plan.told_in,
            is_compared=plan.by == "contributor" or any(one.column == plan.by for one in plan.where),
        ),
        otherwise=compiled(plan.otherwise, since, until) if plan.otherwise else None,
    )


def _defined(thing: Thing) -> str:
    """Return a thing as a select with a name."""
    inner = "\n".join(f"    {line}".rstrip() for line in thing.sql.splitlines())
    return f"{thing.name}s as (\n{inner}\n)"


def _is_of_all(plan: Plan) -> bool:
    """Return whether those matter, too, of which there is none: `refusals per session`, `sessions without refusals`."""
    lacks = plan.group_has == grammar.NOTHING and "contributor" not in {one.column for one in plan.where}
    is_plain = not (plan.figure or plan.distinct or plan.and_by or plan.bound or plan.limit or plan.group_has)
    counts = plan.by == "session" and plan.shape == grammar.COUNT and plan.order != lexicon.MOST and is_plain
    return plan.by in grammar.LASTING and plan.by != plan.thing.name and (lacks or counts)


def _members(plan: Plan, conditions: Sequence[str], times: Sequence[str]) -> str:
    """Return where all are taken from; only a session has a time of its own."""
    columns = things()[plan.by or ""].columns
    named = [one.column in _NAMES and one.column in columns for one in plan.where]
    return _lines(f"from {plan.by}s", _where([*compress(conditions, named), *(times if plan.by == "session" else ())]))


def _lacking(plan: Plan, members: str, clauses: Iterable[str]) -> str:
    """Return the select of those of which there is none."""
    source = _source(plan, {"member": _expression(plan, plan.by or "")})
    some = _lines(f"select member {source}", _where([*clauses, "member is not null"]))
    return _lines(
        f"select id as {plan.by}, happened_at, what\nfrom (select * {members})",
        f"where id not in ({some})",
        "order by 1",
    )


def _with_zeros(plan: Plan, members: str, select: str) -> str:
    """Return a select that counts for all of them."""
    number, order = f"{plan.thing.name}s", "" if plan.order == lexicon.LEAST else " desc"
    counted = select.rpartition("\norder by")[0]
    none = f"select id as {plan.by}, 0 as {number} {members}"
    every = f"select {plan.by}, max({number}) as {number}"
    return _lines(every, f"from ({counted}\nunion all {none})", f"group by 1\norder by {number}{order}, {plan.by}")


def _paths(plan: Plan) -> tuple[str, ...]:
    named = (value for one in plan.where if one.how == lexicon.FILE for value in one.values)
    return tuple(value for value in named if not value.startswith("%"))


def _select(plan: Plan, clauses: Mapping[str, bool]) -> tuple[str, Figure]:
    """Return the select itself; of each of `clauses` it is told whether it says which part of all is meant."""
    source, where = f"from {plan.thing.name}s", _where(clauses)
    refused = plan.thing.name == "verdict" and Condition("status", ("deny",)) in plan.where
    name = "refusal" if refused else plan.thing.name
    unit = plan.figure.removesuffix("s") if plan.figure else name
    unit = _UNITS.get(f"{plan.thing.name}.{plan.figure}", _UNITS.get(plan.figure or "", unit))
    if plan.shape == grammar.WHEN:
        return _lines(f"select {plan.figure} as happened_at", source, where), Figure("happened_at", name, grammar.WHEN)
    if plan.shape in (grammar.LIST, grammar.RANK) and plan.by is None:
        figure = plan.figure or "happened_at" if plan.shape == grammar.RANK else "id"
        return _listed(plan, source, where), Figure(figure, unit if plan.shape == grammar.RANK else name, plan.shape)
    if plan.shape == grammar.SHARE:
        return _share(plan, source, clauses), Figure("pct", unit if plan.figure else plan.thing.name, grammar.SHARE)
    value, column = _value(plan)
    if plan.by is None:
        counted = {"counted": _expression(plan, plan.distinct)} if plan.distinct else {}
        selected = _lines(f"select {value} as {column}", _source(plan, counted), where)
        return selected, Figure(column, plan.distinct or unit, plan.shape)
    # which they are, and not how much of each there is; of people it is said how much they did
    is_listed = plan.shape == grammar.LIST and plan.by not in _SOMEBODY
    shape = (
        grammar.RANK
        if plan.order in (lexicon.MOST, lexicon.LEAST)
        else plan.shape
        if is_listed or plan.shape != grammar.LIST
        else grammar.COUNT
    )
    adds_up = plan.distinct is None and plan.shape not in _OF_ROWS and not _may_repeat(plan)
    return _grouped(plan, value, column, clauses), Figure(column, plan.distinct or unit, shape, adds_up=adds_up)


def _may_repeat(plan: Plan) -> bool:
    """Return whether one row may be in several groups."""
    return not {plan.by, *plan.and_by}.isdisjoint(_SEVERAL.get(plan.thing.name, ()))


def _where(clauses: Iterable[str]) -> str:
    return f"where {_AND.join(clauses)}" if clauses else ""


def _value(plan: Plan) -> tuple[str, str]:
    """Return what is worked out for all rows or those of a group, and its name."""
    if plan.shape in _OF_ROWS:
        return (
            f"round({_OF_ROWS[plan.shape]}({plan.figure}), {3 if plan.told_in else 1})",
            f"{plan.shape}_{plan.figure}",
        )
    if plan.figure and plan.shape in (grammar.SUM, grammar.RANK, grammar.AVERAGE):
        total = f"sum({plan.figure})"
        return f"round({total}, 1)" if plan.figure == "seconds" else total, plan.figure
    return f"count(distinct {'counted' if plan.distinct else 'id'})", f"{plan.distinct or plan.thing.name}s"


def _grouped(plan: Plan, value: str, name: str, clauses: Mapping[str, bool]) -> str:
    """Return the select with a row for each member of a group."""
    group = _expression(plan, plan.by or "")
    if plan.shape == grammar.AVERAGE:
        total = value if plan.figure else "count(*)"
        average = f"round({total} * 1.0 / count(distinct member), 1)"
        known = _where([*clauses, "member is not null"])
        return _lines(f"select {average} as {name}", _source(plan, {"member": group}), known)
    kept, having = _having(plan, value, clauses)
    kept += [] if plan.shape == grammar.COUNT and plan.order is None else ["member is not null"]
    in_time = plan.by in IN_TIME and plan.order not in (lexicon.MOST, lexicon.LEAST)
    order = "member" if in_time else f"{name}{'' if plan.order == lexicon.LEAST else ' desc'} nulls last, member"
    if plan.order in _IN_ORDER and plan.shape == grammar.LIST and "happened_at" in plan.thing.columns:
        order = f"{_IN_ORDER[plan.order]} nulls last, member"
    members = {"member": plan.by or "", **{f"beside_{at}": name for at, name in enumerate(plan.and_by)}}
    named = ", ".join(f"{one} as {name}" for one, name in members.items())
    made = {one: _expression(plan, name) for one, name in members.items()}
    made |= {"counted": _expression(plan, plan.distinct)} if plan.distinct else {}
    return _lines(
        f"select {named}, {value} as {name}",
        _source(plan, made),
        _where(kept),
        f"group by {', '.join(members)}",
        having,
        f"order by {', '.join(members) if plan.and_by else order}",
        f"limit {plan.limit}" if plan.limit else "",
    )


def _source(plan: Plan, made: Mapping[str, str]) -> str:
    """Return where rows are taken from, with these further columns by their names."""
    if not made:
        return f"from {plan.thing.name}s"
    columns = ", ".join(f"{expression} as {name}" for name, expression in made.items())
    return f"from (select *, {columns} from {plan.thing.name}s) as members"  # noqa: S608  names of this package


def _having(plan: Plan, value: str, clauses: Mapping[str, bool]) -> tuple[list[str], str]:
    """Return the clauses that hold of rows, and the one that holds of a group."""
    if plan.bound:
        return list(clauses), f"having {_CLAUSES[plan.bound.how].format(value, '$bound')}"
    if plan.group_has == grammar.EACH:
        column, values = next((one.column, one.values) for one in plan.where if len(one.values) > 1)
        return list(clauses), f"having count(distinct {column}) >= {len(values)}"
    if plan.group_has == grammar.BUT:
        first, second = next(clause for clause in clauses if " or " in clause)[1:-1].split(" or ")
        has = "count(*) filter (where {})"
        return list(clauses), f"having {has.format(first)} > 0 and {has.format(second)} = 0"
    if plan.group_has is None:
        return list(clauses), ""
    meant, others = _parted(clauses)
    return (
        others,
        f"having count(*) filter (where {meant}) = {'0' if plan.group_has == grammar.NOTHING else 'count(*)'}",
    )


def _parted(clauses: Mapping[str, bool]) -> tuple[str, list[str]]:
    """Return the clause for the part that is meant, and those for the whole."""
    part = [clause for clause, is_part in clauses.items() if is_part]
    return " and ".join(part) or "true", [clause for clause in clauses if clause not in part]


def _share(plan: Plan, source: str, clauses: Mapping[str, bool]) -> str:
    """Return the select of the share that some rows have of all."""
    part, others = _parted(clauses)
    in_time = plan.by in IN_TIME and plan.order not in (lexicon.MOST, lexicon.LEAST)
    group = f"{_expression(plan, plan.by)} as {plan.by}, " if plan.by and plan.by != "contributor" else ""
    whole, name = (f"sum({plan.figure})", plan.figure) if plan.figure else ("count(*)", f"{plan.thing.name}s")
    if group and {plan.by} >= {
        one.column for one in plan.where if one.column in grammar.PARTS
    }:  # each of all that there are
        of_all = f"sum({whole}) over ()"
        return _lines(
            f"select {group}round(100.0 * {whole} / {of_all}, 1) as pct, {whole} as {name}, {of_all} as of_all",
            source,
            _where(others),
            f"group by 1\nqualify {part}\norder by pct desc, 1",
        )
    order = "" if in_time else f"pct{'' if plan.order == lexicon.LEAST else ' desc'}, "
    return _lines(
        f"select {group}round(100.0 * {whole} filter (where {part}) / {whole}, 1) as pct,",
        f"    {whole} filter (where {part}) as {name}, {whole} as of_all",
        source,
        _where(others),
        f"group by 1\norder by {order}1" if group else "having count(*) > 0",
    )


def _listed(plan: Plan, source: str, where: str) -> str:
    """Return the select with the rows themselves."""
    order = "happened_at desc nulls last" if "happened_at" in plan.thing.columns else "what"
    if plan.shape == grammar.RANK and plan.figure:
        order = f"{plan.figure}{'' if plan.order == lexicon.LEAST else ' desc'} nulls last"
    elif plan.order == lexicon.OLDEST:
        order = "happened_at nulls last"
    columns = [*_shown(plan), *([plan.figure] if plan.figure and plan.figure not in _shown(plan) else [])]
    limit = f"limit {plan.limit}" if plan.limit else ""
    return _lines(
        f"select {', '.join(columns)}",
        source,
        where,
        f"order by {order}, {'position desc' if 'position' in plan.thing.columns else 'id'}",
        limit,
    )


def _shown(plan: Plan) -> list[str]:
    told = [one.column for one in plan.where if one.column in plan.thing.columns]
    return list(dict.fromkeys([*(name for name in _SHOWN if name in plan.thing.columns), *told]))


def _expression(plan: Plan, name: str) -> str:
    if (plan.thing.name, name) == ("diff", "file"):
        return "split_part(file, chr(10), 1)"  # behind it stands how it was called before
    if name in _SEVERAL.get(plan.thing.name, ()):
        return f"unnest(coalesce(string_split({name}, chr(10)), [null]))"
    return _DERIVED.get(name, name).replace("happened_at", _moment(plan))


def _conditions(plan: Plan, told: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield a clause for each condition, with whether it says which part of all is meant, and fill in its values."""
    said = {one.column for one in plan.where}
    parts = (
        next((some for some in _PARTS if said & some), grammar.PARTS) if plan.shape == grammar.SHARE else grammar.PARTS
    )
    is_lack = plan.group_has == grammar.NOTHING and any(one.denied for one in plan.where)
    parts = parts - {"status"} if said & parts - {"status"} else parts  # of refusals those that are out of scope
    for one in plan.where:
        if one.how == lexicon.GIVEN:
            yield f"{one.column} is not null", plan.shape == grammar.SHARE
            continue
        if one.how == lexicon.MISSING:
            lacks = f"coalesce({one.column}, 0) = 0" if one.column in plan.thing.figures else f"{one.column} is null"
            yield lacks, True
            continue
        names = []
        for value in map(partial(_bound, one.how), one.values):
            name = one.column if one.column not in told else f"{one.column}_{len(told)}"
            told[name] = value
            names.append(f"${name}")
        clause = _clause(one, names)
        is_part = one.denied if is_lack else one.column in parts  # `never renamed`
        yield f"not coalesce({clause}, false)" if one.denied and not is_lack else clause, is_part


def _bound(how: str, value: str) -> str:
    """Return a value as its clause has it: a file, or the end of one, as an expression."""
    if how == lexicon.FILE:
        return f"{re.escape(value[1:])}($|\n)" if value.startswith("%") else f"(^|\n){re.escape(value)}($|\n|/)"
    if how == lexicon.PROGRAM:
        return programs.pattern(value)
    return value.lower() if how == lexicon.PART else value


def _clause(one: Condition, names: list[str]) -> str:
    if one.how == lexicon.EQUAL and one.column in grammar.PARTS:
        return f"{one.column} in ({', '.join(names)})"
    tests = [_CLAUSES[one.how].format(_DERIVED.get(one.column, one.column), name) for name in names]
    joint = " and " if one.every else " or "
    return f"({joint.join(tests)})" if len(tests) > 1 else tests[0]


def _moment(plan: Plan) -> str:
    is_done = Condition("status", ("DONE",)) in plan.where and "completed_at" in plan.thing.columns
    return "completed_at" if is_done else "happened_at"


def _times(plan: Plan, since: datetime | None, until: datetime | None, told: dict[str, Any]) -> Iterator[str]:
    """Yield the clauses of a time; what is done is held against when it was completed."""
    moment = _moment(plan)
    for name, sign, value in (("since", ">=", since), ("until", "<", until)):
        if value is not None:
            told[name] = value
            yield f"{moment} {sign} ${name}"


def _terms(plan: Plan, told: dict[str, Any]) -> Iterator[str]:
    around = ("context", "alternatives") if plan.is_wide else ()
    said = ("id", "what", "words", "reason", "code", "file", *around)
    searched = [name for name in said if name in plan.thing.columns and (plan.thing.name, name) != ("prompt", "file")]
    for at, word in enumerate(plan.left, 1):
        alike = words.alike(word) if plan.is_wide else ()
        told[f"word_{at}"] = words.pattern([word, *alike]) or re.escape(word)
        yield f"regexp_matches(concat_ws(chr(10), {', '.join(searched)}), $word_{at})"


def _meaning(plan: Plan) -> str:
    """Return in words what is asked."""
    what = f"{plan.thing.name}s" if plan.distinct is None else f"different {plan.distinct}s of {plan.thing.name}s"
    told = [f"{plan.figure} of {what}" if plan.figure and plan.shape != grammar.WHEN else what]
    told += [f"by {' and '.join((plan.by, *plan.and_by))}"] if plan.by else []
    told += [f"{plan.by} has {plan.group_has}"] if plan.group_has else []
    told += [f"{one.column} {_said(one)}" for one in (*plan.where, *([plan.bound] if plan.bound else []))]
    told += [f"about {' '.join(plan.left)}"] if plan.left else []
    told += [f"read without: {', '.join(plan.unread)}"] if plan.unread else []
    return f"{plan.shape}: {'; '.join(told)}"


def _period(since: datetime | None, until: datetime | None) -> Iterator[str]:
    """Yield the time that is asked about, in words."""
    moments = (("from", since), ("before", until))
    if said := [f"{word} {timestamp(moment)[:16].replace('T', ' ')}" for word, moment in moments if moment]:
        yield " ".join(said)


def _said(condition: Condition) -> str:
    if condition.how == lexicon.MISSING:
        return "none"
    if condition.how == lexicon.GIVEN:
        return "told"
    values = " or ".join(value.lstrip("%") for value in condition.values)
    values = f"not {values}" if condition.denied else values
    return f"{condition.how} than {values}" if condition.how in (lexicon.MORE, lexicon.LESS) else values


def _lines(*lines: str) -> str:
    return "\n".join(line for line in lines if line)
