"""The option `--as-of`: answer from the ledger as it was."""

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from linetrail.ledger.repository import Repository
from linetrail.queries.render.text import counted

if TYPE_CHECKING:  # the ledger as it is has to be read for it
    from linetrail.projections.tables.prefix import Cut

RULES = (
    "--as-of answers from the ledger as it was. EVENT: the id of an event, or its first characters: up to it and with "
    "it. REV: when this commit was made: up to the last event that is sealed in its tree or that was recorded on top "
    "of a commit before it. TIME (2026-01-05 is the beginning of that day; 7d, last week): clocks lie, so the order "
    "of the ledger counts: of each segment, and of what is not sealed, the events before the first that happened later "
    "than TIME, and nothing that was recorded on top of what is left out."
)


def add_as_of(parser: argparse.ArgumentParser) -> None:
    """Add the option, and explain it in the epilog."""
    parser.add_argument("--as-of", metavar="EVENT|TIME|REV", help="answer from the ledger as it was then")
    parser.epilog = f"{parser.epilog} {RULES}" if parser.epilog else RULES


def asked(repository: Repository, args: argparse.Namespace, *, keep: bool = True) -> "Cut | None":
    """Return the part of the ledger that the option names, and print which one that is; None stands for all of it."""
    if args.as_of is None:
        return None
    from linetrail.queries.arguments.earlier_ledger import moved_back  # most answers are from all of it

    found = moved_back(repository, args.as_of, keep=keep)
    print(f"as of {found.meaning}: {counted(found.events, 'event')}", file=sys.stderr)
    return found


def meta(found: "Cut | None") -> Mapping[str, str]:
    """Return the field of `meta` that says which part of the ledger answered."""
    return {"as_of": found.meaning} if found else {}
