"""Summarise what `linetrail verify` would find, for `doctor` and `status`."""

import warnings
from collections.abc import Iterator, Sequence

from linetrail.ledger.errors import DamageWarning, LinetrailError
from linetrail.ledger.repository import Repository
from linetrail.projections.tables.inspection import Problem
from linetrail.projections.tables.verification import examine
from linetrail.queries.doctor.finding import ERROR, OK, Finding
from linetrail.queries.render.text import counted

CHECK = "sealed"


def check_soundness(repository: Repository) -> Iterator[Finding]:
    """Verify the tail, the segments that are new since the last time, and the checkpoint."""
    if not repository.has_ledger():
        return
    try:
        report = examine(repository)
    except LinetrailError as error:
        yield Finding(CHECK, ERROR, str(error), error.hint)
        return
    if report.problems:
        yield Finding(CHECK, ERROR, _first(report.problems), "linetrail verify")
    else:
        yield Finding(CHECK, OK, f"{counted(len(report.sound), 'segment')}, nothing missing, nothing changed")


def damage(repository: Repository) -> str | None:
    """Return what is wrong in one line, with a warning as for any answer from a damaged ledger; None if nothing is."""
    try:
        problems = examine(repository, brief=True).problems
    except LinetrailError as error:
        return str(error)
    if not problems:
        return None
    warnings.warn(DamageWarning(problems[0].error()), stacklevel=2)
    return _first(problems)


def _first(problems: Sequence[Problem]) -> str:
    """Describe the first of several problems, and count the others."""
    first, more = problems[0], len(problems) - 1
    others = f", and {counted(more, 'more problem')}" if more else ""
    return f"{first.code} in {first.file}: {first.message}{others}"
