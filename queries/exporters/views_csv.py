"""Write views as CSV (RFC 4180, UTF-8): each into a file of its own, or one of them where it is asked for by name."""

import difflib
import os
from collections.abc import Iterator
from contextlib import closing

from linetrail.ledger.errors import UsageError
from linetrail.projections.tables import models
from linetrail.projections.tables.progress import each
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Tables, bounded, named
from linetrail.queries.exporters.formats import Asked
from linetrail.queries.exporters.output import place, put, say, writing
from linetrail.queries.render.text import comma_separated

MEMORY = "1GB"
_END = "\r\n"
# Rows that are in memory at once.
_BATCH = 1_000


def export(asked: Asked) -> None:
    """Write one view to where it is wanted, or all of them into a folder."""
    names = [view.name for view in models.views()]
    if asked.table is not None and asked.table not in names:
        alike = difflib.get_close_matches(asked.table, names, n=3, cutoff=0.4)
        raise UsageError(f"no view is called {asked.table}" + (f"; is it {' or '.join(alike)}?" if alike else ""))
    if asked.table is None and asked.out is None:
        raise UsageError("csv has a file for each view: name a folder with --out, or one view with --table")
    with bounded(asked.repository, MEMORY) as tables:
        if asked.table is not None:
            say(asked, put(asked, lines(tables, asked.table)) - 1, "row")
            return
        folder = place(asked) or ""
        if not asked.dry_run:
            with writing(folder):
                os.makedirs(folder, exist_ok=True)
        for name in each(names, "exporting", "views"):
            put(asked._replace(out=os.path.join(asked.out or "", f"{name}.csv")), lines(tables, name))
        say(asked, len(names), "view")


def lines(tables: Tables, name: str) -> Iterator[bytes]:
    """Yield the heading and the rows of a view, sorted by all columns, each with its line end."""
    sql = f"select * from {name} order by all"  # noqa: S608  the name of a view of ours
    tables.show(named(sql))
    with closing(tables.connection.cursor()) as cursor:
        cursor.execute(sql)
        columns = tuple(column[0] for column in cursor.description or ())
        yield ",".join(columns).encode() + _END.encode()
        while rows := cursor.fetchmany(_BATCH):
            for row in rows:
                yield comma_separated(Table(columns, [row]), header=False, line_end=_END).encode() + _END.encode()
