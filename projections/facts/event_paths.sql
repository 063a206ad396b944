-- one row is one file that an event names
-- needs: judged_paths, ledger, mutation_files, stated_lines
-- types: agent.signalled, authorship.stated, commit.observed, gate.decided, mutation.observed, tool.requested
with
requests as (
    select
        position,
        event_id,
        unnest(json_transform(payload, '{"targets": [{"path": "VARCHAR", "role": "VARCHAR"}]}').targets) as target
    from ledger
    where event_type = 'tool.requested'
),

committed as (
    select position, event_id, unnest(json_transform(payload, '{"files": ["VARCHAR"]}').files) as path
    from ledger
    where event_type = 'commit.observed'
),

signalled as (
    select position, event_id, payload ->> '$.path' as path
    from ledger
    where event_type = 'agent.signalled'
),

named as (
    select position, event_id, path, 'signal' as role
    from signalled
    union all
    select position, event_id, target.path as path, target.role as role
    from requests
    union all
    select position, event_id, path, op
    from mutation_files
    union all
    select position, event_id, from_path, 'from'
    from mutation_files
    union all
    select position, event_id, path, 'commit'
    from committed
    union all
    select position, event_id, path, 'note'
    from stated_lines
    union all
    select position, verdict_id, path, 'judged'
    from judged_paths
)

select distinct position, event_id, path, role
from named
where path is not null
order by position, path, role;
