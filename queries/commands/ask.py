"""`linetrail ask`: a question in plain words, answered from the ledger, here, the same way each time."""

import argparse
import sys
from collections.abc import Iterator
from datetime import UTC, datetime

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.tables import Tables, open_tables
from linetrail.queries.as_of import add_as_of, asked
from linetrail.queries.as_of import meta as as_of_meta
from linetrail.queries.asking import page, search
from linetrail.queries.asking.understanding import Known, Understanding, understand
from linetrail.queries.moments import moment
from linetrail.queries.printing import add_formats, print_table
from linetrail.queries.render import plain

MAX_CHARACTERS, MAX_ROWS = 1000, 1000


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `ask`."""
    parser.epilog = (
        "For example: authentication changes of last week; denied commands in January; why did we choose SQLite?; what "
        "did codex change in src/api/ yesterday. No model is asked: words for times, people, agents, files and kinds "
        "of events are filters, the others are looked for."
    )
    parser.add_argument("question", metavar="QUESTION", nargs="+", help="in English, quoted or not")
    parser.add_argument(
        "-n", dest="limit", metavar="N", type=int, default=search.LIMIT, help=f"so many rows (default: {search.LIMIT})"
    )
    parser.add_argument("--sql", action="store_true", help="print the SQL alone, as a command, and do not ask")
    add_as_of(parser)
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Print the rows that answer, best first; on stderr how the question was understood."""
    question = " ".join(" ".join(args.question).replace("\0", " ").split())
    if not question or len(question) > MAX_CHARACTERS:
        raise UsageError(f"a question takes 1 to {MAX_CHARACTERS:,} characters")
    if not 1 <= args.limit <= MAX_ROWS:
        raise UsageError(f"-n is 1 to {MAX_ROWS:,} rows")
    repository = require_ledger(find(args.directory))
    until, now = asked(repository, args), _now(args.as_of)
    with open_tables(repository, until=until) as tables:
        known = search.known(tables)
        meant = understand(question, now, known)
        if args.sql:
            print(page.again(search.query(meant, args.limit)))
            return 0
        found = search.answer(tables, meant, args.limit)
        advice = [] if found.hits else list(_advice(tables, meant, known))
    if args.format in (None, "table"):
        print("\n".join(page.notes(found)), file=sys.stderr)
        if found.hits:
            print_table(page.brief(found), args.format, {})
    else:
        about = {"question": question, **page.meta(found, now), "advice": advice, **as_of_meta(until)}
        print_table(page.table(found), args.format, about)
    if not found.hits:
        print("\n".join(["nothing matches", *map(plain, advice)]), file=sys.stderr)
    return 0


def _now(as_of: str | None) -> datetime:
    """Return the moment that `yesterday` is counted from: that of `--as-of`, where it is one."""
    if as_of is not None:
        try:
            return moment(as_of).replace(tzinfo=UTC)
        except UsageError:
            pass
    return datetime.now(UTC)


def _advice(tables: Tables, meant: Understanding, known: Known) -> Iterator[str]:
    """Yield what could be left out, one thing at a time, so that something matches."""
    wider = {
        f"without the time ({', '.join(meant.times)})": meant._replace(since=None, until=None, times=()),
        f"without the kind ({', '.join(meant.kinds)})": meant._replace(kinds=(), outcomes=()),
        f"of any outcome (not only {', '.join(meant.outcomes)})": meant._replace(outcomes=()),
        f"without the file ({', '.join(word for word, _ in meant.places)})": meant._replace(places=()),
        "by anybody": meant._replace(agents=(), models=(), contributor=None),
        "for any intent": meant._replace(intents=()),
        f"without the words ({', '.join(term.word for term in meant.terms)})": meant._replace(terms=()),
    }
    for what, other in wider.items():
        if other != meant and search.run(tables, other, search.query(other, 1)):
            yield f"{what}, there is something"
    if not known.sessions:
        yield "next: nothing was recorded here yet; `linetrail doctor` tells why"
