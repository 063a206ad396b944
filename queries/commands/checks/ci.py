"""`linetrail ci`: verify, check generated files, audit what a range adds, and write a summary."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.log import segment_history
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.tables.table import Table
from linetrail.queries.answers.audit import meta, verified
from linetrail.queries.audit import policy_file, rulebook
from linetrail.queries.audit.audit import Asking
from linetrail.queries.audit.rulebook import HIGH
from linetrail.queries.ci import forge as forges
from linetrail.queries.ci.base_policy import governing
from linetrail.queries.ci.range import Range, between
from linetrail.queries.ci.steps import OK, Failure, Outcome, check, precondition, versions, with_criteria
from linetrail.queries.extras import require_extra
from linetrail.queries.render.output import terminal_width, write_answer
from linetrail.queries.render.text import counted, document, folded, plain, text_table
from linetrail.queries.restore.git_check import base_branch

# The adoption path: advisory, then high, then any.
FAIL_ON = HIGH
LEVELS = ("none", "high", "any")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Exit status: 0 fine, 1 findings or drift, 2 precondition (no ledger, shallow clone, a generated file that is "
        "not committed), 3 the ledger is damaged. Every failure has one line that begins with `fix:`."
    )
    parser.add_argument("--base", metavar="REF", help="audit what came since; default: as the service says, or all")
    parser.add_argument("--sarif", metavar="FILE", help="write the findings for code scanning")
    parser.add_argument("--junit", metavar="FILE", help="write them as test cases")
    parser.add_argument("--codequality", metavar="FILE", help="write them as GitLab's Code Quality")
    parser.add_argument("--summary", metavar="FILE", help="write the page of the job (GitHub: shown in any case)")
    parser.add_argument(
        "--html", metavar="FILE", help="write all of the ledger as one page, as `linetrail report` does"
    )
    parser.add_argument("--comment", metavar="FILE", help="write the comment for the proposed change")
    parser.add_argument("--policy", metavar="FILE", help="instead of .orchestration/policy.yaml")
    parser.add_argument("--baseline", metavar="FILE", help="findings in it are known and fail nothing")
    parser.add_argument("--fail-on", choices=LEVELS, help=f"which findings fail (default: the policy's, or {FAIL_ON})")
    parser.add_argument("--advisory", action="store_true", help="always end with 0, and say what it would have been")
    parser.add_argument(
        "--criteria", action="store_true", help="run the commands of the acceptance criteria that the range is about"
    )
    parser.add_argument("--forge", choices=forges.FORGES, default=forges.AUTO, help="whose job this is (default: auto)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    forge = forges.detect(args.forge)
    try:
        status = _run(args, forge)
    except LinetrailError as error:
        status = _not_run(precondition(error), as_json=args.json)
    if args.advisory and status != OK:
        print(f"advisory: this would have ended with status {status}", file=sys.stderr)
        return OK
    return status


def _run(args: argparse.Namespace, forge: str) -> int:
    repository = require_ledger(find(args.directory))
    _require_history(repository, forge)
    if args.html is not None:
        require_extra("page", "ci --html")
    base = args.base or forges.pushed_from()
    named = base if args.base or (base and segment_history.resolve(repository, base)) else None
    wanted = between(repository, base_branch(repository, named))
    held = governing(repository, wanted, _within(args, args.policy), _within(args, args.baseline))
    asking = Asking(list(rulebook.rules().values()), held.policy, held.place, policy_file.today(), known=held.known)
    fail_on = args.fail_on or held.policy.fail_on or FAIL_ON
    outcome = check(repository, asking, fail_on, wanted)._replace(notes=held.notes)
    if args.criteria:
        outcome = with_criteria(repository, outcome)
    _write(args, repository, outcome, forge, fail_on)
    if args.json:
        print(_document(repository, outcome, fail_on))
        return outcome.status
    with forges.commands_off(forge):
        print(folded("\n".join(_report(outcome)), terminal_width()))
    if forge == forges.GITHUB and outcome.audit is not None:
        for line in forges.annotations(outcome.audit.findings):
            print(line)
    return outcome.status


def _not_run(failure: Failure, *, as_json: bool) -> int:
    """Print why the steps could not run, with `--json` as a document, too."""
    print(f"error: {plain(failure.message)}\nfix: {plain(failure.fix)}", file=sys.stderr)
    if as_json:
        print(_failed([failure], versions() | {"status": failure.status}))
    return failure.status


def _within(args: argparse.Namespace, path: str | None) -> str | None:
    return None if path is None else os.path.join(args.directory, path)


def _require_history(repository: Repository, forge: str) -> None:
    try:
        segment_history.require_whole(repository)
    except segment_history.ShallowError as error:
        error.hint = forges.deepen(forge)
        raise


def _write(args: argparse.Namespace, repository: Repository, outcome: Outcome, forge: str, fail_on: str) -> None:
    """Write every report file that the options name."""
    from linetrail.queries.ci.summary import comment, summary

    page = summary(outcome)
    forges.show_summary(forge, page)
    files: list[tuple[str | None, Callable[[], str]]] = [
        (args.summary, lambda: page),
        (args.comment, lambda: comment(outcome)),
    ]
    found = outcome.audit
    if found is not None:
        from importlib.metadata import version

        from linetrail.queries.audit.gitlab import code_quality
        from linetrail.queries.audit.junit import junit
        from linetrail.queries.exporters.sarif import Ran, sarif

        ran = Ran(["ci"], version("linetrail"), sound=not outcome.problems)
        files += [
            (args.sarif, lambda: sarif(repository, found, ran)),
            (args.junit, lambda: junit(found, fail_on=fail_on)),
            (args.codequality, lambda: code_quality(found)),
        ]
    if args.html is not None:
        from linetrail.queries.page.report import MOST_BYTES, report  # it brings the templates

        files.append((args.html, lambda: report(repository, MOST_BYTES).text))
    for path, content in files:
        if path is not None:
            write_answer(path, args.directory, content())


def _report(outcome: Outcome) -> Iterator[str]:
    """Yield the lines of the job's log."""
    yield from _verdict(outcome)
    ran = versions()
    formats = f"event format {ran['event_format']}, schema {ran['schema_version']}"
    yield f"linetrail {ran['linetrail']}, duckdb {ran['duckdb']}, {formats}"
    sealed = counted(len(outcome.report.sound), "segment")
    yield f"ledger       {sealed}, {counted(outcome.report.events, 'event')}, {_ledger(outcome)}"
    if outcome.rows:
        yield ""
        rows = [(row.projection, row.rows, row.ms, "changed" if row.changed else "") for row in outcome.rows]
        yield text_table(Table(("projection", "rows", "ms", ""), rows), width=terminal_width())
        yield ""
    if outcome.audit is not None:
        yield f"audit        {_audited(outcome)}"
    yield from (f"note         {plain(note)}" for note in outcome.notes)


