"""Say of a commit who wrote its lines, for which intents, and how sound the ledger is that says so.

The predicate is our own: SLSA's provenance is a claim about builds. docs/interop/in-toto.md tells what each field
means, docs/interop/agent-provenance-v1.schema.json which there are. Nothing of the moment or the machine is in it.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from importlib.metadata import version
from typing import Any, NamedTuple

from linetrail.ledger.log import segments
from linetrail.ledger.repository import FOLDER, Repository
from linetrail.projections.lines.attribution import Attribution
from linetrail.projections.survival import stats
from linetrail.projections.tables.tables import Tables
from linetrail.projections.tables.verification import Report
from linetrail.queries.render.text import json_value
from linetrail.queries.statements import statement as asking

TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://linetrail.dev/agent-provenance/v1"
# What nobody judged, in the mix of classes.
UNCLASSIFIED = "unclassified"

_SPAN = "select count(*) as events, min(occurred_at) as first_event_at, max(occurred_at) as last_event_at from v_events"

Json = dict[str, Any]


class About(NamedTuple):
    """What a statement is about: the commit, and the commits whose lines count; all lines where that is None."""

    commit: str
    range: str | None
    commits: Collection[str] | None


def statement(
    repository: Repository, tables: Tables, report: Report, about: About, policy: Json, *, signed: bool
) -> Json:
    """Return the whole statement; `signed` says whether an envelope will be put around it here."""
    lines = _lines(repository, about)
    predicate = {
        "producer": {"tool": "linetrail", "version": version("linetrail"), "signed": signed},
        "range": about.range,
        "lines": _counts(lines),
        "intents": _intents(tables, lines),
        "sessions": _sessions(tables, lines),
        "ledger": _ledger(tables, report),
        "policy": policy,
    }
    subject = [{"name": "commit", "digest": {"gitCommit": about.commit}}, *_segments(report)]
    return {"_type": TYPE, "subject": subject, "predicateType": PREDICATE_TYPE, "predicate": json_value(predicate)}


def _segments(report: Report) -> list[Json]:
    return [
        {"name": f"{FOLDER}/{segments.SEGMENTS}/{name}.jsonl", "digest": {"sha256": name}}
        for name in sorted(report.sound)
    ]


def _lines(repository: Repository, about: About) -> Counter[Attribution]:
    """Count the lines of the commit by the answer of `blame`."""
    files = stats.tree(repository, about.commit)
    found: Counter[Attribution] = Counter()
    for file in stats.held(repository, about.commit, files, None, lambda _: None):
        for by in file.answer.attributions if file.answer else ():
            if about.commits is None or by.vcs_revision in about.commits:
                found[by] += 1
    return found


def _counts(lines: Mapping[Attribution, int]) -> Json:
    total = sum(lines.values())
    known = total - _sum(lines, lambda by: by.contributor_type == "unknown")
    classes: Counter[str] = Counter()
    for by, count in lines.items():
        if by.contributor_type == "ai":
            classes[by.mutation_class or UNCLASSIFIED] += count
    return {
        "total": total,
        "ai": _sum(lines, lambda by: by.contributor_type == "ai"),
        "human": _sum(lines, lambda by: by.contributor_type == "human"),
        "unknown": total - known,
        "mixed": _sum(lines, lambda by: by.mixed),
        "presumed": _sum(lines, lambda by: by.evidence == "git" and by.contributor_type == "human"),
        # cut off behind four digits, never rounded up
        "coverage": known * 10_000 // total / 10_000 if total else None,
        "evidence": _mix(lines, lambda by: by.evidence),
        "classes": dict(sorted(classes.items())),
    }


def _intents(tables: Tables, lines: Mapping[Attribution, int]) -> list[Json]:
    own = _mix(lines, lambda by: by.intent_id)
    known = {row["intent_id"]: row for row in tables.ask(asking("statement_intents"), {"names": list(own)}).mappings()}
    nothing = {"title": None, "status": None, "owner": None}
    return [{"intent_id": name} | nothing | known.get(name, {}) | {"lines": count} for name, count in own.items()]


def _sessions(tables: Tables, lines: Mapping[Attribution, int]) -> list[Json]:
    own = _mix(lines, lambda by: by.session_id)
    names = {"names": list(own)}
    known = {row["session_id"]: row for row in tables.ask(asking("statement_sessions"), names).mappings()}
    answers = {row.pop("session_id"): row for row in tables.ask(asking("statement_approvals"), names).mappings()}
    return [
        {"session_id": name}
        | known.get(name, {})
        | {"approvals": answers.get(name, {"approved": 0, "rejected": 0}), "lines": count}
        for name, count in own.items()
    ]


def _ledger(tables: Tables, report: Report) -> Json:
    (span,) = tables.ask(_SPAN).mappings()
    return {
        "heads": segments.heads(report.sound),
        "unsealed_events": report.tail.seq,
        "unsealed_head": report.tail.digest if report.tail.seq else None,
        **span,
        "verify": {
            "sound": not report.problems,
            "problems": dict(sorted(Counter(problem.code for problem in report.problems).items())),
        },
        "gaps": report.lost,
    }


def _sum(lines: Mapping[Attribution, int], fits: Callable[[Attribution], bool]) -> int:
    return sum(count for by, count in lines.items() if fits(by))


def _mix(lines: Mapping[Attribution, int], name: Callable[[Attribution], str | None]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for by, count in lines.items():
        told = name(by)
        if told is not None:
            found[told] += count
    return dict(sorted(found.items()))
