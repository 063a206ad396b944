"""`linetrail sql`: query the tables in SQL, or by the name of a question."""

import argparse
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.git.target import locate
from linetrail.projections.tables.table import Table
from linetrail.queries.arguments.as_of import add_as_of, asked, meta
from linetrail.queries.ask import question_files
from linetrail.queries.ask.ask import understood
from linetrail.queries.ask.question_files import Question
from linetrail.queries.render.output import TABLE, add_formats, give, is_for_people, print_table
from linetrail.queries.render.text import plain
from linetrail.queries.sandbox.limits import MAX_SQL
from linetrail.queries.sandbox.sandbox import Answer, ask

EPILOG = (
    "What there is to ask: linetrail sql 'show tables', linetrail sql 'describe v_mutations'. A value of -p is never "
    "read as SQL; it is text, so write cast($n as integer) where a number is meant. $since and $until are moments: "
    "2026-01-05, 7d, last week."
)


class _Asking(NamedTuple):
    """A query: SQL, its parameters, and the named question that it is, if any."""

    sql: str
    parameters: Mapping[str, object]
    question: Question | None = None


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument(
        "query", metavar="QUERY|@NAME|-", nargs="?", help="a select, a question from --list, or - for stdin"
    )
    parser.add_argument("--file", metavar="FILE", help="ask what stands in this file")
    parser.add_argument(
        "-p",
        dest="parameters",
        metavar=("KEY", "VALUE"),
        nargs=2,
        action="append",
        default=[],
        help="a parameter: $KEY in the query; may be repeated",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list the questions that have a name")
    what.add_argument("--explain", action="store_true", help="tell how the query would be answered, and do not answer")
    add_as_of(parser)
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Print the questions, or the answer to one."""
    if args.list:
        questions = list(question_files.questions().values())
        give(args, listed(questions), {}, lambda: page(questions))
        return 0
    asking = _asking(args)
    repository = require_ledger(find(args.directory))
    until = asked(repository, args)
    parameters = understood(_located(asking, repository, args.directory), repository)
    paths = asking.question.paths(parameters) if asking.question else ()
    answer = ask(repository, asking.sql, parameters, until=until, paths=paths, explain=args.explain)
    if not answer.complete:
        print(f"only the first {len(answer.table.rows):,} rows are shown", file=sys.stderr)
    if args.explain and is_for_people(args):
        print(plan(answer))
        return 0
    about = {"query": args.query or args.file, "parameters": parameters, "complete": answer.complete}
    print_table(answer.table, args.format or TABLE, {**about, **meta(until)})
    return 0


def _asking(args: argparse.Namespace) -> _Asking:
    if (args.query is None) == (args.file is None):
        raise UsageError("give one of: a query, @NAME, - for stdin, --file FILE, --list")
    parameters = given(args.parameters)
    if args.query is None or args.query == "-":
        return _Asking(read(args.directory, args.file), parameters)
    if not args.query.startswith("@"):
        return _Asking(args.query, parameters)
    question = question_files.find(args.query[1:])
    return _Asking(question.sql, question_files.bound(question, parameters), question)


def _located(asking: _Asking, repository: Repository, directory: str) -> Mapping[str, object]:
    """Return the parameters of a question, with `path` spelled as in the ledger."""
    path = asking.parameters.get("path")
    if asking.question is None or not isinstance(path, str) or not path:
        return asking.parameters
    return {**asking.parameters, "path": locate(repository, directory, path)}


def given(pairs: Iterable[Sequence[str]]) -> dict[str, object]:
    """Return the values of -p by name."""
    given: dict[str, object] = {}
    for name, value in pairs:
        if name in given:
            raise UsageError(f"-p {name} is given twice: {given[name]!r} and {value!r}")
        given[name] = value
    return given


def read(directory: str, file: str | None) -> str:
    """Read the query from a file or stdin, not much further than the longest that is allowed."""
    try:
        if file is None:
            return sys.stdin.buffer.read(4 * MAX_SQL).decode()
        with open(os.path.join(directory, file), "rb") as opened:
            return opened.read(4 * MAX_SQL).decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{file or 'stdin'} is not UTF-8: byte {error.start + 1}") from None


def plan(answer: Answer) -> str:
    """Return how a query would be answered, for people."""
    lines = (line for row in answer.table.rows for line in str(row[-1]).splitlines())
    return "\n".join(map(plain, lines))


def listed(questions: Iterable[Question]) -> Table:
    columns = ("name", "question", "params", "columns", "control", "topic")
    return Table(
        columns,
        [
            (
                each.name,
                each.question,
                [{name: told for name, told in one._asdict().items() if told != ()} for one in each.parameters],
                list(each.columns),
                each.control,
                each.topic,
            )
            for each in questions
        ],
    )


def page(questions: Iterable[Question], command: str = "linetrail sql") -> str:
    """Return the questions by topic, each on a line with its parameters."""
    topics = question_files.TOPICS
    # a topic of its own goes before those that every repository has
    ordered = sorted(questions, key=lambda each: (each.topic in topics and topics.index(each.topic) + 1, each.name))
    width = max(len(each.name) for each in ordered)
    lines: list[str] = []
    for topic, about in groupby(ordered, key=lambda each: each.topic):
        lines += [topic, *(f"  @{each.name:{width}}  {each.question}{_told(each)}" for each in about), ""]
    return "\n".join([*lines, f"{command} @NAME -p KEY VALUE; what has a ? may be left out"])


def _told(question: Question) -> str:
    names = ", ".join(parameter.name + "?" * parameter.optional for parameter in question.parameters)
    return f"  ({names})" if names else ""
