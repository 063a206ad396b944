"""Write an audit as the JSON that GitLab calls Code Quality: beside the lines of a merge request."""

import json

from linetrail.queries.audit.audit import Audit
from linetrail.queries.audit.finding import Finding
from linetrail.queries.audit.rulebook import HIGH, INFO, LOW, MEDIUM
from linetrail.queries.render.text import escaped

SEVERITY = {HIGH: "critical", MEDIUM: "major", LOW: "minor", INFO: "info"}
# What is about no file is shown beside the one that says what is being worked on.
NOWHERE = ".orchestration/active_intents.yaml"


def code_quality(audit: Audit) -> str:
    return escaped(json.dumps([_issue(one) for one in audit.findings], ensure_ascii=False, indent=1)) + "\n"


def _issue(one: Finding) -> dict[str, object]:
    return {
        "description": f"{one.message}; next: {one.remedy}",
        "check_name": f"{one.rule.id} {one.rule.title}",
        "fingerprint": one.fingerprint,
        "severity": SEVERITY[one.level],
        "location": {"path": one.path or NOWHERE, "lines": {"begin": one.line or 1}},
    }
