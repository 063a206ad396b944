"""ClickHouse reads the tables of a store, and answers the questions as DuckDB does: the same text, with six settings.

It spells `arg_min` otherwise. Of `@log` it makes other summaries: a text joined to null is null to it.
"""

import json
import re

import duckdb
import pytest

from linetrail.queries.ask import question_files
from linetrail.queries.ask.ask import understood
from linetrail.queries.fleet import layout, objects
from linetrail.queries.fleet.asking import visible
from linetrail.queries.fleet.questions import find, of_organisation, of_repositories
from tests.fleet.__main__ import Plan, write
from tests.queries.fleet.test_build import ASKED

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]

TYPES = {
    "VARCHAR": "String",
    "BOOLEAN": "Bool",
    "INTEGER": "Int32",
    "BIGINT": "Int64",
    "DOUBLE": "Float64",
    "DATE": "Date",
    "TIMESTAMP": "DateTime64(6)",
}
# Null is a value like any other, and a name that a query gives hides no column. What 26.9 remembers of conditions it
# takes for other files, too: rows are missing from later answers.
SETTINGS = (
    "cast_keep_nullable = 1, join_use_nulls = 1, aggregate_functions_null_for_empty = 1, "
    "prefer_column_name_to_alias = 1, union_default_mode = 'DISTINCT', use_query_condition_cache = 0"
)
NAMES = sorted(
    name
    for name, one in (of_organisation() | of_repositories()).items()
    if name != "log"
    and all(parameter.optional or parameter.name in ASKED.get(name, {}) for parameter in one.parameters)
)


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Return DuckDB and ClickHouse over the tables of the same store."""
    from linetrail.queries.cli import main

    chdb = pytest.importorskip("chdb.session", reason="chdb is not installed")
    out = tmp_path_factory.mktemp("fleet")
    write(Plan(out, repositories=6, events=2_000, kinds=100))
    url = (out / "store").as_uri()
    assert main(["fleet", "build", url]) in {0, 3}
    ours, theirs = duckdb.connect(), chdb.Session()
    for name, table in visible(layout.require(objects.open_store(url), url), excerpts=False).items():
        files = [str(out / "store" / file.path) for file in table.files]
        columns = ", ".join(f'"{one.name}" {one.type}' for one in table.columns)
        ours.execute(f"create table {name} ({columns})")
        columns = ", ".join(f"`{one.name}` Nullable({TYPES.get(one.type, one.type)})" for one in table.columns)
        engine = f"File(Parquet, '/{{{','.join(file[1:] for file in files)}}}')" if files else "Null"
        theirs.query(f"create table {name} ({columns}) engine = {engine}")
        if files:
            ours.execute(f"insert into {name} by name from read_parquet({files}, hive_partitioning = false)")
    theirs.query(f"set {SETTINGS}, output_format_json_quote_64bit_integers = 0")
    yield ours, theirs
    theirs.close()


def plain(value):
    return (
        value.isoformat(" ", "microseconds")
        if hasattr(value, "hour")
        else str(value)
        if hasattr(value, "day")
        else value
    )


def told(name):
    """Return the values of the parameters that a question is asked with."""
    return understood(question_files.bound(find(name), dict(ASKED.get(name, {}))))


def by_duckdb(connection, name):
    return [[plain(value) for value in row] for row in connection.execute(find(name).sql, told(name)).fetchall()]


def by_clickhouse(session, name):
    values = {key: "null" if value is None else f"'{value}'" for key, value in told(name).items()}
    aside = r"'(?:[^']|'')*'|--[^\n]*|\$(\w+)"
    sql = re.sub(aside, lambda found: values.get(found[1], found[0]), find(name).sql.replace("arg_min(", "argMin("))
    answer = str(session.query(sql.strip().removesuffix(";"), "JSONCompactEachRow"))
    return [json.loads(line) for line in answer.splitlines()]


@pytest.mark.parametrize("name", NAMES)
def test_a_question_is_answered_alike(both, name):
    ours, theirs = both

    assert by_clickhouse(theirs, name) == by_duckdb(ours, name)


def test_most_questions_have_an_answer(both):
    answered = {name for name in NAMES if by_duckdb(both[0], name)}

    assert len(answered) > len(NAMES) / 2
    assert of_organisation().keys() <= answered
