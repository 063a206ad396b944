"""What the audit finds, by rule, under the policy of the repository and beside its baseline."""

from collections.abc import Mapping, Sequence
from typing import Any

from linetrail.ledger.repository import Repository
from linetrail.projections.tables.tables import Tables
from linetrail.queries.audit import policy_file, rulebook
from linetrail.queries.page.audit_table import AuditTable, known, prepare
from linetrail.queries.page.open_tables import QUICK_EVENTS
from linetrail.queries.page.view import Asked, Record, Shown, place_of

# So many findings of each rule are shown together, and of one rule on a page.
FEW, SIZE = 20, 200


def show(asked: Asked) -> Shown:
    """Return the findings, each with whether the baseline knows it: the first of each rule, or those of one `rule`."""
    since, name = asked.option("since"), asked.option("rule")
    rule = name and rulebook.find(name).id
    with asked.tables() as tables:
        audit = _made(asked, tables, since)
        summary, counts = audit.summary(), audit.counts()
        page = place_of(counts.get(rule, 0) if rule else sum(counts.values()), asked, SIZE)
        few = (1, FEW) if rule is None and not asked.whole else (page["first"], page["last"])
        findings = [{**row, "controls": rulebook.find(row["rule"]).controls} for row in audit.findings(rule, *few)]
    about = {
        "audit": summary,
        "since": since,
        "rule": rule,
        "rules": [_rule(one, counts[one], findings) for one in counts if rule in (None, one)],
        "page": page,
        "policy": _policy(asked.repository),
        "baseline": len(known(asked.repository)),
    }
    return Shown("Findings", findings, about)


def totals(asked: Asked, tables: Tables) -> Record | None:
    """Return how many findings of each level there are, and how many make an audit fail; None if one would wait."""
    audit = AuditTable(asked.repository, tables, None)
    if not audit.is_kept and tables.parts[-1].head.seq > QUICK_EVENTS:
        return None
    audit.make()
    return audit.summary()


def _made(asked: Asked, tables: Tables, since: str | None) -> AuditTable:
    audit = AuditTable(asked.repository, tables, since)
    if asked.held is not None and not audit.is_kept:
        asked.held.run(tables, prepare, since)
    audit.make()
    return audit


def _rule(name: str, count: int, findings: Sequence[Record]) -> Record:
    """Return a rule that found something, with those of its findings that are shown."""
    rule = rulebook.find(name)
    return {
        "id": name,
        "title": rule.title,
        "finds": rule.finds,
        "why": rule.why,
        "sql": getattr(rule.question, "sql", None),
        "count": count,
        "findings": [row for row in findings if row["rule"] == name],
    }


def _policy(repository: Repository) -> Mapping[str, Any] | None:
    """Return what the policy says of rules and exceptions; None where there is none."""
    held, place = policy_file.load(repository, None)
    if held is None:
        return None
    today = policy_file.today()
    return {
        "place": place,
        "rules": [
            {"rule": name, "says": "off" if one.off else one.level or "narrowed"} for name, one in held.rules.items()
        ],
        "exceptions": [
            {**one.model_dump(mode="json", exclude_defaults=True), "expired": one.expired(today)}
            for one in held.exceptions
        ],
    }
