-- One row is one recovery point.
-- words: recoverypoint, savepoint
-- figures: files
select
    point_id as id,
    occurred_at as happened_at,
    agent_name as agent,
    intent_id as intent,
    session_id as session,
    contributor_type as contributor,
    coalesce(agent_name, contributor_type) as who,
    coalesce(point_name, reason) as what,
    files
from v_recovery_points
