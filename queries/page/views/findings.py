"""What the audit finds, by rule, under the policy of the repository and beside its baseline."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from linetrail.ledger.files import stamp
from linetrail.ledger.repository import Repository
from linetrail.projections.tables.tables import Tables
from linetrail.queries.answers.audit import Audited, audited_in, meta, rows
from linetrail.queries.arguments.moments import moment
from linetrail.queries.audit import baseline, policy_file, rulebook
from linetrail.queries.page.view import QUICK_EVENTS, Asked, Record, Shown, page_of

# So many findings of each rule are shown together, and of one rule on a page.
FEW, SIZE = 20, 200


def show(asked: Asked) -> Shown:
    """Return the findings, each with whether the baseline knows it: the first of each rule, or those of one `rule`."""
    with asked.tables() as tables:
        if asked.held is None:
            return _shown(asked, tables)
        return asked.held.once(_key(asked), lambda: _shown(asked, tables))


def totals(asked: Asked, tables: Tables) -> Record | None:
    """Return how many findings of each level there are, and how many make an audit fail; None if one would wait."""
    every = asked._replace(options={})
    known = asked.held is not None and asked.held.knows(_key(every))
    return show(every).about["audit"] if known or tables.parts[-1].head.seq <= QUICK_EVENTS else None


def _key(asked: Asked) -> object:
    """Name what is asked, and all that findings follow from but the ledger and HEAD."""
    with os.scandir(asked.repository.folder) as entries:
        files = sorted((entry.name, stamp(entry.stat())) for entry in entries if entry.is_file())
    return "findings", tuple(sorted(asked.options.items())), asked.whole, policy_file.today(), tuple(files)


def _shown(asked: Asked, tables: Tables) -> Shown:
    since = asked.option("since")
    found = audited_in(tables, asked.repository, since=None if since is None else moment(since))
    known, name = _baseline(asked.repository), asked.option("rule")
    rule = name and rulebook.find(name).id
    findings = [
        {**row, "known": row["fingerprint"] in known}
        for row in rows(found.audit.findings).mappings()
        if rule in (None, row["rule"])
    ]
    shown, page = page_of(findings, asked, SIZE)
    rules = _by_rule(found, findings if rule is None else shown, Counter(row["rule"] for row in findings))
    if rule is None and not asked.whole:
        rules = [{**one, "findings": one["findings"][:FEW]} for one in rules]
    about = {
        "audit": meta(asked.repository, found.audit, found.report, found.fail_on),
        "since": since,
        "rule": rule,
        "rules": rules,
        "page": page,
        "policy": _policy(asked.repository),
        "baseline": len(known),
    }
    return Shown("Findings", [row for one in rules for row in one["findings"]], about)


def _by_rule(found: Audited, findings: Sequence[Record], counts: Mapping[str, int]) -> list[Record]:
    """Return each rule that found something with what it found, in the order of the findings: the worst first."""
    rules = {rule.id: rule for rule in found.audit.rules}
    return [
        {
            "id": name,
            "title": rules[name].title,
            "finds": rules[name].finds,
            "why": rules[name].why,
            "sql": getattr(rules[name].question, "sql", None),
            "count": counts[name],
            "findings": [row for row in findings if row["rule"] == name],
        }
        for name in dict.fromkeys(row["rule"] for row in findings)
    ]


def _baseline(repository: Repository) -> Mapping[str, str]:
    path = os.path.join(repository.root, baseline.DEFAULT)
    return baseline.read(path) if os.path.lexists(path) else {}


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
