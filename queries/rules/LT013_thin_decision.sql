-- A decision says no reason, or names nothing that it was chosen over
-- id: LT013
-- level: low
-- control: CC8.1
-- message: decision {title} has no {missing}
-- remedy: record it again with what is missing; linetrail show {event_id} tells what was recorded
-- why: Who wants to change it later has to find out again what was known then.
-- example: "Use Redis", without a word about what speaks against PostgreSQL.
-- silent: for decisions that another one replaced
-- rows of: v_decisions
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at, title, missing
with
counted as (
    select decisions.decision_id as decision_id, count(alternatives.place) as alternatives
    from v_decisions as decisions
    left join v_decision_alternatives as alternatives on alternatives.decision_id = decisions.decision_id
    group by decisions.decision_id
)

select
    decisions.position,
    cast(null as varchar) as path,
    cast(null as bigint) as line,
    cast(null as bigint) as end_line,
    decisions.decision_id as anchor,
    decisions.session_id,
    decisions.intent_id,
    events.agent_name,
    decisions.event_id,
    decisions.occurred_at,
    coalesce(decisions.title, decisions.decision_id) as title,
    case
        when coalesce(decisions.rationale, '') <> '' then 'alternatives'
        when counted.alternatives > 0 then 'rationale'
        else 'rationale and no alternatives'
    end as missing
from v_decisions as decisions
inner join counted on counted.decision_id = decisions.decision_id
left join v_events as events on events.position = decisions.position
where
    (coalesce(decisions.rationale, '') = '' or counted.alternatives = 0)
    and not exists (
        select 1
        from v_decisions as later
        where later.supersedes_id = decisions.decision_id
    )
    and ($since is null or decisions.occurred_at >= $since)
order by decisions.position, decisions.decision_id;
