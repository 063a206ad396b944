"""`linetrail why`: show the intent, prompt and changes behind lines, or behind a function, class or method."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.git import target as targets
from linetrail.projections.git.target import Target
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.answers.why.line import Found, Span, explained, span_of, table, together
from linetrail.queries.answers.why.text import Look, page, pages
from linetrail.queries.arguments.as_of import add_as_of, asked, meta
from linetrail.queries.render.output import add_formats, give, terminal_width
from linetrail.queries.render.terminal import coloured, links


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "place",
        metavar="PATH:LINE|PATH:A-B|PATH:SYMBOL",
        help="a line, as `linetrail blame` numbers it; lines: 12-20, or 12,+9, or the '@@ -1,2 +1,3 @@' of a hunk; "
        "or what is defined there: name or Outer.name",
    )
    parser.add_argument(
        "--rev", metavar="REV", help="the file as this commit has it; what is known of it, --as-of says"
    )
    parser.add_argument(
        "--transcript",
        action="store_true",
        help="what was said around the change, read where its agent keeps it; nothing of it is stored",
    )
    parser.add_argument(
        "--full", action="store_true", help="all former changes, whole reasons, how changes were judged"
    )
    add_as_of(parser)
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Explain the lines, or the definition, that the place names."""
    span = span_of(args.place)
    repository = require_ledger(find(args.directory))
    if span is None and args.transcript:
        raise UsageError(f"--transcript is about lines: write {args.place.rpartition(':')[0]}:LINE")
    return _of_symbol(repository, args) if span is None else _of_lines(repository, args, span)


def _of_lines(repository: Repository, args: argparse.Namespace, span: Span) -> int:
    target = targets.find_target(repository, targets.locate(repository, args.directory, span.path), args.rev)
    until = asked(repository, args)
    found = explained(repository, target, span, until)
    look = Look(args.full, coloured(sys.stdout, args.color), _address(repository, target))
    about = {"path": target.path, "revision": target.revision, **meta(until)}
    if args.transcript:
        return _with_what_was_said(repository, args, found, about, look)
    give(args, table(found), about, lambda: pages(list(together(found)), look))
    return 0


def _with_what_was_said(
    repository: Repository, args: argparse.Namespace, found: Sequence[Found], about: Mapping[str, object], look: Look
) -> int:
    """Print the answer with the conversation: in a field of each row, or below each explanation."""
    from linetrail.queries.answers import transcript_text  # they read the files of all agents
    from linetrail.queries.answers.why import conversation

    with open_tables(repository) as tables:
        conversations = conversation.Conversations(repository, tables)
        spoken = {id(one.why): conversations.behind(one.why) for one in found}
    wide = transcript_text.Look(terminal_width() or transcript_text.WIDTH, look.full, look.colour, links(sys.stdout))
    columns, lines = table(found)
    told = (spoken[id(one.why)] for one in found)
    rows = [(*row, one and one.rows()) for row, one in zip(lines, told, strict=True)]
    give(
        args,
        Table((*columns, "transcript"), rows),
        about,
        lambda: "\n\n".join(
            "\n".join([page(one, look), *conversation.lines(spoken[id(one.why)], wide)]) for one in together(found)
        ),
    )
    return 0


def _address(repository: Repository, target: Target) -> str | None:
    """Return the URI of a file of the work tree, where the terminal shows links."""
    if target.revision is not None or not links(sys.stdout):
        return None
    return Path(repository.absolute(target.path)).as_uri()


def _of_symbol(repository: Repository, args: argparse.Namespace) -> int:
    from linetrail.queries.answers.why import symbol  # it reads the syntax of files

    revision = None if args.rev is None else targets.resolve(repository, args.rev)
    until = asked(repository, args)
    target, found = symbol.explained_symbol(repository, args.directory, args.place, revision, until)
    look = Look(args.full, coloured(sys.stdout, args.color), _address(repository, target))
    about = {"path": target.path, "revision": target.revision, **meta(until)}
    give(args, symbol.table(found), about, lambda: symbol.page(found, look))
    return 0
