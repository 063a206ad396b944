-- What others changed of the files that a session read or wrote, after it last did
with
known as (
    select paths.path as path, max(events.position) as last_position
    from v_event_paths as paths
    inner join v_events as events on events.event_id = paths.event_id
    where events.session_id = $session_id and events.event_type in ('tool.requested', 'mutation.observed')
    group by paths.path
)

select
    mutations.path as path,
    mutations.session_id as session_id,
    mutations.agent_name as agent_name,
    mutations.contributor_type as contributor_type,
    mutations.intent_id as intent_id,
    mutations.occurred_at as changed_at,
    mutations.mutation_id as event_id,
    mutations.start_line as start_line,
    mutations.end_line as end_line
from v_mutations as mutations
inner join known on known.path = mutations.path and known.last_position < mutations.position
where mutations.session_id is distinct from $session_id
order by mutations.position, mutations.file_index, mutations.path
