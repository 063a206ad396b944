"""`linetrail transcript`: show the conversation of a session, from the agent's own files."""

import argparse
import sys
from collections.abc import Sequence

from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.answers import transcript
from linetrail.queries.answers.transcript import Conversation, Session, Utterance
from linetrail.queries.answers.transcript_text import WIDTH, Look, page
from linetrail.queries.render.output import add_formats, give, terminal_width
from linetrail.queries.render.terminal import coloured, links


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", help="a session, or the first characters of its id")
    parser.add_argument(
        "files",
        metavar="PATH",
        nargs="*",
        help="read these files or folders; by default those of the agent, else the checkpoints of Entire",
    )
    parser.add_argument(
        "--around", metavar="ID|TURN", help="what stands around this event or call of the session, or this turn of it"
    )
    parser.add_argument("--full", action="store_true", help="whole texts, up to 65,536 characters each")
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Print the conversation; store nothing of it."""
    repository = require_ledger(find(args.directory))
    with open_tables(repository) as tables:
        session = transcript.session_of(tables, args.session)
        conversation = transcript.conversation(repository, session, args.files)
        said = conversation.said
        turn = [one for one in said if str(one.turn) == args.around]
        if args.around and not turn:
            anchor = transcript.anchor_of(tables, session, args.around)
            said = transcript.around(said, transcript.place(said, anchor))
    give(args, _table(turn or said), _meta(session, conversation), lambda: _page(args, conversation, turn or said))
    return 0


def _page(args: argparse.Namespace, conversation: Conversation, said: Sequence[Utterance]) -> str:
    look = Look(terminal_width() or WIDTH, args.full, coloured(sys.stdout, args.color), links(sys.stdout))
    return page(conversation, said, look)


def _table(said: Sequence[Utterance]) -> Table:
    return Table((*Utterance._fields, "is_cut"), [(*one, one.is_cut) for one in said])


def _meta(session: Session, conversation: Conversation) -> dict[str, object]:
    files = list(dict.fromkeys(one.path for one in conversation.said))
    return session._asdict() | {"files": files, "rejected": dict(conversation.rejected)}
