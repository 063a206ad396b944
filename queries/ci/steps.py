"""Run the steps of continuous integration (verify, generated files, audit) and return their outcome; print nothing."""

import contextlib
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.errors import DamageWarning, LinetrailError
from linetrail.ledger.intents import registry_file
from linetrail.ledger.intents.changes import UNKNOWN
from linetrail.ledger.intents.intent import ABORTED
from linetrail.ledger.repository import FOLDER, Repository, git
from linetrail.projections import build
from linetrail.projections.build import MAP
from linetrail.projections.tables.inspection import Problem
from linetrail.projections.tables.intent_map import INTENT_MAP
from linetrail.projections.tables.tables import open_tables
from linetrail.projections.tables.verification import Report, examine
from linetrail.queries.audit import rulebook
from linetrail.queries.audit.audit import Asking, Audit, audit
from linetrail.queries.ci.figures import Figures, figures
from linetrail.queries.ci.range import Range, brought
from linetrail.queries.record.criteria import run_checks
from linetrail.queries.render.text import plain
from linetrail.queries.restore.git_check import against_git, next_step

OK, FOUND, PRECONDITION, DAMAGED = 0, 1, 2, 3
_MAP_PATH = f"{FOLDER}/{INTENT_MAP}"


class Failure(NamedTuple):
    """One thing that is wrong, the one command that helps, and the status that it ends with."""

    step: str
    message: str
    fix: str
    status: int


class Outcome(NamedTuple):
    """The outcome of a run; `rows` are the projections, `audit` is None where damage prevents it."""

    report: Report
    problems: Sequence[Problem]
    rows: Sequence[build.Row]
    audit: Audit | None
    figures: Figures | None
    range: Range | None
    failures: Sequence[Failure]
    notes: Sequence[str] = ()

    @property
    def status(self) -> int:
        """The exit status: damage counts before a failed precondition, and that before findings."""
        return max((failure.status for failure in self.failures), default=OK)


def check(repository: Repository, asking: Asking, fail_on: str, wanted: Range | None) -> Outcome:
    """Run every step; for a damaged ledger report the damage alone, since rows would be missing."""
    report = examine(repository)
    base = wanted.base if wanted else None
    problems = [*report.problems, *against_git(repository, report.sound, base)]
    if problems:
        found = _audit_of_damage(repository, asking, problems)
        return Outcome(report, problems, (), found, None, wanted, [_damage(problems)])
    rows = build.rebuild(repository, check=True)
    failures = [*_drift(repository, rows)]
    with open_tables(repository) as tables:
        failures += [*_broken(build.findings(tables))]
        came = brought(repository, tables, wanted) if wanted else None
        found = audit(repository, tables, asking._replace(brought=came), report.problems)
        summed = figures(tables, came, found)
    failures += [*_audited(found, fail_on)]
    return Outcome(report, problems, rows, found, summed, wanted, failures)


def with_criteria(repository: Repository, outcome: Outcome) -> Outcome:
    """Run the checks of the intents that the range is about, and return the outcome with those that failed."""
    about = {row["intent_id"] for row in outcome.figures.intents} if outcome.figures else set()
    failures = [
        Failure("criteria", f"{intent.id} {plain(result.criterion)}: {plain(result.sentence)}", fix, FOUND)
        for intent in registry_file.read(repository)
        if intent.id in about and intent.status != ABORTED
        for fix in [f"linetrail intents check {intent.id}"]
        for result in run_checks(repository, intent, by="ci", who=UNKNOWN)
        if not result.passed
    ]
    return outcome._replace(failures=[*outcome.failures, *failures])


def _audit_of_damage(repository: Repository, asking: Asking, problems: Sequence[Problem]) -> Audit | None:
    """Return the damage as findings, for the report files that build servers read."""
    rule = rulebook.find("LT016")
    with contextlib.suppress(LinetrailError), warnings.catch_warnings():
        warnings.simplefilter("ignore", DamageWarning)  # it is what this is about
        with open_tables(repository, keep=False) as tables:
            return audit(repository, tables, asking._replace(rules=[rule], known=None), problems)
    return None


def _damage(problems: Sequence[Problem]) -> Failure:
    first = problems[0]
    more = f" (and {len(problems) - 1} more: linetrail verify)" if len(problems) > 1 else ""
    message = f"{first.code} in {plain(first.file)}: {plain(first.message)}{more}"
    return Failure("ledger", message, next_step(first), DAMAGED)


def _drift(repository: Repository, rows: Sequence[build.Row]) -> Iterator[Failure]:
    """Yield a failure where the map is out of date, or where uncommitted changes hide whether it is."""
    if _is_dirty(repository, _MAP_PATH):
        message = f"{_MAP_PATH} is not committed as it is: nobody can say whether it drifted"
        yield Failure("projections", message, f"git add {_MAP_PATH} && git commit", PRECONDITION)
    elif any(row.projection == MAP and row.changed for row in rows):
        fix = f"linetrail rebuild --only {MAP} && git add {_MAP_PATH}"
        yield Failure("projections", f"{_MAP_PATH} is out of date", fix, FOUND)


def _is_dirty(repository: Repository, path: str) -> bool:
    return bool(git(repository, "status", "--porcelain=v1", "--untracked-files=no", "--", path))


def _broken(findings: Sequence[build.Finding]) -> Iterator[Failure]:
    for one in findings:
        values = ", ".join(f"{name} {plain(value)}" for name, value in one.first.items())
        message = f"check {one.check}: {one.rows} {one.about}; the first: {values}"
        yield Failure("checks", message, "linetrail rebuild --full", FOUND)


def _audited(found: Audit, fail_on: str) -> Iterator[Failure]:
    """Yield one failure for each rule that fails, with the remedy for its worst finding."""
    first = {one.rule.id: one for one in reversed(found.failing(fail_on))}
    grouped = found.by_rule()
    for rule, ones in grouped.items():
        if rule.id in first:
            total = sum(one.times for one in ones)
            message = f"{rule.id} {rule.title} ({total}): {plain(first[rule.id].message)}"
            yield Failure("audit", message, first[rule.id].remedy, FOUND)


def precondition(error: LinetrailError) -> Failure:
    """Return the failure of a run whose steps could not start."""
    return Failure("precondition", str(error), error.hint or "linetrail help ci", error.exit_status)


def versions(environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Return the versions and formats of this run, so that two runs can be compared."""
    from importlib.metadata import version

    from linetrail.ledger.event.event import VERSION
    from linetrail.queries.render.text import SCHEMA_VERSION

    return {
        "linetrail": version("linetrail"),
        "duckdb": version("duckdb"),
        "event_format": VERSION,
        "schema_version": SCHEMA_VERSION,
        "run": environment.get("GITHUB_RUN_ID") or environment.get("CI_PIPELINE_ID"),
    }
