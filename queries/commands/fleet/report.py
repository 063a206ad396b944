"""`linetrail fleet report URL`: write the answers for a whole organisation into one HTML file."""

import argparse

from linetrail.queries.commands.fleet.store import add_url, url_of
from linetrail.queries.extras import require_extra
from linetrail.queries.fleet.asking import asking_person
from linetrail.queries.render.output import write_answer


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Ask every question of the organisation, and write the answers, with charts, for whoever leads: counts over "
        "groups that are large enough, and nothing else. Each question is written down, as with `fleet sql`."
    )
    add_url(parser)
    parser.add_argument("--out", metavar="FILE", help="the file to write; default: stdout")
    parser.add_argument("--since", metavar="TIME", help="only months from that of this moment on")
    parser.add_argument("--until", metavar="TIME", help="only months before that of this moment")


def run(args: argparse.Namespace) -> int:
    require_extra("page", "fleet report")
    from linetrail.queries.page.fleet import report  # it brings the templates
    from linetrail.queries.page.view import Store

    period = {name: told for name in ("since", "until") if (told := getattr(args, name)) is not None}
    text = report(Store(url_of(args.url), asking_person(args.directory)), period)
    write_answer(args.out, args.directory, text)
    return 0
