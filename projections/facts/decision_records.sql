-- one row is one record of a decision
-- needs: ledger
select
    position,
    event_id,
    occurred_at,
    session_id,
    intent_id,
    contributor_type,
    data.decision_id as decision_id,
    data.title as title,
    data.rationale as rationale,
    data.status as status,
    data.supersedes as supersedes_id,
    data.alternatives as alternatives,
    data.lines as lines
from ledger
where event_type = 'decision.recorded'
order by position;
