"""Print an answer in the chosen format: text for people, or one of the formats for programs.

Every command that only reads takes the same options for this, and no format ever holds a colour.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.errors import LinetrailError, NotARepositoryError
from linetrail.ledger.files import publish
from linetrail.ledger.paths.names import ANYWHERE, protected
from linetrail.ledger.repository import find
from linetrail.projections.tables.table import Table
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
    """The file for the answer cannot be written."""


class ProtectedOutputError(OutputError):
    """A file that is to be written belongs to git, the ledger or an agent."""

    hint = "name a file that is not protected"


def writable(path: str) -> str:
    """Return a path that a command may write, wherever its links lead; refuse what only people change.

    >>> writable("report.sarif")
    'report.sarif'
    """
    real = os.path.realpath(path)
    held = protected(_names_below(real)) or next((name for name in real.split("/") if name.lower() == ANYWHERE), None)
    if held is not None:
        raise ProtectedOutputError(f"{path} is not written: only people change {held}")
    return path


def _names_below(path: str) -> list[str]:
    """Return the names of a path below the repository that it lies in; none where it lies in no repository."""
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    try:
        root = find(folder).root
    except NotARepositoryError:
        return []
    return os.path.relpath(path, root).split("/")


def add_formats(parser: argparse.ArgumentParser, *, others: Mapping[str, str] | None = None) -> None:
    """Add the options for the format, which exclude each other, and those for terminals.

    `others` are formats that only this command has.
    """
    group = parser.add_argument_group("how it is printed")
    formats = group.add_mutually_exclusive_group()
    for name, about in (_FORMATS | dict(others or {})).items():
        formats.add_argument(f"--{name}", dest="format", action="store_const", const=name, help=about)
    add_terminal(group, again=True)
    parser.set_defaults(paged=True)


def add_json(parser: "argparse._ActionsContainer") -> None:
    """Add the option of commands whose answer is text or JSON."""
    parser.add_argument("--json", dest="format", action="store_const", const=JSON, help=_FORMATS[JSON])


def add_verb(
    verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, about: str
) -> argparse.ArgumentParser:
    return verbs.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".")


def is_for_people(args: argparse.Namespace) -> bool:
    return args.format in {None, TABLE}


def give(args: argparse.Namespace, table: Table, meta: Mapping[str, object], page: Callable[[], str]) -> None:
    """Print a table in the chosen format, or the page for people if none was chosen."""
    if args.format is None:
        print(folded(page(), terminal_width()))
    else:
        print_table(table, args.format, meta)


class Answer(NamedTuple):
    """What a command answers, for whatever surface asks; `page` is the text for people."""

    table: Table
    meta: Mapping[str, object]
    page: Callable[[], str]
    status: int = 0


def show(args: argparse.Namespace, answer: Answer) -> int:
    """Print an answer in the chosen format, and return the exit status."""
    give(args, answer.table, answer.meta, answer.page)
    return answer.status


def print_table(table: Table, chosen: str | None, meta: Mapping[str, object]) -> None:
    """Print a table in the chosen format; on stderr, say that an aligned table is empty."""
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
    """Print rows as they come, without holding all of them; `header` is for the first of several CSV parts."""
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
    """Print an answer, or write it into a file."""
    if out is None:
        print(content, end="" if content.endswith("\n") else "\n")
        return
    path = writable(os.path.abspath(os.path.join(directory, out)))
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
    """Return the width of the terminal; None where stdout is none."""
    if not sys.stdout.isatty():
        return None
    from shutil import get_terminal_size  # loads what packs archives

    return get_terminal_size().columns


def _print_document(columns: tuple[str, ...], rows: Iterable[Sequence[Any]], meta: Mapping[str, object]) -> None:
    """Print the JSON document with a row on each line."""
    sys.stdout.write(document(Table(columns, ()), meta).removesuffix("[]\n}"))
    separator = "[\n"
    for row in rows:
        sys.stdout.write(separator + json_lines(Table(columns, [tuple(row)])))
        separator = ",\n"
    sys.stdout.write("\n]\n}\n" if separator == ",\n" else "[]\n}\n")
