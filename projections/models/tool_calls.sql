-- one row is one tool call: what was asked for first, how it ended last
-- needs: tool_requests, tool_outcomes, prompts
-- by: session_id
with
asked as (
    select coalesce(tool_call_id, event_id) as call_key, session_id, min(position) as position
    from tool_requests
    group by coalesce(tool_call_id, event_id), session_id
),

ended as (
    select coalesce(tool_call_id, event_id) as call_key, session_id, max(position) as position
    from tool_outcomes
    group by coalesce(tool_call_id, event_id), session_id
),

calls as (
    select
        coalesce(asked.call_key, ended.call_key) as tool_call_id,
        coalesce(asked.session_id, ended.session_id) as session_id,
        asked.position as asked_position,
        ended.position as ended_position
    from asked
    full join ended
        on ended.call_key = asked.call_key
        and ended.session_id is not distinct from asked.session_id
)

select
    coalesce(asked_position, ended_position) as position,
    prompts.turn as turn,
    calls.tool_call_id as tool_call_id,
    calls.session_id as session_id,
    coalesce(requests.intent_id, outcomes.intent_id) as intent_id,
    coalesce(requests.agent_name, outcomes.agent_name) as agent_name,
    coalesce(requests.model_id, outcomes.model_id) as model_id,
    coalesce(requests.vcs_revision, outcomes.vcs_revision) as vcs_revision,
    requests.prompt_id as prompt_id,
    coalesce(requests.agent_id, outcomes.agent_id) as agent_id,
    coalesce(requests.agent_type, outcomes.agent_type) as agent_type,
    coalesce(requests.tool_name, outcomes.tool_name) as tool_name,
    coalesce(requests.operation_name, outcomes.operation_name) as operation_name,
    requests.path as path,
    requests.command as command,
    requests.cwd as cwd,
    requests.input_hash as input_hash,
    requests.permission_mode as permission_mode,
    requests.occurred_at as started_at,
    outcomes.occurred_at as ended_at,
    outcomes.status as status,
    outcomes.duration_ms as duration_ms,
    outcomes.exit_code as exit_code,
    outcomes.output_hash as output_hash,
    outcomes.interrupted as interrupted,
    case
        when outcomes.status = 'completed' then null
        when outcomes.interrupted then 'interrupted'
        when outcomes.exit_code is not null then 'exit ' || outcomes.exit_code
        when outcomes.status = 'failed'
            then coalesce(nullif(regexp_extract(outcomes.error_message, '\b\w*(Error|Exception)\b'), ''), 'other')
    end as error_type,
    outcomes.error_message as error_message
from calls
left join tool_requests as requests on requests.position = asked_position
left join tool_outcomes as outcomes on outcomes.position = ended_position
asof left join prompts
    on prompts.session_id = calls.session_id and prompts.position <= coalesce(asked_position, ended_position);
