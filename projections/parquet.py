"""Work the facts off over files of validated lines, each fact into a Parquet file of its own.

Whoever calls vouches for the lines: DuckDB makes a null of what it cannot read and rounds what should be whole.
"""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from linetrail.projections import models

# What every database here is opened with: it fetches nothing, and spills nothing into the working directory.
OFFLINE = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false", "temp_directory": ""}


def write_facts(sources: Sequence[tuple[Path, int]], folder: Path) -> Iterator[tuple[str, float]]:
    """Write every fact about these lines into the folder; yield the seconds of each.

    A source is a file of lines and what to add to their `seq`: its sum is their place in the order of all events.
    """
    import duckdb

    lines = {"lines": [str(path) for path, _ in sources], "bases": [base for _, base in sources]}
    read_by_others = frozenset[str]().union(*(model.needs for model in models.facts()))
    with duckdb.connect(config=dict(OFFLINE)) as connection:
        for model in models.facts():
            start = time.perf_counter()
            if model.name in read_by_others:
                connection.execute(f"create temp table {model.name} as {model.sql}", None if model.needs else lines)
            if model.needs:
                facts = connection.table(model.name) if model.name in read_by_others else connection.sql(model.sql)
                facts.write_parquet(str(folder / f"{model.name}.parquet"), compression="zstd")
            yield model.name, time.perf_counter() - start
