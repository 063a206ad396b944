"""Write an audit as SARIF 2.1.0: what code scanning of a forge, and editors, read.

`linetrail audit --format sarif` and `linetrail ci --sarif` call `sarif`; `linetrail export sarif` is the same of a
whole audit. A result is the same as in the last run by its partial fingerprint: rule, path and what it is about.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import quote

from linetrail.ledger.repository import Repository, file_path, git, head
from linetrail.queries.audit.audit import Audit
from linetrail.queries.audit.finding import VERSION as FINGERPRINT_VERSION
from linetrail.queries.audit.finding import Finding
from linetrail.queries.audit.gitlab import NOWHERE
from linetrail.queries.audit.rulebook import HIGH, INFO, LOW, MEDIUM, Rule
from linetrail.queries.render.text import escaped, timestamp

FORMAT = "sarif"
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"
# Forges show so many of a run and refuse larger files; the worst come first.
MAX_RESULTS = 5_000
LEVEL = {HIGH: "error", MEDIUM: "warning", LOW: "note", INFO: "note"}
# On the scale of CVSS, which forges sort alerts of security by.
SEVERITY = {HIGH: "8.0", MEDIUM: "5.5", LOW: "3.0", INFO: "1.0"}


class Ran(NamedTuple):
    """How the audit was run: the arguments, the version of this tool, and whether it could look at everything."""

    arguments: Sequence[str]
    version: str
    sound: bool


def sarif(repository: Repository, audit: Audit, ran: Ran) -> str:
    shown = audit.findings[:MAX_RESULTS]
    numbers = {rule.id: at for at, rule in enumerate(audit.rules)}
    run: dict[str, Any] = {
        "tool": {"driver": _driver(audit.rules, ran.version)},
        "invocations": [_invocation(audit, ran)],
        "originalUriBaseIds": {ROOT: {"description": {"text": "the root of the repository"}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, numbers[one.rule.id]) for one in shown],
        "properties": {"findings": len(audit.findings), "known": audit.known, "excepted": audit.excepted},
    }
    provenance = _provenance(repository)
    if provenance:
        run["versionControlProvenance"] = [provenance]
    return (
        escaped(json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=1)) + "\n"
    )


def uri(path: str) -> str:
    """Return a stored path as a relative URI; what a name is made of can say nothing about where it leads.

    >>> uri("src/a b#1%.py"), uri("c:/x"), uri("a:b")
    ('src/a%20b%231%25.py', 'c%3A/x', 'a%3Ab')
    """
    try:
        name = file_path(path).encode(errors="surrogateescape")
    except ValueError:  # in quotes that nobody can have written for a file
        name = path.encode(errors="replace")
    return quote(name, safe="/")


def _driver(rules: Sequence[Rule], version: str) -> dict[str, Any]:
    return {
        "name": "linetrail",
        "semanticVersion": version,
        "rules": [_rule(rule, pages()) for rule in rules],
    }


@cache
def pages() -> str | None:
    """Return where the page of rules is published, as the package says; None where it says no address."""
    from importlib.metadata import metadata

    said = (line.partition(", ") for line in metadata("linetrail").get_all("Project-URL") or ())
    known = {label.lower(): address for label, _, address in said}
    return f"{known['documentation'].rstrip('/')}/rules.md" if "documentation" in known else None


def _rule(rule: Rule, published: str | None) -> dict[str, Any]:
    page = published and f"{published}#{rule.id.lower()}-{rule.name.replace('_', '-')}"
    said = f"{rule.finds}.\n\n{rule.why}\n\nExample: {rule.example}\n\nSilent {rule.silent}.\n\nNext: {rule.advice}"
    about = {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.name.split("_")),
        "shortDescription": {"text": f"{rule.finds}."},
        "fullDescription": {"text": f"{rule.finds}. {rule.why}"},
        "help": {"text": said, "markdown": f"{said}\n\n`linetrail explain {rule.id}`"},
        "helpUri": page,
        "defaultConfiguration": {"level": LEVEL[rule.level]},
        "properties": {
            "tags": ["security", "provenance", *rule.controls],
            "precision": "high",
            "problem.severity": {"error": "error", "warning": "warning"}.get(LEVEL[rule.level], "recommendation"),
            "security-severity": SEVERITY[rule.level],
        },
    }
    return _known(about)


def _invocation(audit: Audit, ran: Ran) -> dict[str, Any]:
    left_out = len(audit.findings) - MAX_RESULTS
    notes = [f"{left_out} more findings were left out; these are the {MAX_RESULTS} worst"] if left_out > 0 else []
    notes += [] if ran.sound else ["the ledger is damaged: what cannot be read has no finding here"]
    return {
        "executionSuccessful": ran.sound,
        "commandLine": " ".join(["linetrail", *ran.arguments]),
        "arguments": list(ran.arguments),
        "toolExecutionNotifications": [{"level": "warning", "message": {"text": note}} for note in notes],
    }


def _result(one: Finding, rule_index: int) -> dict[str, Any]:
    return {
        "ruleId": one.rule.id,
        "ruleIndex": rule_index,
        "level": LEVEL[one.level],
        "message": {"text": f"{one.message}. Next: {one.remedy}"},
        "locations": [{"physicalLocation": _location(one)}],
        "partialFingerprints": {f"linetrailFinding/v{FINGERPRINT_VERSION}": one.fingerprint},
        "occurrenceCount": one.times,
        "properties": _known(
            {
                "level": one.level,
                "session": one.session_id,
                "intent": one.intent_id,
                "agent": one.agent_name,
                "event": one.event_id,
                "firstSeen": one.occurred_at and timestamp(one.occurred_at),
                "lastSeen": one.last_at and timestamp(one.last_at),
            }
        ),
    }


def _location(one: Finding) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": uri(one.path or NOWHERE), "uriBaseId": ROOT}}
    if one.path is not None and one.line is not None and one.line > 0:
        place["region"] = {"startLine": one.line, "endLine": max(one.end_line or one.line, one.line)}
    return place


def _provenance(repository: Repository) -> dict[str, Any]:
    """Say of which commit of which repository this is; nothing where there is no address that may be published."""
    address = (git(repository, "config", "--get", "remote.origin.url") or b"").decode(errors="replace").strip()
    at = head(repository)
    if not address.startswith("https://") or "@" in address or at is None or at.revision is None:
        return {}
    known = {"repositoryUri": quote(address, safe=":/%.-_~"), "revisionId": at.revision, "branch": at.branch}
    return _known(known) | {"mappedTo": {"uriBaseId": ROOT}}


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
