"""Write an audit as JUnit XML, which every build server shows: a test case for each rule."""

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from linetrail.queries.audit.audit import Audit
from linetrail.queries.audit.finding import Finding
from linetrail.queries.audit.rulebook import Rule

SUITE = "linetrail audit"
# Findings of a rule beyond these are counted.
SHOWN = 200
# What XML 1.0 cannot hold, in whatever spelling.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(audit: Audit, *, fail_on: str) -> str:
    """Return the document; a rule fails when a finding of it fails the run, what else it found is told as output."""
    failing = {one.rule.id for one in audit.failing(fail_on)}
    grouped = audit.by_rule()
    root = Element("testsuites", name=SUITE, tests=str(len(audit.rules)), failures=str(len(failing)))
    suite = SubElement(
        root, "testsuite", name=SUITE, tests=str(len(audit.rules)), failures=str(len(failing)), errors="0", skipped="0"
    )
    for rule in audit.rules:
        _case(suite, rule, grouped.get(rule, ()), failed=rule.id in failing)
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _case(suite: Element, rule: Rule, found: Sequence[Finding], *, failed: bool) -> None:
    case = SubElement(suite, "testcase", classname=SUITE, name=f"{rule.id} {rule.title}")
    if not found:
        return
    told = "\n".join(map(_line, found[:SHOWN]))
    if len(found) > SHOWN:
        told += f"\nand {len(found) - SHOWN} more"
    if failed:
        failure = SubElement(case, "failure", type=found[0].level, message=_allowed(found[0].message))
        failure.text = _allowed(told)
    else:
        SubElement(case, "system-out").text = _allowed(told)


def _line(one: Finding) -> str:
    again = f" ({one.times} times)" if one.times > 1 else ""
    return f"{one.level}: {one.message}{again}; next: {one.remedy}"


def _allowed(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
