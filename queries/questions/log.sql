-- What happened, newest first?
-- topic: the ledger
-- asked as: what happened, what going on, summary
-- param intent?: only events of this intent
-- param session?: only this session, by the first characters of its id
-- param agent?: only this agent
-- param path?: only events that name this file, or a file below this folder
-- param type?: only events of this type; `tool` stands for `tool.requested`, `tool.completed` and `tool.failed`
-- param verdict?: only events with this verdict: allow, deny, ask
-- param since?: only from this moment on
-- param until?: only before this moment
-- param grep?: only events whose content has this text, in upper or lower case
-- param after?: only behind this place in the order of all events
-- param limit?: at most this many
-- columns: event_id, seq, timestamp, type, session_id, agent_name, model_id, contributor_type, intent_id, path, verdict, class, label, summary
with
named as (
    select distinct position
    from v_event_paths
    where path = $path or starts_with(path, rtrim($path, '/') || '/')
),

chosen as (
    select position
    from v_events
    where
        ($intent is null or intent_id = $intent)
        and ($session is null or starts_with(session_id, $session))
        and ($agent is null or agent_name = $agent)
        and ($path is null or position in (select position from named))
        and ($type is null or event_type = $type or starts_with(event_type, $type || '.'))
        and ($after is null or position > $after)
        and ($verdict is null or verdict = $verdict)
        and ($since is null or occurred_at >= cast($since as timestamp))
        and ($until is null or occurred_at < cast($until as timestamp))
        and ($grep is null or contains(lower(payload), lower($grep)))
    order by position desc
    limit coalesce(cast($limit as integer), 2147483647) -- of all engines none knows a null here but DuckDB
)

select
    events.event_id as event_id,
    events.position as seq,
    occurred_at as "timestamp",
    event_type as "type",
    session_id,
    agent_name,
    model_id,
    contributor_type,
    intent_id,
    path,
    verdict,
    coalesce(classes.mutation_class, payload ->> '$.mutation_class') as class,
    coalesce(classes.label, payload ->> '$.label') as label,
    coalesce(
        case
            when event_type in ('gate.decided', 'gate.violation')
                then concat_ws(': ', payload ->> '$.code', payload ->> '$.reason')
            when event_type in ('intent.created', 'intent.changed', 'intent.completed')
                then
                    concat_ws(
                        ' ',
                        coalesce(payload ->> '$.after.status', 'removed'),
                        coalesce(payload ->> '$.after.name', payload ->> '$.before.name')
                    )
        end,
        case
            when event_type = 'mutation.classified'
                then concat_ws(' ', payload ->> '$.about', payload ->> '$.label', payload ->> '$.kind')
            when event_type = 'work.moved'
                then concat_ws(': ', payload ->> '$.state', payload ->> '$.reason', payload ->> '$.command')
        end,
        payload ->> '$.excerpt',
        payload ->> '$.command',
        payload ->> '$.title',
        payload ->> '$.error',
        payload ->> '$.reason',
        payload ->> '$.name',
        payload ->> '$.signal',
        payload ->> '$.source',
        payload ->> '$.revision',
        payload ->> '$.model_id',
        case event_type
            when 'ledger.lost' then 'acknowledged lines that are gone: ' || (payload ->> '$.lines')
            when 'ledger.missed' then 'events that could not be stored: ' || (payload ->> '$.events') || ', since ' || (payload ->> '$.since')
            when 'ledger.restored' then 'lines brought back from git''s folder: ' || (payload ->> '$.lines')
            when 'ledger.repaired'
                then
                    'unfinished write of '
                    || (payload ->> '$.bytes')
                    || ' bytes moved to '
                    || (payload ->> '$.quarantined')
        end,
        tool_name
    ) as summary
from v_events as events
left join v_mutation_classes as classes on classes.mutation_id = events.event_id
where events.position in (select position from chosen)
order by events.position desc;
