"""`linetrail export`: write what the ledger knows in the formats of other tools."""

import argparse

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import find, require_ledger
from linetrail.queries.arguments.moments import moment
from linetrail.queries.exporters.formats import DIALECTS, FORMATS, STDOUT, Asked, check, exporter
from linetrail.queries.importers.notes.gitai_notes import REF

# Options that some formats take and others do not.
SPECIAL = ("range", "since", "session", "content", "sign", "table", "write", "ref", "dialect")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "formats:\n" + "\n".join(
        f"  {name:<13}{each.about}; to {each.out}" for name, each in FORMATS.items()
    )
    parser.add_argument("format", metavar="FORMAT", help=f"what is to read it: {', '.join(FORMATS)}")
    parser.add_argument("--out", metavar="PATH", help="a file, or a folder, to write; `-` and default: stdout")
    parser.add_argument("--dry-run", action="store_true", help="say what would be written and write nothing")
    parser.add_argument(
        "--range",
        metavar="REV..REV",
        help="only these commits, as git means it: main..topic; default: all behind HEAD, and everything that was "
        f"imported in this format{_of('range')}",
    )
    parser.add_argument("--since", metavar="TIME", help=f"only what happened after it: 2026-01-05, 7d{_of('since')}")
    parser.add_argument("--session", metavar="ID", help=f"only this session, by its first characters{_of('session')}")
    parser.add_argument(
        "--content",
        action="store_true",
        help=f"also excerpts of prompts, commands, errors and reasons, secrets taken out{_of('content')}",
    )
    parser.add_argument("--sign", metavar="FILE", help=f"sign it with the private key in FILE{_of('sign')}")
    parser.add_argument("--table", metavar="VIEW", help=f"this view alone, such as v_mutations{_of('table')}")
    parser.add_argument(
        "--write",
        action="store_true",
        help=f"attach the notes to their commits in {REF}; those of other tools stay as they are{_of('write')}",
    )
    parser.add_argument(
        "--dialect",
        choices=DIALECTS,
        help="as the specification has it (default), or as intent-driven extensions do, a record for each event or for "
        f"each file of it{_of('dialect')}",
    )
    parser.add_argument("--ref", metavar="REF", help=f"with --write: this ref instead of {REF}")


def run(args: argparse.Namespace) -> int:
    """Write the export, and print on stderr how much that was."""
    check(args.format, [name for name in SPECIAL if getattr(args, name) not in {None, False}])
    if args.write and args.out is not None:
        raise UsageError("either --write or --out")
    if args.ref is not None and not args.write:
        raise UsageError("--ref goes with --write")
    asked = Asked(
        repository=require_ledger(find(args.directory)),
        directory=args.directory,
        out=None if args.out == STDOUT else args.out,
        dry_run=args.dry_run,
        **{name: getattr(args, name) for name in SPECIAL if name != "since"},
        since=None if args.since is None else moment(args.since),
    )
    exporter(args.format).export(asked)
    return 0


def _of(option: str) -> str:
    return f" ({', '.join(name for name, each in FORMATS.items() if option in each.takes)})"
