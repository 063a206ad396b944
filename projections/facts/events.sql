-- one row is one event
-- needs: ledger
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "tool_call_id": "VARCHAR", "tool_name": "VARCHAR", "agent_id": "VARCHAR",
                "targets": [{"path": "VARCHAR", "role": "VARCHAR"}], "verdict": "VARCHAR",
                "files": [{"path": "VARCHAR"}], "paths": [{"path": "VARCHAR"}], "dialect": "VARCHAR"
            }'
        ) as data
    from ledger
)

select
    position,
    event_id,
    occurred_at,
    event_type,
    session_id,
    agent.name as agent_name,
    agent.version as agent_version,
    agent.model_id as model_id,
    contributor_type,
    intent_id,
    vcs.type as vcs_type,
    vcs.revision as vcs_revision,
    vcs.branch as branch,
    vcs.dirty as dirty,
    data.tool_call_id as tool_call_id,
    data.tool_name as tool_name,
    data.agent_id as agent_id,
    coalesce(data.targets[1].path, data.files[1].path, data.paths[1].path) as path,
    data.verdict as verdict,
    data.dialect as source,
    schema_version,
    prev_hash,
    payload
from typed;
