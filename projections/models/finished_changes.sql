-- one row is one change of a file of a finished intent, for another intent or for none
-- needs: finished_spans, mutation_files
with
owned as (
    select
        spans.intent_id as intent_id,
        spans.position as completed_position,
        spans.until_position as until_position,
        spans.completed_at as completed_at,
        files.path as path
    from finished_spans as spans
    inner join mutation_files as files
        on files.intent_id = spans.intent_id and files.position <= spans.position
    group by spans.intent_id, spans.position, spans.until_position, spans.completed_at, files.path
)

select
    later.position as position,
    owned.intent_id as intent_id,
    owned.completed_at as completed_at,
    later.event_id as mutation_id,
    later.intent_id as by_intent,
    later.path as path,
    later.occurred_at as occurred_at,
    later.session_id as session_id,
    later.agent_name as agent_name,
    later.contributor_type as contributor_type,
    later.via as via
from owned
inner join mutation_files as later
    on later.path = owned.path
    and later.position > owned.completed_position
    and (owned.until_position is null or later.position < owned.until_position)
where
    later.intent_id is distinct from owned.intent_id
    and coalesce(later.part, 1) = 1
    and not later.snapshot;
