-- one row is one state that somebody marked, to come back to
-- needs: recovery_point_records
select
    point_id,
    min(position) as position,
    min(event_id) as event_id,
    min(occurred_at) as occurred_at,
    min(session_id) as session_id,
    min(intent_id) as intent_id,
    min(agent_name) as agent_name,
    min(contributor_type) as contributor_type,
    min(point_name) as point_name,
    min(vcs_revision) as vcs_revision,
    min(reason) as reason,
    min(cast(paths as varchar)) as paths,
    sum(coalesce(len(entries), 0) + coalesce(len(json_keys(files)), 0))::bigint as files,
    count(*) = coalesce(max(parts), 1) as complete
from recovery_point_records
group by point_id;
