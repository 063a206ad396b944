"""Read the SQL files that say what follows from the ledger, and put them in order.

A file is one statement. Its first comment tells what a row is, a `-- needs:` line which other tables it reads. With a
`-- by:` line, each row follows from the facts of one value of this column alone: such a table is kept (incremental.py).
With a `-- types:` line, a fact has no row where no event is of these types, and no file (parquet.py).
Three folders, three rules: a model in ``facts/`` is a function of single events, so any stretch of the ledger can be
worked off by itself; one in ``models/`` reads all facts; one in ``views/`` is a stable name for people.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent.parent


class Model(NamedTuple):
    """One SQL file: the table it makes, what a row of it is, and the tables it reads.

    `by` is a column: each row follows from the facts of one value of it. There is no row without an event of one of the
    `types`; None: any event may have one.
    """

    name: str
    about: str
    needs: frozenset[str]
    sql: str
    by: str | None = None
    types: frozenset[str] | None = None


@cache
def facts() -> tuple[Model, ...]:
    """Return the models over single events, each after those it needs; the first reads the lines themselves."""
    return _ordered(_read(HERE / "facts"))


@cache
def derived() -> tuple[Model, ...]:
    """Return the models over all facts, each after those it needs."""
    return _ordered(_read(HERE / "models"))


@cache
def views() -> tuple[Model, ...]:
    """Return the views people may rely on."""
    return _ordered(_read(HERE / "views"))


@cache
def checks() -> tuple[Model, ...]:
    """Return the queries that must answer with no row."""
    return _ordered(_read(HERE / "checks"))


def stored() -> tuple[Model, ...]:
    """Return the facts that are kept: all but the reading of the lines."""
    return tuple(model for model in facts() if model.needs)


def reading() -> Model:
    """Return the fact that reads the lines themselves."""
    return facts()[0]


def fact(name: str) -> Model:
    """Return one fact."""
    return _named()[name]


def needs(sql: str) -> frozenset[str]:
    r"""Return the tables that the `-- needs:` lines of a model name.

    >>> sorted(needs("-- one row is one edit\n-- needs: events, sessions\nselect 1"))
    ['events', 'sessions']
    """
    lines = re.findall(r"^-- needs: (.+)$", sql, re.MULTILINE)
    return frozenset(name.strip() for line in lines for name in line.split(","))


def about(sql: str) -> str:
    r"""Return the first comment of an SQL file.

    >>> about("-- one row is one edit\nselect 1")
    'one row is one edit'
    """
    return sql.partition("\n")[0].removeprefix("--").strip()


def column_comments(view: Model) -> dict[str, str]:
    r"""Return what a view says about its columns: each stands on a line of its own, with a comment behind it.

    >>> column_comments(Model("v", "", frozenset(), "select\n    e.x,  -- place\n    y as z  -- name\nfrom e"))
    {'x': 'place', 'z': 'name'}
    """
    return dict(re.findall(r"^ +(?:.*[ .])?(\w+),? +-- (.+)$", view.sql, re.MULTILINE))


@cache
def _named() -> Mapping[str, Model]:
    return {model.name: model for model in facts()}


def digest(models: Iterable[Model]) -> str:
    """Name these models by their texts: whatever was made with other texts is out of date."""
    text = "\0".join(f"{model.name}\0{model.sql}" for model in models)
    return hashlib.sha256(text.encode()).hexdigest()


def _read(folder: Path) -> list[Model]:
    texts = {path.stem: path.read_text("utf-8") for path in sorted(folder.glob("*.sql"))}
    return [
        Model(name, about(sql), needs(sql), sql.rstrip().removesuffix(";"), _by(sql), _types(sql))
        for name, sql in texts.items()
    ]


def _by(sql: str) -> str | None:
    found = re.search(r"^-- by: (\w+)$", sql, re.MULTILINE)
    return found and found[1]


def _types(sql: str) -> frozenset[str] | None:
    found = re.search(r"^-- types: (.+)$", sql, re.MULTILINE)
    return found and frozenset(found[1].split(", "))


def _ordered(models: Sequence[Model]) -> tuple[Model, ...]:
    """Sort by need; the order among equals is that of the names."""
    named = {model.name: model for model in models}
    order = TopologicalSorter({name: sorted(model.needs & named.keys()) for name, model in named.items()})
    return tuple(named[name] for name in order.static_order())
