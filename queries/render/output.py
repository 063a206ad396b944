"""Print an answer the way it was asked for: laid out for people, or in one of the formats for programs.

Every command that only reads takes the same options for this, and no format ever holds a colour.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.files import publish
from linetrail.projections.tables.tables import Table
from linetrail.queries.render.terminal import add_terminal
from linetrail.queries.render.text import comma_separated, document, folded, json_lines, text_table

JSON, CSV, LINES, TABLE = "json", "csv", "nl", "table"
_FORMATS = {
    JSON: "print one JSON document",
    CSV: "print CSV",
    LINES: "print one JSON object per row",
    TABLE: "print the rows as aligned columns",
}
# The formats that are printed as the rows come.
_STREAMED = {JSON, CSV, LINES}


class OutputError(LinetrailError):
    """A file that the answer was to be written into cannot be written."""


def add_formats(parser: argparse.ArgumentParser, *, others: Mapping[str, str] | None = None) -> None:
    """Add the options that choose a format, of which one may be given, and those for whoever sits at a terminal.

    `others` are formats that only this command has.
    """
    group = parser.add_argument_group("how it is printed")
    formats = group.add_mutually_exclusive_group()
    for name, about in (_FORMATS | dict(others or {})).items():
        formats.add_argument(f"--{name}", dest="format", action="store_const", const=name, help=about)
    add_terminal(group, again=True)
    parser.set_defaults(paged=True)


def is_for_people(args: argparse.Namespace) -> bool:
    """Tell whether no format for programs was chosen."""
    return args.format in {None, TABLE}


def give(args: argparse.Namespace, table: Table, meta: Mapping[str, object], page: Callable[[], str]) -> None:
    """Print a table in the format that was chosen; without one, the page that is made for people."""
    if args.format is None:
        print(folded(page(), terminal_width()))
    else:
        print_table(table, args.format, meta)


def print_table(table: Table, chosen: str | None, meta: Mapping[str, object]) -> None:
    """Print a table in the chosen format; tell a person who would see nothing but a heading that it is empty."""
    if chosen == JSON:
        print(document(table, meta))
    elif chosen == CSV:
        print(comma_separated(table))
    elif chosen == LINES:
        if table.rows:
            print(json_lines(table))
    else:
        print(text_table(table, width=terminal_width()))
        if not table.rows:
            print("no rows", file=sys.stderr)


def print_rows(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    chosen: str,
    meta: Mapping[str, object],
    *,
    header: bool = True,
) -> None:
    """Print rows while they come, which may be more than fit the memory as text; CSV goes on without a header."""
    names = tuple(columns)
    if chosen not in _STREAMED:
        print_table(Table(names, [tuple(row) for row in rows]), chosen, meta)
        return
    if chosen == JSON:
        _print_document(names, rows, meta)
        return
    if chosen == CSV and header:
        print(comma_separated(Table(names, ())))
    for row in rows:
        one = Table(names, [tuple(row)])
        print(json_lines(one) if chosen == LINES else comma_separated(one, header=False))


def write_answer(out: str | None, directory: str, content: str) -> None:
    """Print an answer, or put it into a file as a whole."""
    if out is None:
        print(content, end="" if content.endswith("\n") else "\n")
        return
    path = os.path.abspath(os.path.join(directory, out))
    if not os.path.isdir(os.path.dirname(path)):
        raise OutputError(f"cannot write {out}: no such folder")
    if os.path.isdir(path):
        raise OutputError(f"cannot write {out}: it is a folder")
    ended = content if content.endswith("\n") else f"{content}\n"
    try:
        publish(path, ended.encode(errors="backslashreplace"), durable=False, mode=0o644)
    except OSError as error:
        raise OutputError(f"cannot write {out}: {error.strerror}") from None
    print(f"written to {out}", file=sys.stderr)


def terminal_width() -> int | None:
    """Return how much fits a line; None where nobody looks at a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _print_document(columns: tuple[str, ...], rows: Iterable[Sequence[Any]], meta: Mapping[str, object]) -> None:
    """Print the one document, a row on each line."""
    sys.stdout.write(document(Table(columns, ()), meta).removesuffix("[]\n}"))
    separator = "[\n"
    for row in rows:
        sys.stdout.write(separator + json_lines(Table(columns, [tuple(row)])))
        separator = ",\n"
    sys.stdout.write("\n]\n}\n" if separator == ",\n" else "[]\n}\n")
