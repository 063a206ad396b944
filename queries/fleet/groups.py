"""Count over groups of people, and publish only what enough of them have a part in, so that nobody can be told apart.

Every number stands in one cell: a month, and a value of each dimension. A cell in which fewer than `PEOPLE` people have
a part gives its dimensions up, the last one first, and so becomes one with its neighbours; what is too small even then
is counted nowhere. So whoever adds cells up, or takes what one slice or period has from what another has, is left with
whole cells, and in each there are enough people. There is no total with more in it than the cells, and no number is in
two tables.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from linetrail.projections.tables import models
from linetrail.projections.tables.sql_text import literal, quoted
from linetrail.projections.tables.tables import Tables, named
from linetrail.queries.fleet import columns
from linetrail.queries.fleet.layout import BUCKET, MONTH, PRIVATE, PUBLIC, Column, FleetTable
from linetrail.queries.statements import statement

HERE = Path(__file__).with_name("contributions")
# In a cell are at least so many.
PEOPLE = 5
# What stands for the values that a cell gave up.
OTHERS = "(others)"
PERSON = "person"
PREFIX = "v_fleet_"
# The dimensions of each table, in the order in which they matter: the last one is given up first.
DIMENSIONS = {
    "v_fleet_work": ("repo_id", "owner", "agent_name", "model_id", "change_class", "intent_id"),
    "v_fleet_refusals": ("repo_id", "reason_code", "agent_name", "owner"),
}


class Group(NamedTuple):
    """A table of counts: its dimensions, its measures, and the queries that say what a repository contributes."""

    name: str
    about: str
    dimensions: tuple[str, ...]
    measures: tuple[str, ...]
    comments: Mapping[str, str]
    queries: tuple[str, ...]

    @property
    def contributions(self) -> str:
        """The name of the table of what each person contributes."""
        return f"contributions_to_{self.name}"

    def cells_of(self, files: Sequence[str]) -> str:
        """Return the query for the cells over contributions that lie in files."""
        listed = ", ".join(map(literal, files))
        return self.cells(f"select * from read_parquet([{listed}], hive_partitioning = false)")  # noqa: S608  paths of our own

    def cells(self, contributions: str, people: int = PEOPLE) -> str:
        """Return the query for the cells, over a query for the contributions."""
        steps = list(self._steps(people))
        measures = ", ".join(f"cast(sum({name}) as bigint) as {name}" for name in self.measures)
        return f"""
            with step_0 as ({contributions}), {", ".join(steps)}
            select {", ".join((MONTH, *self.dimensions))}, {measures}
            from step_{len(steps)}
            group by all
            having count(distinct {PERSON}) >= {people}
        """  # noqa: S608  names of our own columns

    def _steps(self, people: int) -> Iterator[str]:
        """Yield for each dimension, the last one first, what gives it up where a cell has too few people."""
        cell = ", ".join((MONTH, *self.dimensions))
        for number, name in enumerate(reversed(self.dimensions)):
            yield f"""
                small_{number} as (
                    select {cell} from step_{number} group by all having count(distinct {PERSON}) < {people}
                ),
                step_{number + 1} as (
                    select step.* replace (
                        case when small.{MONTH} is null then step.{name} else {literal(OTHERS)} end as {name}
                    )
                    from step_{number} as step
                    left join small_{number} as small
                        on small.{MONTH} = step.{MONTH} and {self._same()}
                )
            """  # noqa: S608  names of our own columns

    def _same(self) -> str:
        return " and ".join(f"small.{name} is not distinct from step.{name}" for name in self.dimensions)


@cache
def groups() -> tuple[Group, ...]:
    return tuple(_read(name, dimensions) for name, dimensions in DIMENSIONS.items())


def prepare(tables: Tables, writers: Mapping[str, str], owners: Mapping[str, str]) -> None:
    """Make the tables that contributions are worked out with: who recorded which events, and whose each file is."""
    connection = tables.connection
    tables.show({"v_segments", "v_mutations", "v_mutation_classes"})
    given = {"segments": list(writers), "people": list(writers.values())}
    connection.execute(statement("fleet_writers"), given)
    connection.execute(
        "create or replace temp table path_owners as "
        "select unnest($paths::varchar[]) as path, unnest($owners::varchar[]) as owner",
        {"paths": list(owners), "owners": list(owners.values())},
    )
    connection.execute(statement("fleet_subjects"))


def contributed(tables: Tables, group: Group, repo_id: str) -> str:
    """Return the query for what a repository contributes, with names that are unique among all."""
    names = [name for query in group.queries for name in named(query)]
    tables.show(names)
    rows = " union all by name ".join(f"({query})" for query in group.queries)
    whole = {name: f"coalesce(cast(sum({name}) as bigint), 0)" for name in group.measures}
    told = {MONTH: MONTH, "repo_id": literal(repo_id), **{name: name for name in group.dimensions if name != "repo_id"}}
    told |= {PERSON: PERSON} | whole
    for name in group.dimensions:
        if columns.kinds().get(name) == columns.KEYS:
            told[name] = f"{literal(columns.short(repo_id) + ':')} || {name}"
    chosen = ", ".join(f"{sql} as {quoted(name)}" for name, sql in told.items())
    known = f"{MONTH} is not null and {PERSON} is not null"
    return f"select {chosen} from ({rows}) where {known} group by all"  # noqa: S608  names of our own columns


def tables_of() -> list[FleetTable]:
    """Return the tables of contributions and of cells, without a file."""
    found = []
    for group in groups():
        cell = (MONTH, *group.dimensions)
        private = tuple(_column(group, name) for name in (*cell, PERSON, *group.measures))
        public = tuple(_column(group, name) for name in (*cell, *group.measures))
        found += [
            FleetTable(
                group.contributions, PRIVATE, f"of each person: {group.about}", private, (BUCKET,), ("repo_id",)
            ),
            FleetTable(group.name, PUBLIC, group.about, public, (), cell),
        ]
    return found


def _read(name: str, dimensions: tuple[str, ...]) -> Group:
    texts = [path.read_text("utf-8") for path in sorted(HERE.glob(f"{name.removeprefix(PREFIX)}_*.sql"))]
    comments: dict[str, str] = {}
    measures: list[str] = []
    for text in texts:
        query = models.Model(name, "", frozenset(), text)
        comments |= models.column_comments(query)
        measures += [found for found in models.column_comments(query) if found not in (MONTH, *dimensions, *measures)]
    about = "; ".join(models.about(text) for text in texts)
    queries = tuple(text.rstrip().removesuffix(";") for text in texts)
    return Group(name, about, dimensions, tuple(measures), comments, queries)


def _column(group: Group, name: str) -> Column:
    kind = "BIGINT" if name in group.measures else "VARCHAR"
    about = {"repo_id": "repository", PERSON: "pseudonym of a person"}.get(name) or group.comments.get(name)
    return Column(name, kind, columns.PEOPLE if name == PERSON else columns.FACTS, about)
