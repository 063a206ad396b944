-- Events of a stretch of the ledger, with their payload where something is read of it
select
    position, event_id, epoch_us(occurred_at), event_type, session_id, agent_name, agent_version, model_id,
    contributor_type, intent_id, vcs_revision, branch, tool_call_id,
    case when event_type in (select unnest($read)) then payload end
from events
where position between $first and $last and ($session is null or session_id = $session)
order by position