def _verdict(outcome: Outcome) -> Iterator[str]:
    """Yield PASSED, or each failure with its fix."""
    if not outcome.failures:
        yield "PASSED"
    for failure in outcome.failures:
        yield f"FAILED       {failure.step}: {plain(failure.message)}"
        yield f"fix: {plain(failure.fix)}"
    yield ""


def _ledger(outcome: Outcome) -> str:
    if outcome.problems or outcome.audit is None:
        return f"DAMAGED: {counted(len(outcome.problems), 'problem')}"
    return verified(outcome.report, outcome.audit.head)


def _audited(outcome: Outcome) -> str:
    if outcome.audit is None:
        return "not done"
    counts = ", ".join(f"{number:,} {level}" for level, number in outcome.audit.counts().items() if number)
    beside = "".join(
        f", {number:,} {what}"
        for number, what in ((outcome.audit.known, "known"), (outcome.audit.excepted, "excepted"))
        if number
    )
    if outcome.figures is None:
        return f"{counts}, the damage alone: rules were not asked, since rows would be missing"
    return f"{counts or 'nothing found'}{beside} in {_span(outcome.range, outcome, outcome.figures.events)}"


def _span(wanted: Range | None, outcome: Outcome, events: int) -> str:
    if wanted is None:
        return f"all {counted(events, 'event')}"
    came = f"{events:,} of {counted(outcome.report.events, 'event')}"
    return f"{came}, those that came since {plain(wanted.base)} ({wanted.fork[:10]}..{wanted.head_revision[:10]})"


def _document(repository: Repository, outcome: Outcome, fail_on: str) -> str:
    about = versions() | {"status": outcome.status, "range": outcome.range and outcome.range._asdict()}
    about["notes"] = list(outcome.notes)
    about["projections"] = [row._asdict() for row in outcome.rows]
    if outcome.audit is not None:
        about |= meta(repository, outcome.audit, outcome.report, fail_on)
    if outcome.figures is not None:
        about["summary"] = outcome.figures._asdict() | {"findings": None}
    return _failed(outcome.failures, about)


def _failed(failures: Sequence[Failure], about: Mapping[str, Any]) -> str:
    return document(Table(Failure._fields, [tuple(one) for one in failures]), about)
