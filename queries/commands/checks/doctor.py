"""`linetrail doctor`: find out why hooks do not fire, and what will go wrong next."""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple, replace

from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.ledger.errors import UsageError
from linetrail.ledger.gate.settings import OBSERVE
from linetrail.ledger.repository import Repository, find
from linetrail.projections.tables.table import Table
from linetrail.queries.doctor import agents, gate, health, integrity, mounts, old_ledger, probe
from linetrail.queries.doctor.finding import ERROR, OK, Finding
from linetrail.queries.doctor.repairs import Repair, repair
from linetrail.queries.render.output import add_formats, give
from linetrail.queries.render.text import plain
from linetrail.queries.setup import enforcement

Check = Callable[[Repository], Iterable[Finding]]
CHECKS: tuple[Check, ...] = (
    health.check_git,
    health.check_ledger,
    integrity.check_soundness,
    health.check_lock,
    health.check_leftovers,
    health.check_permissions,
    gate.check_room,
    mounts.check_file_system,
    old_ledger.check_old_ledger,
    gate.check_enforcement,
    gate.check_registry,
    gate.check_exemptions,
    agents.check_programs,
    agents.check_hooks,
    agents.check_gate,
    gate.check_preamble,
    agents.check_switches,
    agents.check_agents,
    probe.check_probe,
    agents.check_retention,
    agents.check_versions,
    health.check_lines,
)
LONGEST = 1000
# Agents whose hooks are not called any more once they were changed, until a person has looked at them.
FROZEN = tuple(name for name, agent in CATALOGUE.items() if agent.frozen)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--fix", action="store_true", help="do what is found to come next where nobody has to judge it; then look again"
    )
    parser.add_argument(
        "--retrust",
        action="append",
        choices=FROZEN,
        default=[],
        help="with --fix: rewrite hooks, too, that somebody has to review again in the agent",
    )
    parser.add_argument(
        "--all-agents", action="store_true", help="break the hook as every agent would see it, not only those used here"
    )
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Run every check; the exit status is 1 when one of them found an error."""
    if args.retrust and not args.fix:
        raise UsageError("--retrust changes hooks, so it needs --fix")
    repository = find(args.directory)
    repairs = _repair(repository, args.retrust) if args.fix else []
    checks = [probe.check_every_agent if args.all_agents and one is probe.check_probe else one for one in CHECKS]
    findings = list(_findings(repository, checks))
    table = Table(("check", "level", "message", "next"), [astuple(finding) for finding in findings])
    meta = {"root": repository.root, "repaired": [one.what for one in repairs if one.problem is None]}
    give(args, table, meta, lambda: "\n".join(_lines(findings)))
    return int(any(finding.level == ERROR for finding in findings))


def _findings(repository: Repository, checks: Iterable[Check]) -> Iterator[Finding]:
    """Run checks, and shorten long messages, which may quote settings files."""
    for finding in (finding for check in checks for finding in check(repository)):
        yield replace(finding, message=_cut(finding.message), next=finding.next and _cut(finding.next))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _repair(repository: Repository, retrust: list[str]) -> list[Repair]:
    """Repair what the checks find, and print what was done; the probe of the hook is left out."""
    # Whose hook is called is what the gate rests on.
    enforcement.forbid_loosening(repository, OBSERVE)
    findings = list(_findings(repository, [check for check in CHECKS if check is not probe.check_probe]))
    repairs = repair(repository, findings, retrust)
    for one in repairs:
        said = f"could not: {one.what}: {one.problem}" if one.problem else f"repaired: {one.what}"
        print(plain(said), file=sys.stderr)
    if not repairs:
        print("nothing to repair without you", file=sys.stderr)
    return repairs


def _lines(findings: list[Finding]) -> list[str]:
    width = max(len(finding.check) for finding in findings)
    lines = []
    for finding in findings:
        mark = "" if finding.level == OK else f"{finding.level}: "
        lines.append(f"{finding.check:<{width}}  {mark}{plain(finding.message)}")
        if finding.next:
            lines.append(f"{'':<{width}}  next: {plain(finding.next)}")
    return lines
