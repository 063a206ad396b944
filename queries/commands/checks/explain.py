"""`linetrail explain`: explain a rule of the audit or a code of the gate, and what to do about it."""

import argparse
import difflib
from collections.abc import Iterable

from linetrail.ledger.errors import UsageError
from linetrail.projections.tables.table import Table
from linetrail.queries.audit import explanations, rulebook
from linetrail.queries.audit.gate_codes import meanings
from linetrail.queries.audit.rulebook import Rule
from linetrail.queries.render.output import terminal_width
from linetrail.queries.render.text import document, folded, table_of, text_table

# column -> what of a rule it has
COLUMNS = {
    "rule": "id",
    **{name: name for name in ("name", "level", "finds", "controls", "why", "example", "silent")},
    "next": "advice",
    "message": "message",
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Without a RULE: the list of all. Codes are those of refusals and of `linetrail sql @gate_violations`."
    )
    parser.add_argument("name", metavar="RULE|CODE", nargs="?", help="LT001, its name, or a code such as OUT_OF_SCOPE")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print the page of one rule or code, or the list of rules."""
    known = meanings()
    code = (args.name or "").upper().replace("-", "_")
    if code in known and not args.json:
        print(folded("\n".join(explanations.code_page(known[code])), terminal_width()))
        return 0
    if code in known:
        print(document(Table(known[code]._fields, [known[code]]), {}))
        return 0
    rules = list(rulebook.rules().values()) if args.name is None else [_found(args.name, known)]
    if args.json:
        print(document(table_of(COLUMNS, rules), {}))
    elif args.name is None:
        listed = sorted(rules, key=explanations.order)
        table = table_of({"rule": "id", "level": "level", "finds": "finds"}, listed)
        print(folded(text_table(table), terminal_width()))
    else:
        print(folded("\n".join(explanations.page(rules[0])), terminal_width()))
    return 0


def _found(name: str, codes: Iterable[str]) -> Rule:
    try:
        return rulebook.find(name)
    except UsageError:
        alike = difflib.get_close_matches(name.upper(), list(codes), n=1, cutoff=0.7)
        if not alike:
            raise
        raise UsageError(f"nothing is called {name}; is it {alike[0]}?", "linetrail explain") from None
