"""Turn what was understood into one select over `v_findable`, and run it.

The text is made of the clauses below, and only of those that the question needs, so that a person can read it and run
it again; every value is a parameter. A word counts more the fewer rows have it, and more where it stands in what a row
says than in what is said around it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.projections.tables.tables import Tables
from linetrail.queries.ask import programs
from linetrail.queries.ask.interpretation import Term, Understanding
from linetrail.queries.ask.lexicon import LEAST, MOST, NEWEST, OLDEST
from linetrail.queries.ask.said import Known
from linetrail.queries.statements import statement

LIMIT = 10
# In what a row says; in what else is said of it; around it. Another word for the same counts less.
_WEIGHTS = """\
        case
            when regexp_matches(concat(id, chr(10), what, chr(10), path), ${term}) then 3.0
            when regexp_matches(words, ${term}) then 2.0
            when regexp_matches(concat(what, chr(10), path), ${alike}) then 1.8
            when regexp_matches(words, ${alike}) then 1.2
            when regexp_matches(context, ${term}) then 1.0
            when regexp_matches(context, ${alike}) then 0.6
            else 0
        end as {hit}"""
_WITHOUT_ALIKE = "\n".join(line for line in _WEIGHTS.splitlines() if "{alike}" not in line)
# As BM25 weighs a term by the share of rows that have it.
_RARITY = "{hit} * ln(1 + (rows_all - rows_{hit} + 0.5) / (rows_{hit} + 0.5))"
_ORDERS = {
    NEWEST: "occurred_at desc, position desc",
    OLDEST: "occurred_at, position",
    MOST: "tokens desc nulls last, position",
    LEAST: "tokens nulls last, position",
}
_CANDIDATES = """\
candidates as (
    select *
    from v_findable
    where
        true{where}
)"""
_LISTED = f"""with
{_CANDIDATES}

