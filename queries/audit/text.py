"""Show an audit to people: a line for each rule that found something, its first findings, and a sum."""

from collections.abc import Iterator, Mapping, Sequence

from linetrail.queries.audit.audit import Audit
from linetrail.queries.audit.finding import Finding, alike
from linetrail.queries.audit.rulebook import HIGH, INFO, LOW, MEDIUM
from linetrail.queries.render.terminal import DOUBT, PROBLEM, painted
from linetrail.queries.render.text import columns, counted, plain, short

SHORT = {HIGH: "HIGH", MEDIUM: "MED", LOW: "LOW", INFO: "INFO"}
TONES = {SHORT[HIGH]: PROBLEM, SHORT[MEDIUM]: DOUBT}
# Findings of a rule beyond these are counted.
SHOWN = 5


def text(audit: Audit, *, fail_on: str, verified: str, colour: bool = False) -> Iterator[str]:
    """Yield the lines; `verified` says up to where the ledger was found sound."""
    grouped = audit.by_rule()
    rows = [row for rule, found in grouped.items() for row in _rows(rule.id, rule.title, found)]
    yield from _aligned(rows, TONES if colour else {})
    yield from _sum(audit, fail_on, verified)


def about_baseline(audit: Audit) -> str:
    """Say how what was found stands to the baseline."""
    gone = f", {audit.gone:,} of it gone (--write-baseline forgets them)" if audit.gone else ""
    return f"baseline: {len(audit.findings):,} new, {audit.known:,} known{gone}"


def _rows(rule_id: str, title: str, found: Sequence[Finding]) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield level, rule, count, message and session; what repeats above stays empty."""
    total = sum(one.times for one in found)
    lines = alike(found)
    for at, one in enumerate(lines[:SHOWN]):
        head = (SHORT[one.level], f"{rule_id} {title}", f"{total:,}") if at == 0 else ("", "", "")
        again = f" ({one.times} times)" if one.times > 1 else ""
        session = f"session {plain(short(one.session_id))}" if one.session_id else ""
        yield (*head, f"{_message(one)}{again}", session)
    if len(lines) > SHOWN:
        rest = sum(one.times for one in lines[SHOWN:])
        yield ("", "", "", f"and {rest:,} more: linetrail audit --json {rule_id}", "")


def _message(finding: Finding) -> str:
    """Return the sentence, with the line to look at behind the path that it begins with."""
    path, sentence = plain(finding.path), plain(finding.message)
    if finding.present and sentence.startswith(f"{path} "):
        return f"{path}:{finding.line}{sentence.removeprefix(path)}"
    return sentence


def _aligned(rows: Sequence[tuple[str, str, str, str, str]], tones: Mapping[str, str]) -> Iterator[str]:
    widths = [max((columns(row[at]) for row in rows), default=0) for at in range(3)]
    for level, rule, count, message, session in rows:
        name = rule + " " * (widths[1] - columns(rule))
        tail = f"  {session}" if session else ""
        word = painted(level, tones.get(level)) + " " * (widths[0] - len(level))
        yield f"{word}  {name}  {count:>{widths[2]}}  {message}{tail}".rstrip()


def _sum(audit: Audit, fail_on: str, verified: str) -> Iterator[str]:
    counts = audit.counts()
    found = ", ".join(f"{number:,} {level}" for level, number in counts.items() if number) or "nothing found"
    excepted = f", {audit.excepted:,} excepted by the policy" if audit.excepted else ""
    failed = len({one.rule.id for one in audit.failing(fail_on)})
    rules = f"{counted(failed, 'rule')} failed ({found})" if failed else f"no rule failed ({found})"
    figures = ", ".join(counted(audit.figures[name], name[:-1]) for name in ("intents", "sessions", "mutations"))
    yield f"{rules}{excepted} | {figures}, {verified}"
