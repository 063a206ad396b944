-- one row is one tool call: what was asked for first, how it ended last
-- needs: tool_requests, tool_outcomes
with
requests as (
    select
        *,
        coalesce(tool_call_id, event_id) as call_key,
        row_number() over (partition by coalesce(tool_call_id, event_id), session_id order by position) as nth
    from tool_requests
),

outcomes as (
    select
        *,
        coalesce(tool_call_id, event_id) as call_key,
        row_number() over (partition by coalesce(tool_call_id, event_id), session_id order by position desc) as nth
    from tool_outcomes
),

asked as (select * from requests where nth = 1),

ended as (select * from outcomes where nth = 1)

select
    coalesce(asked.position, ended.position) as position,
    coalesce(asked.call_key, ended.call_key) as tool_call_id,
    coalesce(asked.session_id, ended.session_id) as session_id,
    coalesce(asked.intent_id, ended.intent_id) as intent_id,
    coalesce(asked.agent_name, ended.agent_name) as agent_name,
    coalesce(asked.model_id, ended.model_id) as model_id,
    coalesce(asked.vcs_revision, ended.vcs_revision) as vcs_revision,
    asked.prompt_id as prompt_id,
    coalesce(asked.agent_id, ended.agent_id) as agent_id,
    coalesce(asked.agent_type, ended.agent_type) as agent_type,
    coalesce(asked.tool_name, ended.tool_name) as tool_name,
    coalesce(asked.operation_name, ended.operation_name) as operation_name,
    asked.path as path,
    asked.command as command,
    asked.input_hash as input_hash,
    asked.permission_mode as permission_mode,
    asked.occurred_at as started_at,
    ended.occurred_at as ended_at,
    ended.status as status,
    ended.duration_ms as duration_ms,
    ended.exit_code as exit_code,
    ended.output_hash as output_hash,
    ended.interrupted as interrupted,
    ended.error_message as error_message
from asked
full join ended
    on ended.call_key = asked.call_key
    and ended.session_id is not distinct from asked.session_id;
