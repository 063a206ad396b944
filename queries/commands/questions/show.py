"""`linetrail show`: show one event, session, intent, tool call, commit or content in full."""

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.answers.show import show
from linetrail.queries.arguments.as_of import add_as_of, asked, meta
from linetrail.queries.render.output import add_formats, give, terminal_width
from linetrail.queries.render.text import plain, text_table

# How wide the lists get where nobody looks at a terminal.
WIDTH = 160


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id",
        metavar="ID",
        help="an id or its first characters, an event's number, a commit as git names it, or a hash of a content, a"
        " block of lines, a line or a segment",
    )
    add_as_of(parser)
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    repository = require_ledger(find(args.directory))
    until = asked(repository, args)
    with open_tables(repository, until=until) as tables:
        record = show(repository, tables, args.id)
    table = Table(tuple(record), [tuple(record.values())])
    give(args, table, {"root": repository.root, **meta(until)}, lambda: "\n".join(_page(record)))
    return 0


def _page(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the known fields one below the other, then lists and nested records."""
    fields = {name: value for name, value in record.items() if value is not None and not isinstance(value, list | dict)}
    width = max(map(len, fields), default=0)
    for name, value in fields.items():
        yield f"{name:<{width}}  {plain(value)}".rstrip()
    for name, value in record.items():
        if isinstance(value, list | dict) and value:
            yield from ("", name)
            yield from (f"  {line}".rstrip() for line in (_page(value) if isinstance(value, dict) else _items(value)))


def _items(values: list[Any]) -> list[str]:
    if not all(isinstance(value, dict) for value in values):
        return [plain(value) for value in values]
    columns = tuple(dict.fromkeys(name for value in values for name in value))
    table = Table(columns, [tuple(value.get(name) for name in columns) for value in values])
    return text_table(table, width=terminal_width() or WIDTH).splitlines()
