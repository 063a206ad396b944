"""`linetrail plan`: which intents may run together, which would meet in a file, and how to split a large one."""

import argparse
import re
from functools import partial

from linetrail.ledger.errors import UsageError
from linetrail.ledger.intents import registry_file
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.tables.table import Table
from linetrail.queries.arguments import prefixes
from linetrail.queries.arguments.numbers import whole
from linetrail.queries.render.output import Answer, add_json, show
from linetrail.queries.work import partition, plan, plan_text
from linetrail.queries.work.forecast import Forecast

COLUMNS = ("part", "patterns", "files", "together", "across")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "The probability is that both intents change the same file: from the files that both own, how many files a "
        "piece of work touches here, and what earlier intents and commits touched together."
    )
    parser.add_argument("intent_ids", metavar="INT", nargs="*", help="default: all that are open")
    parser.add_argument(
        "--risk", metavar="CHANCE", type=_probability, default=plan.RISK,
        help=f"pairs that meet less often may run together, 0 to 1 (default: {plan.RISK})",
    )  # fmt: skip
    parser.add_argument(
        "--scope-only", action="store_true", help="go by the scopes alone, not by what was changed before"
    )
    parser.add_argument(
        "--definitions", action="store_true", help="also what the files of a pair define, and what uses that elsewhere"
    )
    parser.add_argument("--suggest", action="store_true", help="instead: how one intent could be split")
    parser.add_argument(
        "--parts", metavar="N", type=whole(2, 99), default=partition.PARTS, help="of --suggest: in how many parts"
    )
    formats = parser.add_mutually_exclusive_group()
    add_json(formats)
    formats.add_argument("--dot", dest="format", action="store_const", const="dot", help="print a graph for Graphviz")


def run(args: argparse.Namespace) -> int:
    """Print the plan, or how an intent could be split."""
    if args.format == "dot" and not args.suggest:
        print(plan_text.dot(_planned(*_wanted(args), args)))
        return 0
    return show(args, answer(args))


def answer(args: argparse.Namespace) -> Answer:
    """Return the plan, or how an intent could be split."""
    repository, wanted = _wanted(args)
    if args.suggest:
        return _suggested(repository, args, wanted)
    planned = _planned(repository, wanted, args)
    batches = sorted(set(planned.batches.values()))
    told = {
        "risk": args.risk,
        "batches": [[one.id for one in planned.intents if planned.batches[one.id] == at] for at in batches],
    }
    page = partial(plan_text.page, planned, args.risk)
    return Answer(Table(plan.COLUMNS, plan.rows(planned)), told, lambda: "\n".join(page()))


def _wanted(args: argparse.Namespace) -> tuple[Repository, list[str]]:
    repository = require_ledger(find(args.directory))
    wanted = [prefixes.intent(repository, text) for text in args.intent_ids]
    for intent_id in wanted:
        registry_file.require(repository, intent_id)
    return repository, wanted


def _planned(repository: Repository, wanted: list[str], args: argparse.Namespace) -> plan.Plan:
    history, definitions = not args.scope_only, args.definitions
    return plan.plan(repository, wanted, risk=args.risk, with_history=history, definitions=definitions)


def _suggested(repository: Repository, args: argparse.Namespace, wanted: list[str]) -> Answer:
    if len(wanted) != 1 or args.format == "dot":
        raise UsageError("--suggest splits one intent, and prints text or JSON", "linetrail plan --suggest INT-001")
    intent = registry_file.require(repository, wanted[0])
    found = partition.split(intent, Forecast.of(repository, with_history=not args.scope_only), args.parts)
    rows = [(at, each.patterns, each.files, each.together, each.across) for at, each in enumerate(found, 1)]
    page = plan_text.parts(intent, found)
    return Answer(Table(COLUMNS, rows), {"intent_id": intent.id}, lambda: "\n".join(page))


def _probability(text: str) -> float:
    if not re.fullmatch(r"0|1|[01]?\.\d+", text) or float(text) > 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to 1")
    return float(text)
