-- Which conversation and which prompt led to this line?
-- asked as: why line, why line look like, which prompt line, which conversation line
-- asked as: conversation|prompt|session produced|led|behind|created|wrote line
-- topic: lines
-- lines of: path
-- param path: file, relative to the repository
-- param line: number of the line at HEAD, from 1
-- columns: prompt_excerpt, turn, conversation_url, session_id, native_session_id, agent_name, prompt_at, written_at, event_id
-- the prompt that the call says it answers, else the last one of its session before the change; null: none was recorded
with
line as (
    select
        blamed.session_id as session_id,
        blamed.agent_name as agent_name,
        blamed.event_id as event_id,
        blamed.written_at as written_at,
        events.position as position,
        calls.prompt_id as prompt_id
    from v_blame_lines as blamed
    left join v_events as events on events.event_id = blamed.event_id
    left join v_tool_calls as calls
        on calls.tool_call_id = blamed.tool_call_id and calls.session_id = blamed.session_id
    where blamed.path = $path and blamed.line_no = cast($line as bigint) and blamed.session_id is not null
),

ranked as (
    select
        prompts.turn as turn,
        prompts.prompt_excerpt as prompt_excerpt,
        prompts.occurred_at as prompt_at,
        row_number() over (
            order by case when prompts.prompt_id = line.prompt_id then 0 else 1 end, prompts.position desc
        ) as nth
    from line
    inner join v_prompts as prompts
        on prompts.session_id = line.session_id and prompts.position < line.position
)

select
    ranked.prompt_excerpt,
    ranked.turn,
    sessions.conversation_url,
    line.session_id,
    sessions.native_session_id,
    line.agent_name,
    ranked.prompt_at,
    line.written_at,
    line.event_id
from line
left join v_sessions as sessions on sessions.session_id = line.session_id
left join ranked on ranked.nth = 1;