select null as score, {{columns}}
from candidates
order by {{order}}
limit {{limit}};"""  # noqa: S608  a clause of this module
COLUMNS = ("kind", "id", "occurred_at", "session_id", "intent_id", "agent_name", "path", "what", "outcome", "tokens")


class Query(NamedTuple):
    """A select with its parameters, as `linetrail sql` takes them."""

    sql: str
    parameters: Mapping[str, Any]


class Hit(NamedTuple):
    """One row of an answer; `matched` are the words that were found in it or around it."""

    score: float | None
    row: Mapping[str, Any]
    matched: tuple[str, ...]


class Answer(NamedTuple):
    """What a question got."""

    asked: Understanding
    query: Query
    hits: Sequence[Hit]
    # the question where its spelling was mended
    read_as: str | None = None

    @property
    def rows(self) -> Sequence[Hit]:
        """Return the rows that answer."""
        return self.hits


def answer(tables: Tables, asked: Understanding, limit: int = LIMIT) -> Answer:
    """Ask for the rows that have the words, the best first."""
    made = query(asked, limit)
    return Answer(asked, made, run(tables, asked, made))


def known(tables: Tables) -> Known:
    """Return the names that a question may use."""
    names = [names or () for names in tables.ask(statement("ask_known")).rows[0]]
    values = {column: found or () for column, found in next(tables.ask(statement("ask_values")).mappings()).items()}
    intents, sessions, agents, models, decisions, approvals, lessons, titles = names
    ran = programs.phrases(sorted(tables.ask(programs.NAMES).rows[0][0] or ()))
    return Known(intents, sessions, agents, models, values, (), decisions, ran, dict(titles), approvals, lessons)


def is_recorded(tables: Tables, word: str) -> bool:
    """Return whether a word stands in what was recorded, so that it is no slip of another."""
    return bool(tables.ask(statement("ask_recorded"), {"word": rf"\b{re.escape(word)}\b"}).rows[0][0])


def people(tables: Tables) -> list[str]:
    """Return who committed and who began sessions: git is asked for it, so only where a question may name somebody."""
    return [person for (person,) in tables.ask(statement("ask_people")).rows]


def query(asked: Understanding, limit: int = LIMIT) -> Query:
    """Return the select that answers."""
    parameters: dict[str, Any] = {}
    where = "".join(f"\n        and {clause}" for clause in _clauses(asked, parameters))
    if not asked.terms:
        order = _ORDERS[asked.order or NEWEST]
        return Query(_LISTED.format(where=where, columns=", ".join(COLUMNS), order=order, limit=limit), parameters)
    candidates = _CANDIDATES.format(where=where)
    hits = [f"hit_{at}" for at in range(1, len(asked.terms) + 1)]
    return Query(_ranked(asked, candidates, hits, parameters, limit), parameters)


def run(tables: Tables, asked: Understanding, made: Query) -> list[Hit]:
    """Ask, and say of each row which words it has."""
    found = []
    for row in tables.ask(made.sql, made.parameters).mappings():
        matched = tuple(term.word for at, term in enumerate(asked.terms, 1) if row[f"hit_{at}"] > 0)
        found.append(Hit(row["score"], {name: row[name] for name in COLUMNS}, matched))
    return found


def _clauses(asked: Understanding, parameters: dict[str, Any]) -> Iterator[str]:
    """Yield a condition for each filter, and fill in its values."""
    for column, values in (
        ("kind", asked.kinds),
        ("outcome", asked.outcomes),
        ("intent_id", asked.intents),
        ("session_id", asked.sessions),
    ):
        if values:
            yield f"{column} in ({_listed(column, values, parameters)})"
    if asked.agents and asked.models:
        names = _listed("agent_name", asked.agents, parameters), _listed("model_id", asked.models, parameters)
        yield f"(agent_name in ({names[0]}) and model_id in ({names[1]}))"
    elif asked.agents or asked.models:
        column, values = ("agent_name", asked.agents) if asked.agents else ("model_id", asked.models)
        yield f"{column} in ({_listed(column, values, parameters)})"
    if asked.contributor:
        parameters["contributor"] = asked.contributor
        yield "contributor_type = $contributor"
    if asked.places:
        for at, (_, pattern) in enumerate(asked.places, 1):
            parameters[f"path_{at}"] = pattern
        places = (f"regexp_matches(path, $path_{at})" for at in range(1, len(asked.places) + 1))
        yield f"({' or '.join(places)})"
    if asked.since is not None:
        parameters["since"] = asked.since
        yield "occurred_at >= $since"
    if asked.until is not None:
        parameters["until"] = asked.until
        yield "occurred_at < $until"


def _ranked(asked: Understanding, candidates: str, hits: Sequence[str], parameters: dict[str, Any], limit: int) -> str:
    """Weigh every candidate by the words that it has."""
    pairs = list(zip(asked.terms, hits, strict=True))
    weights = ",\n".join(_weight(term, hit, parameters) for term, hit in pairs)
    counts = "".join(f",\n        count(*) filter (where {hit} > 0) as rows_{hit}" for hit in hits)
    rarity = "\n            + ".join(_RARITY.format(hit=hit) for hit in hits)
    has = " + ".join(f"({hit} > 0)::int" for hit in hits)
    closely = " + ".join(f"({hit} > 0)::int + ({hit} > 1)::int" for hit in hits)
    preferred = "".join(
        f"\n            * case when {column} = ${_bound(f'likely_{column}', value, parameters)} then 3 else 1 end"
        for column, value in asked.preferred
    )
    order = f"closely desc, {_ORDERS[asked.order]}" if asked.order else "score desc, occurred_at desc, position desc"
    shown = ", ".join((*COLUMNS, *hits))
    return f"""with
{candidates},

hits as materialized (
    select
        *,
{weights}
    from candidates
),

counts as (
    select
        count(*) as rows_all{counts}
    from hits
),

-- of the words that were asked for, the more the better
weighed as (
    select
        hits.*,
        {closely} as closely,
        round(
            ({rarity})
            * (0.25 + 0.75 * ({has}) / {len(hits)}){preferred},
            3
        ) as score
    from hits
    cross join counts
    where {" + ".join(hits)} > 0
)

select score, {shown}
from weighed
order by {order}
limit {limit};"""  # noqa: S608  clauses of this module; values are parameters


def _weight(term: Term, hit: str, parameters: dict[str, Any]) -> str:
    name = _bound(f"t{hit.removeprefix('hit_')}", term.pattern, parameters)
    if term.alike is None:
        return _WITHOUT_ALIKE.format(term=name, hit=hit)
    return _WEIGHTS.format(term=name, alike=_bound(f"a{hit.removeprefix('hit_')}", term.alike, parameters), hit=hit)


def _bound(name: str, value: object, parameters: dict[str, Any]) -> str:
    parameters[name] = value
    return name


def _listed(column: str, values: Sequence[str], parameters: dict[str, Any]) -> str:
    names = [_bound(f"{column}_{at}", value, parameters) for at, value in enumerate(values, 1)]
    return ", ".join(f"${name}" for name in names)
