-- one row is one mutation: the files that one event saw change
-- needs: ledger, mutation_files
-- types: mutation.observed
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "tool_call_id": "VARCHAR", "tool_name": "VARCHAR", "agent_id": "VARCHAR", "via": "VARCHAR",
                "user_modified": "BOOLEAN", "declared_class": "VARCHAR"
            }'
        ) as data
    from ledger
    where event_type = 'mutation.observed'
),

sums as (
    select
        position,
        count(*) as files,
        sum(lines_added)::bigint as lines_added,
        sum(lines_deleted)::bigint as lines_deleted
    from mutation_files
    group by position
)

select
    typed.position as position,
    event_id as mutation_id,
    occurred_at,
    session_id,
    agent.name as agent_name,
    agent.model_id as model_id,
    intent_id,
    contributor_type,
    vcs.revision as vcs_revision,
    data.tool_call_id as tool_call_id,
    data.tool_name as tool_name,
    data.via as via,
    data.agent_id as agent_id,
    data.user_modified as user_modified,
    data.declared_class as declared_class,
    coalesce(files, 0) as files,
    lines_added,
    lines_deleted
from typed
left join sums on sums.position = typed.position
order by typed.position;
