"""`linetrail sql`: ask the tables, in SQL of one's own or by the name of a question."""

import argparse
import sys
from collections.abc import Iterable

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.tables import Table
from linetrail.queries import book
from linetrail.queries.as_of import add_as_of, asked, meta
from linetrail.queries.ask import understood
from linetrail.queries.book import Question
from linetrail.queries.cell import ask
from linetrail.queries.printing import add_formats, print_table


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `sql`."""
    parser.epilog = "What there is to ask: linetrail sql 'show tables', linetrail sql 'describe v_mutations'."
    parser.add_argument("query", metavar="QUERY|@NAME", nargs="?", help="a select, or a question from --list")
    parser.add_argument(
        "-p",
        dest="parameters",
        metavar=("KEY", "VALUE"),
        nargs=2,
        action="append",
        default=[],
        help="a parameter: $KEY in the query",
    )
    parser.add_argument("--list", action="store_true", help="list the questions that have a name")
    add_as_of(parser)
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Print the questions, or the answer to one."""
    if args.list:
        print_table(_list(book.questions().values(), brief=args.format in {None, "table"}), args.format, {})
        return 0
    if args.query is None:
        raise UsageError("give a query, @NAME or --list")
    sql, given, paths = _asked(args.query, dict(args.parameters))
    repository = require_ledger(find(args.directory))
    until = asked(repository, args)
    answer = ask(repository, sql, understood(given), until=until, paths=paths)
    if not answer.complete:
        print(f"only the first {len(answer.table.rows):,} rows are shown", file=sys.stderr)
    print_table(answer.table, args.format, {"query": args.query, "complete": answer.complete, **meta(until)})
    return 0


def _asked(query: str, given: dict[str, object]) -> tuple[str, dict[str, object], tuple[str, ...]]:
    if not query.startswith("@"):
        return query, given, ()
    question = book.find(query[1:])
    return question.sql, book.bound(question, given), question.paths(given)


def _list(questions: Iterable[Question], *, brief: bool) -> Table:
    """Return the questions; in brief, each fits a line of a terminal."""
    if brief:
        return Table(
            ("name", "params", "question"), [(f"@{each.name}", _signature(each), each.question) for each in questions]
        )
    return Table(
        ("name", "question", "params", "columns", "control"),
        [
            (each.name, each.question, [one._asdict() for one in each.parameters], list(each.columns), each.control)
            for each in questions
        ],
    )


def _signature(question: Question) -> str:
    return " ".join(parameter.name + "?" * parameter.optional for parameter in question.parameters)
