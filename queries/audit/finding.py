"""What one rule found, and the name that it keeps from run to run."""

import hashlib
import shlex
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from linetrail.queries.audit.rulebook import LEVELS, Rule
from linetrail.queries.render.text import plain

# 1: rule, path and anchor.
VERSION = 1
MAX_VALUE = 200


class Finding(NamedTuple):
    """One thing that a rule objects to, as often as it was found; `level` is the rule's unless a policy says otherwise.

    The first sighting says where and by whom. `line` and `end_line` are those of the work tree's HEAD where `present`,
    else those when it happened.
    """

    rule: Rule
    level: str
    fingerprint: str
    message: str
    remedy: str
    path: str | None
    line: int | None
    end_line: int | None
    session_id: str | None
    intent_id: str | None
    agent_name: str | None
    event_id: str | None
    occurred_at: datetime | None
    times: int = 1
    last_at: datetime | None = None
    present: bool = False

    @property
    def order(self) -> tuple[int, str, bool, str, str]:
        """Sort the worst first; what has a place before what has none."""
        return LEVELS.index(self.level), self.rule.id, self.path is None, self.path or "", self.fingerprint


def found(rule: Rule, row: Mapping[str, Any], level: str | None = None) -> Finding:
    """Make a finding out of a row of a rule."""
    return Finding(
        rule=rule,
        level=level or rule.level,
        fingerprint=fingerprint(rule.id, row["path"], row["anchor"]),
        message=_filled(rule.message, row, plain),
        remedy=_filled(rule.remedy, row, lambda value: shlex.quote(plain(value))),
        path=row["path"],
        line=row["line"] or None,
        end_line=row["end_line"],
        session_id=row["session_id"],
        intent_id=row["intent_id"],
        agent_name=row["agent_name"],
        event_id=row["event_id"],
        occurred_at=row["occurred_at"],
        last_at=row["occurred_at"],
    )


def fingerprint(rule_id: str, path: str | None, anchor: str | None) -> str:
    """Name a finding by what it is about: it survives that lines move, and that the audit is run elsewhere."""
    said = "\0".join((str(VERSION), rule_id, path or "", anchor or ""))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def folded(findings: Iterable[Finding]) -> list[Finding]:
    """Count what was found more than once as one finding, with where it was seen first."""
    kept: dict[str, Finding] = {}
    for one in findings:
        before = kept.get(one.fingerprint)
        if before is None:
            kept[one.fingerprint] = one
        else:
            last_at = one.occurred_at or before.last_at
            kept[one.fingerprint] = before._replace(times=before.times + 1, last_at=last_at)
    return sorted(kept.values(), key=lambda one: one.order)


def alike(findings: Iterable[Finding]) -> list[Finding]:
    """Take together what reads the same, for people: a file that was written ten times is one line, ten times."""
    kept: dict[tuple[str, str], Finding] = {}
    for one in findings:
        before = kept.setdefault((one.rule.id, one.message), one)
        if before is not one:
            kept[one.rule.id, one.message] = before._replace(times=before.times + one.times)
    return list(kept.values())


def leading(findings: Iterable[Finding], most: int) -> Iterator[Finding]:
    """Yield what people are shown: of each rule so many findings as read differently."""
    seen = Counter[str]()
    for one in alike(findings):
        seen[one.rule.id] += 1
        if seen[one.rule.id] <= most:
            yield one


def _filled(template: str, row: Mapping[str, Any], written: Any) -> str:
    """Put values into a sentence; what is not known is said so, and nobody reads pages."""
    values = {name: "unknown" if row[name] is None else _short(written(row[name])) for name in _names(template)}
    return template.format_map(values)


@cache
def _names(template: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in string.Formatter().parse(template) if name)


def _short(text: str) -> str:
    return text if len(text) <= MAX_VALUE else f"{text[: MAX_VALUE - 1]}…"
