"""`linetrail intents`: what is in active_intents.yaml, and which of it is selected."""

import argparse

from linetrail.ledger import intents, selection
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.tables import Table
from linetrail.queries.render import document, plain

COLUMNS = ("intent_id", "name", "status", "scope", "line", "selected")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of `intents`."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb, about in (("list", "list the intents in the order of the file"), ("show", "show one intent")):
        sub = verbs.add_parser(verb, help=about, description=about[0].upper() + about[1:] + ".")
        sub.add_argument("--json", action="store_true", help="print one JSON document")
        if verb == "show":
            sub.add_argument("intent_id", metavar="ID")


def run(args: argparse.Namespace) -> int:
    """Answer one verb."""
    repository = require_ledger(find(args.directory))
    showing = args.verb == "show"
    chosen = [intents.require(repository, args.intent_id)] if showing else intents.read(repository)
    selected = selection.read(repository, selection.shell_session())
    if args.json:
        print(_document(chosen, selected, repository))
    elif showing:
        print(_page(chosen[0], selected))
    else:
        print("\n".join(_lines(chosen, selected)) or f"no intents in {intents.path(repository)}")
    return 0


def _document(chosen: list[intents.Intent], selected: str | None, repository: Repository) -> str:
    rows = [(i.id, i.name, i.status, list(i.scope), i.line, i.id == selected) for i in chosen]
    return document(Table(COLUMNS, rows), {"file": intents.path(repository)})


def _lines(chosen: list[intents.Intent], selected: str | None) -> list[str]:
    ids = max((len(intent.id) for intent in chosen), default=0)
    states = max((len(intent.status) for intent in chosen), default=0)
    return [f"{_mark(i, selected)} {i.id:<{ids}}  {i.status:<{states}}  {plain(i.name)}" for i in chosen]


def _page(intent: intents.Intent, selected: str | None) -> str:
    lines = [
        f"{intent.id}  {plain(intent.name)}",
        f"status  {intent.status}" + ("  (selected)" if intent.id == selected else ""),
    ]
    return "\n".join(lines + [f"scope   {plain(pattern)}" for pattern in intent.scope])


def _mark(intent: intents.Intent, selected: str | None) -> str:
    return "*" if intent.id == selected else " "
