"""`linetrail audit`: find what happened here against the rules."""

import argparse
import json
import os
import sys

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.tables.tables import open_tables
from linetrail.projections.tables.verification import Report, examine
from linetrail.queries.answers.audit import FAIL_ON, chosen, meta, rows, verified
from linetrail.queries.arguments.moments import moment
from linetrail.queries.audit import baseline, policy_file, rulebook
from linetrail.queries.audit.audit import Asking, Audit, audit
from linetrail.queries.render.output import terminal_width, writable, write_answer
from linetrail.queries.render.terminal import add_terminal, coloured
from linetrail.queries.render.text import counted, document, folded

TEXT, FORMATS = "text", ("text", "md", "json", "sarif", "junit")
FOUND, DAMAGED = 1, 3


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Exit status: 0 nothing at or above the level, 1 findings, 2 usage, 3 the ledger is damaged. "
        f"Without --fail-on, and none in the policy, findings of level {FAIL_ON} and worse count. "
        "What a rule looks for: linetrail explain LT001."
    )
    parser.add_argument("rules", metavar="RULE", nargs="*", help="these rules alone, by id or name")
    parser.add_argument(
        "--since", metavar="T", help="only what happened from this moment on: 2026-01-05, 7d, last week"
    )
    parser.add_argument("--policy", metavar="FILE", help="instead of .orchestration/policy.yaml")
    parser.add_argument(
        "--baseline",
        metavar="FILE",
        nargs="?",
        const="",
        help=f"report what is not in it (default: {baseline.DEFAULT})",
    )
    parser.add_argument(
        "--write-baseline", action="store_true", help="write what is found into the baseline; from then on it is known"
    )
    parser.add_argument("--fail-on", metavar="LEVEL", choices=policy_file.FAIL_ON, help=", ".join(policy_file.FAIL_ON))
    parser.add_argument("--format", choices=FORMATS, help="how to print it (default: text)")
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="the same as --format json")
    parser.add_argument("--out", metavar="FILE", help="write there, and a line about it on stderr")
    add_terminal(parser, again=True)
    parser.set_defaults(paged=True)
    parser.add_argument("--schema", action="store_true", help="print the JSON Schema of the policy, for editors")


def run(args: argparse.Namespace) -> int:
    """Print the findings; the exit status says whether any of them fails the run."""
    if args.schema:
        from linetrail.queries.audit.policy import json_schema

        print(json.dumps(json_schema(), indent=1))
        return 0
    repository = require_ledger(find(args.directory))
    asking, fail_on = asked(repository, args)
    report = examine(repository)
    known_in = _baseline_path(repository, args)
    if args.write_baseline:
        return _write_baseline(repository, asking._replace(known=None), report, known_in)
    with open_tables(repository) as tables:
        found = audit(repository, tables, asking._replace(shown=_shown(args.format)), report.problems)
    text = _printed(repository, args, found, fail_on, report)
    to_terminal = args.out is None and args.format in (None, TEXT)
    write_answer(args.out, args.directory, folded(text, terminal_width()) if to_terminal else text)
    if asking.known is not None:
        from linetrail.queries.audit.text import about_baseline

        print(about_baseline(found), file=sys.stderr)
    if report.problems:
        print("next: linetrail verify", file=sys.stderr)
        return DAMAGED
    return FOUND if found.failing(fail_on) else 0


def asked(repository: Repository, args: argparse.Namespace) -> tuple[Asking, str]:
    """Return the audit to run and the level that fails; options override the policy."""
    rules = chosen(args.rules)
    path = None if args.policy is None else os.path.join(args.directory, args.policy)
    held, place = policy_file.load(repository, path)
    known_in = _baseline_path(repository, args)
    known = baseline.read(known_in) if args.baseline is not None and not args.write_baseline else None
    since = None if args.since is None else moment(args.since)
    asking = Asking(rules, held, place or "", policy_file.today(), since, known)
    return asking, args.fail_on or (held and held.fail_on) or FAIL_ON


def _baseline_path(repository: Repository, args: argparse.Namespace) -> str:
    given: str | None = args.baseline
    if given:
        return os.path.abspath(os.path.join(args.directory, given))
    return os.path.join(repository.root, baseline.DEFAULT)


def _write_baseline(repository: Repository, asking: Asking, report: Report, path: str) -> int:
    if report.problems:
        raise UsageError("the ledger is damaged: repair it before its findings are taken for known")
    if asking.since is not None or len(asking.rules) < len(rulebook.rules()):
        raise UsageError("a baseline is written of everything: without --since, and without naming rules")
    with open_tables(repository) as tables:
        found = audit(repository, tables, asking)
    own = os.path.join(repository.root, baseline.DEFAULT)
    baseline.write(path if path == own else writable(path), found.findings)
    told = os.path.relpath(path, repository.root)
    print(f"{counted(len(found.findings), 'finding')} known from now on, in {told}", file=sys.stderr)
    return 0


def _shown(form: str | None) -> int | None:
    """Return how many findings of each rule a format shows; None stands for all."""
    if form not in (None, TEXT):
        return None
    from linetrail.queries.audit.text import SHOWN

    return SHOWN


def _printed(repository: Repository, args: argparse.Namespace, found: Audit, fail_on: str, report: Report) -> str:
    """Return the findings in the chosen format, importing only what that needs."""
    if args.format == "json":
        return document(rows(found.findings), meta(repository, found, report, fail_on))
    if args.format == "sarif":
        from importlib.metadata import version

        from linetrail.queries.exporters.sarif import Ran, sarif

        arguments = ["audit", *(rule.id for rule in found.rules if args.rules), "--format", "sarif"]
        return sarif(repository, found, Ran(arguments, version("linetrail"), not report.problems))
    if args.format == "junit":
        from linetrail.queries.audit.junit import junit

        return junit(found, fail_on=fail_on)
    if args.format == "md":
        from linetrail.queries.audit.markdown import markdown

        return markdown(found, verified=verified(report, found.head))
    from linetrail.queries.audit.text import text

    colour = args.out is None and coloured(sys.stdout, args.color)
    return "\n".join(text(found, fail_on=fail_on, verified=verified(report, found.head), colour=colour))
