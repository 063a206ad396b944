"""`linetrail fleet`: build the tables over all repositories of a store, and ask them."""

import argparse

from linetrail.queries.commands.fleet import asked, build, charter, report, sql
from linetrail.queries.extras import require_extra
from linetrail.queries.render.output import add_verb

VERBS = {
    "build": (build, "make the tables over all repositories from their segments"),
    "sql": (sql, "ask all repositories in SQL, or by the name of a question"),
    "report": (report, "write the answers for a whole organisation into one HTML file that needs nothing else"),
    "asked": (asked, "list who asked what of a store, and see that nothing of it is gone"),
    "charter": (charter, "say what is kept of people and of their work, why, for how long, and what may be asked"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb, (module, about) in VERBS.items():
        module.configure(add_verb(verbs, verb, about))


def run(args: argparse.Namespace) -> int:
    require_extra("fleet", f"fleet {args.verb}")
    return int(VERBS[args.verb][0].run(args))
