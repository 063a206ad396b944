"""`linetrail doctor`: why do hooks not fire, or what will go wrong next."""

import argparse
from dataclasses import astuple

from linetrail.ledger.repository import find
from linetrail.projections.tables import Table
from linetrail.queries import condition, guarding, health, mounts, old_ledger, probe, wiring
from linetrail.queries.health import ERROR, OK, Finding
from linetrail.queries.printing import add_formats, give

CHECKS = (
    health.check_git,
    health.check_ledger,
    condition.check_soundness,
    health.check_lock,
    health.check_leftovers,
    health.check_permissions,
    guarding.check_room,
    mounts.check_file_system,
    old_ledger.check_old_ledger,
    guarding.check_enforcement,
    guarding.check_registry,
    guarding.check_exemptions,
    wiring.check_hooks,
    wiring.check_gate,
    guarding.check_preamble,
    wiring.check_switches,
    wiring.check_agents,
    probe.check_probe,
    wiring.check_retention,
    wiring.check_versions,
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `doctor`."""
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Run every check; the status is 1 when one of them found an error."""
    repository = find(args.directory)
    findings = [finding for check in CHECKS for finding in check(repository)]
    table = Table(("check", "level", "message", "next"), [astuple(finding) for finding in findings])
    give(args, table, {"root": repository.root}, lambda: "\n".join(_lines(findings)))
    return int(any(finding.level == ERROR for finding in findings))


def _lines(findings: list[Finding]) -> list[str]:
    width = max(len(finding.check) for finding in findings)
    lines = []
    for finding in findings:
        mark = "" if finding.level == OK else f"{finding.level}: "
        lines.append(f"{finding.check:<{width}}  {mark}{finding.message}")
        if finding.next:
            lines.append(f"{'':<{width}}  next: {finding.next}")
    return lines
