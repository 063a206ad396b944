"""Say in a sentence or two what `linetrail verify` would find, where people look more often."""

from collections.abc import Iterator

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.repository import Repository
from linetrail.projections.soundness import examine
from linetrail.queries.health import ERROR, OK, Finding
from linetrail.queries.render import counted

CHECK = "sealed"


def check_soundness(repository: Repository) -> Iterator[Finding]:
    """Judge the segments that are new since the last time, the tail, and what both should hold."""
    if not repository.has_ledger():
        return
    try:
        report = examine(repository)
    except LinetrailError as error:
        yield Finding(CHECK, ERROR, str(error), error.hint)
        return
    if not report.problems:
        yield Finding(CHECK, OK, f"{counted(len(report.sound), 'segment')}, nothing missing, nothing changed")
        return
    first = report.problems[0]
    more = f", and {counted(len(report.problems) - 1, 'more problem')}" if len(report.problems) > 1 else ""
    yield Finding(CHECK, ERROR, f"{first.code} in {first.file}: {first.message}{more}", "linetrail verify")


def damage(repository: Repository) -> str | None:
    """Return what is wrong in one line; None where nothing is."""
    return next((finding.message for finding in check_soundness(repository) if finding.level == ERROR), None)
