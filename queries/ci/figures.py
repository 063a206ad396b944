"""Count what happened in a range of the ledger: by intent, and in total."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.errors import LinetrailError
from linetrail.projections.tables.tables import Tables
from linetrail.queries.audit.audit import Audit, Brought
from linetrail.queries.audit.finding import Finding

# Files that are blamed for the coverage: a summary is to be quick.
MAX_FILES = 200

_STRETCHES = "stretches as (select unnest($first) as first_position, unnest($last) as last_position)"
_INTENTS = f"""
with
{_STRETCHES},

changed as (
    select mutations.*
    from v_mutations as mutations
    inner join stretches on mutations.position between stretches.first_position and stretches.last_position
    where mutations.contributor_type = 'ai' and not mutations.snapshot
),

files as (
    select intent_id, count(distinct path) as files, count(distinct path) filter (where in_scope) as files_in_scope,
        count(distinct path) filter (where in_scope is not null) as files_judged,
        cast(sum(lines_added) as bigint) as lines_added, cast(sum(lines_deleted) as bigint) as lines_deleted
    from changed
    group by intent_id
),

classes as (
    select changed.intent_id, count(distinct changed.mutation_id) as judged,
        count(distinct changed.mutation_id) filter (where classes.mutation_class = 'AST_REFACTOR') as refactors
    from changed
    inner join v_mutation_classes as classes on classes.mutation_id = changed.mutation_id
    group by changed.intent_id
),

people as (
    select approvals.intent_id, count(*) as people
    from v_approvals as approvals
    inner join stretches on approvals.position between stretches.first_position and stretches.last_position
    where approvals.approved
    group by approvals.intent_id
),

ruled as (
    select verdicts.intent_id, count(*) as ruled
    from v_verdicts as verdicts
    inner join stretches on verdicts.position between stretches.first_position and stretches.last_position
    where verdicts.verdict = 'allow' and verdicts.reason_code in ('IN_SCOPE', 'INTENT_OPEN', 'EXEMPT')
    group by verdicts.intent_id
)

select files.*, intents.title, classes.judged, classes.refactors, people.people, ruled.ruled
from files
left join v_intents as intents on intents.intent_id is not distinct from files.intent_id
left join classes on classes.intent_id is not distinct from files.intent_id
left join people on people.intent_id is not distinct from files.intent_id
left join ruled on ruled.intent_id is not distinct from files.intent_id
order by files.intent_id nulls last
"""  # noqa: S608  the stretches are a constant, and values are bound
_WHOLE = f"""
with {_STRETCHES}

select
    (select count(distinct session_id) from v_events as events, stretches
        where events.position between first_position and last_position and events.agent_name is not null) as sessions,
    (select count(*) from v_events as events, stretches
        where events.position between first_position and last_position) as events,
    (select cast(sum(cost_microusd) as bigint) from v_token_usage as spent, stretches
        where spent.position between first_position and last_position) as cost_microusd
"""  # noqa: S608  the same
_DECISIONS = f"""
with {_STRETCHES}

select decisions.title, decisions.rationale, decisions.intent_id,
    (select count(*) from v_decision_alternatives as alternatives
        where alternatives.decision_id = decisions.decision_id) as alternatives
from v_decisions as decisions
inner join stretches on decisions.position between stretches.first_position and stretches.last_position
order by decisions.position, decisions.decision_id
"""  # noqa: S608  the same
_PATHS = f"""
with {_STRETCHES}

select distinct mutations.path
from v_mutations as mutations
inner join stretches on mutations.position between stretches.first_position and stretches.last_position
where mutations.contributor_type = 'ai'
order by mutations.path
"""  # noqa: S608  the same
_COVERAGE = "select sum(lines_total) as total, sum(lines_known) as known from v_coverage"
_ALL = "select coalesce(max(position), 0) from v_events"


class Figures(NamedTuple):
    """The figures of a summary; coverage and cost are None where they are not known."""

    intents: Sequence[Mapping[str, Any]]
    sessions: int
    events: int
    cost_microusd: int | None
    decisions: Sequence[Mapping[str, Any]]
    coverage: float | None
    findings: Mapping[str | None, Counter[str]]


def figures(tables: Tables, came: Brought | None, found: Audit) -> Figures:
    """Count what the range added, or the whole ledger without one."""
    stretches = came.stretches if came is not None else [(1, tables.ask(_ALL).rows[0][0])]
    given = {"first": [first for first, _ in stretches] or [1], "last": [last for _, last in stretches] or [0]}
    whole = next(tables.ask(_WHOLE, given).mappings())
    return Figures(
        intents=list(tables.ask(_INTENTS, given).mappings()),
        sessions=whole["sessions"],
        events=whole["events"],
        cost_microusd=whole["cost_microusd"],
        decisions=list(tables.ask(_DECISIONS, given).mappings()),
        coverage=_coverage(tables, [path for (path,) in tables.ask(_PATHS, given).rows]),
        findings=_by_intent(found.findings),
    )


def _coverage(tables: Tables, paths: Sequence[str]) -> float | None:
    """Return the share of lines with a known author, in the files that changed and are still there."""
    wanted = [path for path in paths if not path.startswith('"')][:MAX_FILES]
    if not wanted:
        return None
    tables.look_at(*wanted)
    try:
        total, known = tables.ask(_COVERAGE).rows[0]
    except LinetrailError:
        return None
    finally:
        tables.look_at()
    return known / total if total else None


def _by_intent(findings: Sequence[Finding]) -> Mapping[str | None, Counter[str]]:
    counted: dict[str | None, Counter[str]] = {}
    for one in findings:
        counted.setdefault(one.intent_id, Counter())[one.level] += 1
    return counted
