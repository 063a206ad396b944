"""`linetrail ask`: answer a question in plain words from the ledger, locally and deterministically."""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.git.shell import command
from linetrail.projections.tables.prefix import Cut
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.answers import model
from linetrail.queries.arguments.as_of import add_as_of, asked
from linetrail.queries.arguments.as_of import meta as as_of_meta
from linetrail.queries.ask import page, search
from linetrail.queries.ask.choice import Unanswered
from linetrail.queries.ask.interpretation import Understanding, understand
from linetrail.queries.ask.question_files import questions
from linetrail.queries.ask.replies import Named, asked_at, reply
from linetrail.queries.ask.said import Known
from linetrail.queries.render.output import TABLE, add_formats, is_for_people, print_table, terminal_width
from linetrail.queries.render.text import folded, plain, text_table

MAX_CHARACTERS, MAX_ROWS = 1000, 1000
UNANSWERED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "For example: authentication changes of last week; denied commands in January; why did we choose SQLite?; cost "
        "by model since monday; which files did codex change most; who wrote tax.py. No model is asked unless --model "
        "names one: what can be counted or summed up goes to a question of `linetrail sql --list`; else words for "
        "times, people, agents, files and kinds of events are filters, and the others are looked for. Status 1: there "
        "is no answer."
    )
    parser.add_argument("question", metavar="QUESTION", nargs="+", help="in English, quoted or not")
    parser.add_argument(
        "-n", dest="limit", metavar="N", type=int, default=search.LIMIT, help=f"so many rows (default: {search.LIMIT})"
    )
    parser.add_argument("--sql", action="store_true", help="print the whole SQL alone, and not its rows")
    parser.add_argument(
        "--model",
        metavar="CMD",
        help="let this command write the SQL: it gets the question, the views and the named questions on stdin, and "
        "nothing that was recorded; what it writes runs in a sandbox",
    )
    add_as_of(parser)
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Print the rows that answer, best first, and on stderr how the question was understood."""
    question = " ".join(" ".join(args.question).replace("\0", " ").split())
    if not question or len(question) > MAX_CHARACTERS:
        raise UsageError(f"a question takes 1 to {MAX_CHARACTERS:,} characters")
    if not 1 <= args.limit <= MAX_ROWS:
        raise UsageError(f"-n is 1 to {MAX_ROWS:,} rows")
    repository = require_ledger(find(args.directory))
    until, now = asked(repository, args), asked_at(args.as_of)
    if args.model is not None:
        return _by_model(args, repository, question, now, until)
    with open_tables(repository, until=until) as tables:
        known = search.known(tables)
        found = reply(tables, question, now, known, args.limit)
        looked = not isinstance(found, Unanswered) and not found.rows
        advice = list(_advice(tables, understand(question, now, known), known)) if looked else []
    about = {"question": question, **as_of_meta(until)}
    if isinstance(found, Unanswered):
        return _refuse(args, found, about)
    if args.sql:
        print(page.named_sql(found.chosen) if isinstance(found, Named) else page.again(found.query))
        return 0
    if isinstance(found, Named):
        _print_named(args, found, {**about, **page.named_meta(found, now), "advice": advice}, advice)
        return 0
    if is_for_people(args):
        print("\n".join(page.notes(found)), file=sys.stderr)
        if found.hits:
            print_table(page.brief(found), args.format, {})
    else:
        print_table(page.table(found), args.format, {**about, **page.meta(found, now), "advice": advice})
    if not found.hits:
        print("\n".join(["nothing matches", *map(plain, advice)]), file=sys.stderr)
    return 0


def _by_model(args: argparse.Namespace, repository: Repository, question: str, now: datetime, until: Cut | None) -> int:
    """Print what the SQL of a model answers, and the SQL."""
    about = {"question": question, "model": args.model, **as_of_meta(until)}
    if args.sql:
        written = model.sql(args.model, model.request(question, now))
        if isinstance(written, Unanswered):
            return _refuse(args, written, about)
        print(plain(written))
        return 0
    found = model.reply(repository, args.model, question, now, until)
    if isinstance(found, Unanswered):
        return _refuse(args, found, about)
    again = command(["linetrail", "sql", found.sql])
    if is_for_people(args):
        print(f"sql, as the model wrote it: {plain(again)}", file=sys.stderr)
    if not found.answer.complete:
        print(f"only the first {len(found.answer.table.rows):,} rows are shown", file=sys.stderr)
    complete = {"complete": found.answer.complete, "sql": found.sql, "command": again}
    print_table(found.answer.table, args.format or TABLE, {**about, **complete})
    return 0


def _print_named(args: argparse.Namespace, found: Named, about: Mapping[str, object], advice: Sequence[str]) -> None:
    """Print the answer of a named question: the first rows for people, all of them for programs."""
    if not is_for_people(args):
        print_table(found.table, args.format, about)
        return
    for note in page.named_notes(found):
        print(note if note.startswith("sql: ") else folded(note, terminal_width()), file=sys.stderr)
    if not found.table.rows:
        print("\n".join(["nothing that is recorded fits", *map(plain, advice)]), file=sys.stderr)
        return
    brief = page.named_brief(found, args.limit)
    if args.format is None and len(brief.rows) == 1:
        print(folded(page.named_block(brief), terminal_width()))
    else:
        less = [name for name in page.DISPENSABLE if name in brief.columns]
        print(text_table(brief, width=terminal_width(), dispensable=less))
    if len(found.table.rows) > args.limit:
        print(f"the first {args.limit:,} of {len(found.table.rows):,} rows; -n shows more", file=sys.stderr)


def _refuse(args: argparse.Namespace, found: Unanswered, about: Mapping[str, object]) -> int:
    """Print that there is no answer, rather than answer another question."""
    if not is_for_people(args):
        print_table(
            Table(page.COLUMNS, []), args.format, {**about, "unanswered": found.reason, "near": list(found.near)}
        )
    print("\n".join(_reasons(found)), file=sys.stderr)
    return UNANSWERED


def _reasons(found: Unanswered) -> Iterator[str]:
    yield f"cannot answer that: {plain(found.reason)}"
    for name in found.near:
        yield f"near it: @{name}  {questions()[name].question}"
    yield f"next: linetrail sql {f'@{found.near[0]}' if found.near and not _required(found.near[0]) else '--list'}"


def _required(name: str) -> bool:
    return any(not parameter.optional for parameter in questions()[name].parameters)


def _advice(tables: Tables, asked_for: Understanding, known: Known) -> Iterator[str]:
    """Yield the parts of a question without which something would match."""
    wider = {
        f"without the time ({', '.join(asked_for.times)})": asked_for._replace(since=None, until=None, times=()),
        f"without the kind ({', '.join(asked_for.kinds)})": asked_for._replace(kinds=(), outcomes=()),
        f"of any outcome (not only {', '.join(asked_for.outcomes)})": asked_for._replace(outcomes=()),
        f"without the file ({', '.join(word for word, _ in asked_for.places)})": asked_for._replace(places=()),
        "by anybody": asked_for._replace(agents=(), models=(), contributor=None),
        "for any intent": asked_for._replace(intents=()),
        f"without the words ({', '.join(term.word for term in asked_for.terms)})": asked_for._replace(terms=()),
    }
    for what, other in wider.items():
        if other != asked_for and search.run(tables, other, search.query(other, 1)):
            yield f"{what}, there is something"
    if not known.sessions:
        yield "next: nothing was recorded here yet; `linetrail doctor` tells why"
