"""`linetrail fleet sql`: ask all repositories of a store in SQL, or by the name of a question."""

import argparse
import sys

from linetrail.ledger.errors import UsageError
from linetrail.queries.ask import question_files
from linetrail.queries.ask.ask import understood
from linetrail.queries.commands.fleet.store import ABOUT, parted, url_of
from linetrail.queries.commands.questions.sql import given, listed, page, plan, read
from linetrail.queries.extras import require_extra
from linetrail.queries.fleet import questions
from linetrail.queries.fleet.asking import Query, ask, asking_person
from linetrail.queries.fleet.engines import ENGINES, engine
from linetrail.queries.render.output import TABLE, add_formats, give, is_for_people, print_table

EPILOG = (
    "Ids, paths and commits have their repository before them, as in 1f3a5c7e9b0d:INT-001, so what two repositories "
    "call alike is never taken for the same; -p takes them as they are shown. The tables are those of `linetrail sql`, "
    "each with a column repo_id, but for those that ask git; v_fleet_… are counts over groups that are large enough."
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.set_defaults(intermixed=True)  # a URL is followed by options as often as by the query
    parser.add_argument("words", metavar="[URL] QUERY|@NAME|-", nargs="*", help=f"{ABOUT}; then what is asked")
    parser.add_argument("--engine", default="duckdb", metavar="NAME", help=f"who answers: {', '.join(ENGINES)}")
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
    parser.add_argument("--excerpts", action="store_true", help="read what people and agents wrote, where it is kept")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list the questions that have a name")
    what.add_argument("--explain", action="store_true", help="tell how the query would be answered, and do not answer")
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Print the questions, or the answer to one."""
    if args.list:
        known = [*questions.of_organisation().values(), *questions.of_repositories().values()]
        give(args, listed(known), {}, lambda: page(known, "linetrail fleet sql"))
        return 0
    query = _query(args)
    require_extra(engine(query.engine).EXTRA, f"fleet sql --engine {query.engine}")
    answer, manifest = ask(query, asking_person(args.directory))
    if not answer.complete:
        print(f"only the first {len(answer.table.rows):,} rows are shown", file=sys.stderr)
    if args.explain and is_for_people(args):
        print(plan(answer))
        return 0
    about = {"query": query.name or query.sql, "parameters": query.parameters, "complete": answer.complete}
    built = {"engine": query.engine, "generation": manifest.generation, "repositories": manifest.repositories}
    print_table(answer.table, args.format or TABLE, {**about, **built})
    return 0


def _query(args: argparse.Namespace) -> Query:
    url, words = parted(args.words)
    if len(words) > 1 or bool(words) == bool(args.file):
        raise UsageError("give one of: a query, @NAME, - for stdin, --file FILE, --list")
    parameters = given(args.parameters)
    word = words[0] if words else "-"
    if word.startswith("@"):
        question = questions.find(word[1:])
        parameters, sql, name = question_files.bound(question, parameters), question.sql, word
    else:
        sql, name = (word if word != "-" else read(args.directory, args.file)), None
    return Query(url_of(url), sql, understood(parameters), args.engine, args.excerpts, args.explain, name)
