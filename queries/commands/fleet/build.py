"""`linetrail fleet build URL`: make the tables over all repositories of a store from their segments."""

import argparse
import os
import sys
from pathlib import Path

from linetrail.ledger.errors import warn_of
from linetrail.projections.tables.table import Table
from linetrail.queries.commands.fleet.store import add_url, url_of
from linetrail.queries.extras import require_extra
from linetrail.queries.fleet import layout
from linetrail.queries.fleet.build import BUCKETS, Built, build
from linetrail.queries.fleet.check import check
from linetrail.queries.fleet.formats import FORMATS, register
from linetrail.queries.render.output import add_json, print_table, writable
from linetrail.queries.render.text import counted

COLUMNS = ("table", "tier", "rows", "files", "fingerprint")
DAMAGE = ("file", "offset", "code", "message")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Work out the tables of every repository that has new segments in the store, and put them among those of all "
        "others, as Parquet. One build at a time: another one is refused."
    )
    add_url(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--full", action="store_true", help="make everything anew; the rows are the same")
    what.add_argument("--verify", action="store_true", help="read every object of the last build, and write nothing")
    parser.add_argument(
        "--buckets", type=int, metavar="N", help=f"spread the repositories over so many files a month ({BUCKETS})"
    )
    parser.add_argument(
        "--excerpts", action="store_true", help="also keep what people and agents wrote, under lake/excerpts/"
    )
    parser.add_argument(
        "--work",
        metavar="FOLDER",
        help="keep here what is worked out of each repository, so that the next build works out new segments alone",
    )
    parser.add_argument(
        "--format",
        dest="formats",
        choices=list(FORMATS),
        action="append",
        default=[],
        help="also list the files as tables of this format; may be repeated",
    )
    parser.add_argument("--take-over", action="store_true", help="go on where another build died")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Build or verify; what is wrong with the store ends it with 3."""
    url = url_of(args.url)
    if args.formats:
        require_extra("lake", f"fleet build --format {args.formats[0]}")
    if args.verify:
        return _verify(args, url)
    work = args.work and Path(writable(os.path.join(args.directory, args.work)))
    built = build(
        url,
        full=args.full,
        buckets=args.buckets,
        excerpts=args.excerpts,
        take_over=args.take_over,
        work=work,
    )
    manifest = built.manifest
    changed = {name: sum(one.changed for one in register(url, name)) for name in dict.fromkeys(args.formats)}
    if args.format:
        rows = [
            (table.name, table.tier, table.rows, len(table.files), layout.fingerprint(table.files))
            for table in manifest.tables
        ]
        told = {name: value for name, value in built._asdict().items() if name != "manifest"}
        meta = {"url": url, "generation": manifest.generation, "repositories": manifest.repositories, **told}
        meta |= {"formats": changed} if changed else {}
        print_table(Table(COLUMNS, rows), args.format, meta)
    else:
        print(_said(built))
        for name, tables in changed.items():
            print(f"{name}: {counted(tables, 'table')} brought up to the files")
    if built.uncounted and not args.format:
        print(
            f"{counted(built.uncounted, 'segment')} without a pseudonym: in no v_fleet_ table\n"
            f"next: linetrail push {url} --people-key FILE",
            file=sys.stderr,
        )
    manifest.warn()
    return 1 if built.left else 0


def _verify(args: argparse.Namespace, url: str) -> int:
    found, problems = check(url)
    if args.format:
        rows = [(one.file, one.offset, one.code, one.message) for one in problems]
        print_table(Table(DAMAGE, rows), args.format, {"url": url, "objects": found})
    else:
        print(f"{counted(found, 'object')} read: {counted(len(problems), 'problem')}")
    warn_of(problems)
    return 3 if problems else 0


def _said(built: Built) -> str:
    rows = sum(table.rows for table in built.manifest.tables)
    number = built.manifest.repositories
    noun = "repository" if number == 1 else "repositories"
    lines = [
        f"{number:,} {noun}: {built.changed:,} new or changed, {built.gone:,} gone",
        f"{counted(rows, 'row')}: {counted(built.written, 'file')} written, the others stay as they are",
    ]
    if built.erased or built.gone:
        lines.append(f"{counted(built.erased, 'payload')} erased: {counted(built.left, 'row')} left of them")
    return "\n".join(lines)
