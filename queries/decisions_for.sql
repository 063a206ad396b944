-- Which decisions govern this file, and which of them were replaced?
-- param path: file, relative to the repository
-- columns: decision_id, title, status, rationale, supersedes_id, superseded_by, intent_id, occurred_at
select
    decisions.decision_id,
    decisions.title,
    decisions.status,
    decisions.rationale,
    decisions.supersedes_id,
    max(newer.decision_id) as superseded_by,
    decisions.intent_id,
    decisions.occurred_at
from v_decisions as decisions
left join v_decisions as newer on newer.supersedes_id = decisions.decision_id
where
    contains(decisions.lines, concat('"', $path, ':'))
    or contains(decisions.lines, concat('"', $path, '"'))
group by
    decisions.decision_id,
    decisions.title,
    decisions.status,
    decisions.rationale,
    decisions.supersedes_id,
    decisions.intent_id,
    decisions.occurred_at,
    decisions.position
order by decisions.position;
