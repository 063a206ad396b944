"""Write the page that a reviewer sees: the summary of a job, and the comment beside a proposed change.

What stands in it was written by agents and by whoever opened the change, so it is text and nothing else.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from linetrail.queries.audit.finding import Finding, alike
from linetrail.queries.audit.markdown import finding_line
from linetrail.queries.audit.rulebook import HIGH
from linetrail.queries.ci.figures import Figures
from linetrail.queries.ci.steps import Outcome
from linetrail.queries.render import markup
from linetrail.queries.render.text import counted

# By this a comment is found again, to be replaced.
MARKER = "<!-- linetrail:ci -->"
# What forges take; more makes an upload fail as a whole.
SUMMARY_BYTES, COMMENT_BYTES = 1024 * 1024, 64 * 1024
FINDINGS, COMMENT_FINDINGS = 200, 10
_CUT = "\n\n*The rest is left out: see `linetrail audit`.*\n"
_HEADER = ("intent", "scope", "files", "+/-", "class", "approved", "findings")
_LINES_OF_INTENTS = 50


def summary(outcome: Outcome) -> str:
    return markup.shortened("\n".join(_page(outcome, FINDINGS)) + "\n", SUMMARY_BYTES, _CUT)


def comment(outcome: Outcome) -> str:
    """Return the comment, which begins with its marker."""
    page = "\n".join([MARKER, *_page(outcome, COMMENT_FINDINGS)]) + "\n"
    return markup.shortened(page, COMMENT_BYTES, _CUT)


def _page(outcome: Outcome, most: int) -> Iterator[str]:
    figures = outcome.figures
    if figures is None or outcome.audit is None:
        yield "### Agent changes: **the ledger is damaged**"
        yield ""
    else:
        whose = "Agent changes in this range" if outcome.range else "Agent changes so far"
        intents = counted(sum(row["intent_id"] is not None for row in figures.intents), "intent")
        yield f"### {whose}   {counted(figures.sessions, 'session')} · {intents} · ledger verified"
        yield ""
        yield from _intents(figures)
        yield from _findings(outcome.audit.findings, most)
        yield from _details(outcome, figures)
    yield from _failures(outcome)


def _intents(figures: Figures) -> Iterator[str]:
    if not figures.intents:
        yield "No agent changed a file."
        yield ""
        return
    rows = [_row(row, figures) for row in figures.intents[:_LINES_OF_INTENTS]]
    yield from markup.table(_HEADER, rows)
    if len(figures.intents) > len(rows):
        yield ""
        yield f"and {counted(len(figures.intents) - len(rows), 'more intent')}"
    yield ""


def _row(row: Mapping[str, Any], figures: Figures) -> tuple[str, ...]:
    name = f"{markup.code(row['intent_id'])} {markup.words(row['title'] or '')}".strip() if row["intent_id"] else "none"
    judged = f"{row['files_in_scope']}/{row['files_judged']} in scope" if row["files_judged"] else "unknown"
    levels = figures.findings.get(row["intent_id"], Counter())
    told = ", ".join(
        f"**{number} {level}**" if level == HIGH else f"{number} {level}" for level, number in levels.items()
    )
    return (
        name,
        judged,
        f"{row['files']:,}",
        f"+{row['lines_added'] or 0:,}/-{row['lines_deleted'] or 0:,}",
        _class(row),
        ", ".join(f"{row[what]:,} {name}" for what, name in (("people", "human"), ("ruled", "rule")) if row[what])
        or "-",
        told or "none",
    )


def _class(row: Mapping[str, Any]) -> str:
    if not row["judged"]:
        return "unknown"
    evolved = row["judged"] - row["refactors"]
    share = round(100 * max(evolved, row["refactors"]) / row["judged"])
    return f"{'evolution' if evolved >= row['refactors'] else 'refactor'} {share}%"


def _findings(findings: list[Finding], most: int) -> Iterator[str]:
    lines = alike(findings)
    for one in lines[:most]:
        yield finding_line(one)
        yield ""
    if len(lines) > most:
        yield f"and {counted(sum(one.times for one in lines[most:]), 'more finding')}"
        yield ""


def _details(outcome: Outcome, figures: Figures) -> Iterator[str]:
    rejected = sum(row["alternatives"] for row in figures.decisions)
    told = [f"Decisions ({len(figures.decisions)})", f"rejected alternatives ({rejected})"]
    if figures.coverage is not None:
        told.append(f"coverage {figures.coverage:.0%}")
    if figures.cost_microusd is not None:
        told.append(f"cost ${figures.cost_microusd / 1_000_000:.2f}")
    yield f"<details><summary>{' · '.join(told)}</summary>"
    yield ""
    for row in figures.decisions[:_LINES_OF_INTENTS]:
        why = f": {markup.words(row['rationale'])}" if row["rationale"] else ""
        yield f"- **{markup.words(row['title'] or 'a decision')}**{why}"
    if outcome.range is not None:
        span = f"{outcome.range.fork[:10]}..{outcome.range.head_revision[:10]}"
        yield f"- {counted(figures.events, 'event')} of the ledger came with `{span}`"
    head = f"ledger head `{outcome.audit.head[:12]}`, " if outcome.audit is not None else ""
    yield f"- {head}{counted(outcome.report.events, 'event')}"
    yield ""
    yield "</details>"


def _failures(outcome: Outcome) -> Iterator[str]:
    for note in outcome.notes:
        yield ""
        yield f"*{markup.words(note)}*"
    for failure in outcome.failures:
        if failure.step != "audit":
            yield ""
            yield f"**{failure.step}** {markup.words(failure.message)}. Fix: {markup.code(failure.fix)}"
