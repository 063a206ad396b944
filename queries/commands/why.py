"""`linetrail why`: the intent, prompt and changes behind one line, or behind one function, class or method."""

import argparse
from contextlib import closing

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.ledger.substance import split
from linetrail.projections import target as targets
from linetrail.projections.blame import work_out
from linetrail.projections.tables import Table, open_tables
from linetrail.queries.as_of import add_as_of, asked, meta
from linetrail.queries.printing import add_formats, give
from linetrail.queries.reasons import reason
from linetrail.queries.why_text import Found, page


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `why`."""
    parser.add_argument(
        "place",
        metavar="PATH:LINE|PATH:SYMBOL",
        help="a line, as `linetrail blame` numbers it, or what is defined there: name or Outer.name",
    )
    parser.add_argument(
        "--rev", metavar="REV", help="the file as this commit has it; what is known of it, --as-of says"
    )
    add_as_of(parser)
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Answer for one line, or for all that one name stands for."""
    name, _, last = args.place.rpartition(":")
    if not name or not last:
        raise UsageError(
            f"{args.place} names no line; write it as PATH:LINE, for example src/a.py:12, or as PATH:SYMBOL"
        )
    repository = require_ledger(find(args.directory))
    return _of_line(repository, args, name, int(last)) if last.isdecimal() else _of_symbol(repository, args)


def _of_line(repository: Repository, args: argparse.Namespace, name: str, number: int) -> int:
    path = targets.locate(repository, args.directory, name)
    target = targets.find_target(repository, path, args.rev)
    lines = split(target.content).lines
    if not 1 <= number <= len(lines):
        raise UsageError(f"no line {number} in {target.path}, which ends at line {len(lines)}")
    until = asked(repository, args)
    answer, owners = work_out(repository, target, until)
    with open_tables(repository, until=until) as tables:
        why = reason(tables, owners[number - 1], target.path)
    found = Found(
        path=target.path,
        line_no=number,
        text=lines[number - 1].decode("utf-8", "replace"),
        by=answer.attributions[number - 1],
        commit=answer.git.commits.get(answer.git.lines[number - 1].revision or ""),
        why=why,
    )
    about = {"path": target.path, "revision": target.revision, **meta(until)}
    give(args, _table(found), about, lambda: page(found))
    return 0


def _of_symbol(repository: Repository, args: argparse.Namespace) -> int:
    from linetrail.queries import why_node  # these read the syntax of files
    from linetrail.queries.symbols import Symbols

    revision = None if args.rev is None else targets.resolve(repository, args.rev)
    with closing(Symbols(repository)) as symbols:
        meant = symbols.meant(args.place, directory=args.directory, revision=revision)
        until = asked(repository, args)
        answer, _ = work_out(repository, meant.target, until)
        with open_tables(repository, until=until) as tables:
            lineage, versions = symbols.history(tables, meant)
            found = why_node.found(tables, meant.place, lineage, answer.attributions, versions)
    about = {"path": meant.target.path, "revision": meant.target.revision, **meta(until)}
    give(args, why_node.table(found), about, lambda: why_node.page(found))
    return 0


def _table(found: Found) -> Table:
    why = found.why
    behind = {
        "prompt": why.prompt,
        "intent": why.intent,
        "tool": why.tool,
        "session": why.session,
        "decisions": why.decisions,
        "later": [claim._asdict() for claim in why.later],
        "earlier": [claim._asdict() for claim in why.earlier],
    }
    place = {"path": found.path, "line_no": found.line_no, "text": found.text}
    row = place | found.by._asdict() | {"commit_summary": found.summary} | behind
    return Table(tuple(row), [tuple(row.values())])
