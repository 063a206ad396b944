"""`linetrail since`: what others changed of the files that a session knows, since it last read or wrote them."""

import argparse

from linetrail.ledger.errors import UsageError
from linetrail.ledger.intents import selection
from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.answers.transcript import session_of
from linetrail.queries.render.output import add_formats, give
from linetrail.queries.render.text import plain, short, table_of, timestamp
from linetrail.queries.work.since import Changed, since


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "session",
        metavar="SESSION",
        nargs="?",
        help=f"default: ${selection.SESSION_VARIABLE}, in the shell of an agent",
    )
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Print the changes, in the order in which they were made."""
    repository = require_ledger(find(args.directory))
    session = args.session or selection.shell_session()
    if session is None:
        raise UsageError(
            "whose reads are meant? This is not the shell of an agent",
            "linetrail since SESSION; `linetrail status` lists those that are open",
        )
    if args.session:  # an agent's own may have nothing recorded yet
        with open_tables(repository) as tables:
            session = session_of(tables, args.session).session_id
    found = since(repository, session)
    none = f"nothing that {plain(short(session))} read or wrote was changed by anybody else"
    table = table_of({name: name for name in Changed._fields}, found)
    give(args, table, {"session_id": session}, lambda: "\n".join(map(_line, found)) or none)
    return 0


def _line(one: Changed) -> str:
    where = f": {', '.join(map(plain, one.definitions))}" if one.definitions else ""
    who = one.changed_by if one.session_id is None else f"{one.agent_name or 'session'} {short(one.session_id)}"
    intent = f", for {one.intent_id}" if one.intent_id else ""
    at = f"{timestamp(one.changed_at)[:16]}  " if one.changed_at else ""
    return f"{at}{plain(one.path)}{where}  by {plain(who)}{plain(intent) if intent else ''}"
