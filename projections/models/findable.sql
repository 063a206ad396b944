-- one row is one thing that can be asked for in plain words; of a change, one file of it
-- needs: mutation_files, prompts, decisions, decision_alternatives, intents, tool_requests, tool_outcomes, verdicts
-- needs: judged_paths, approvals, lessons, thoughts, recovery_points, sessions, token_usage, violations
with
changes as (
    select
        'change' as kind, event_id as id, position, occurred_at, session_id, intent_id, agent_name, model_id,
        contributor_type, path, path as what, concat_ws(' ', tool_name, from_path) as words, op as outcome,
        cast(null as bigint) as tokens
    from mutation_files
    where not snapshot and coalesce(part, 1) = 1
),

ways as (
    select decision_id, string_agg(concat_ws(' ', option_text, why_rejected), ' ' order by place) as words
    from decision_alternatives
    group by decision_id
),

decided as (
    select
        'decision' as kind, decisions.decision_id as id, position, occurred_at, session_id, intent_id,
        cast(null as varchar) as agent_name, cast(null as varchar) as model_id, contributor_type,
        array_to_string(cast(lines as varchar[]), ' ') as path, title as what,
        concat_ws(' ', rationale, ways.words) as words, status as outcome, cast(null as bigint) as tokens
    from decisions
    left join ways on ways.decision_id = decisions.decision_id
),

ended as (
    select
        coalesce(tool_call_id, event_id) as call_id, session_id, arg_max(status, position) as status,
        arg_max(exit_code, position) as exit_code, arg_max(error_message, position) as error_message
    from tool_outcomes
    group by coalesce(tool_call_id, event_id), session_id
),

denied as (
    select distinct tool_call_id, session_id
    from verdicts
    where verdict = 'deny'
),

-- what wrote a file stands among the changes, unless it failed; what was denied among the refusals
calls as (
    select
        case when runs_tests then 'test' when operation_name = 'read' then 'read' else 'command' end as kind,
        coalesce(asked.tool_call_id, event_id) as id, position, occurred_at, asked.session_id, intent_id, agent_name,
        model_id, 'ai' as contributor_type, path, coalesce(command, concat_ws(' ', tool_name, path)) as what,
        error_message as words,
        -- an agent may say that it completed what the tests say they failed in
        case when runs_tests and status = 'completed' and exit_code <> 0 then 'failed' else status end as outcome,
        cast(null as bigint) as tokens
    from tool_requests as asked
    left join ended
        on ended.call_id = coalesce(asked.tool_call_id, asked.event_id)
        and ended.session_id is not distinct from asked.session_id
    left join denied
        on denied.tool_call_id = asked.tool_call_id
        and denied.session_id is not distinct from asked.session_id
    where
        (operation_name not in ('write', 'edit', 'delete') or status = 'failed')
        and (denied.tool_call_id is null or status is not null)
),

judged as (
    select
        case verdict when 'deny' then 'refusal' else 'approval' end as kind, verdicts.verdict_id as id, verdicts.position, verdicts.occurred_at, verdicts.session_id,
        verdicts.intent_id, verdicts.agent_name, cast(null as varchar) as model_id, 'ai' as contributor_type,
        coalesce(judged_paths.path, asked.path) as path,
        concat_ws(' ', verdicts.reason_code, coalesce(asked.command, judged_paths.path, asked.path)) as what,
        verdicts.reason as words, verdict as outcome, cast(null as bigint) as tokens
    from verdicts
    left join judged_paths on judged_paths.verdict_id = verdicts.verdict_id and judged_paths.path_index = 1
    left join tool_requests as asked
        on asked.tool_call_id = verdicts.tool_call_id
        and asked.session_id is not distinct from verdicts.session_id
    where verdict <> 'allow'
),

used as (
    select
        session_id,
        sum(tokens)::bigint as tokens
    from token_usage
    group by session_id
),

things as (
    select * from changes
    union all
    select * from decided
    union all
    select * from calls
    union all
    select * from judged
    union all
    select
        'prompt', event_id, position, occurred_at, session_id, intent_id, agent_name, null, 'human', null,
        prompt_excerpt, null, null, null
    from prompts
    union all
    select
        'thought', event_id, position, occurred_at, session_id, intent_id, agent_name, model_id, 'ai', null,
        thought_excerpt, null, null, null
    from thoughts
    union all
    select
        'lesson', lesson_id, position, last_at, null, intent_id, null, null, null, path, title,
        concat_ws(' ', body, resolution, pattern, reason_code), source, null
    from lessons
    where not forgotten
    union all
    select
        'approval', event_id, position, occurred_at, session_id, intent_id, null, null, 'human', null,
        concat_ws(' ', action, tool_name), concat_ws(' ', reason, reason_code),
        answer, null
    from approvals
    union all
    select
        'violation', violation_id, position, occurred_at, session_id, intent_id, agent_name, null, 'ai', path,
        concat_ws(' ', reason_code, path), reason, null, null
    from violations
    union all
    select
        'recovery point', point_id, position, occurred_at, session_id, intent_id, agent_name, null, contributor_type,
        null, point_name, reason, null, null
    from recovery_points
    union all
    select
        'intent', intent_id, first_position, coalesce(completed_at, created_at, last_event_at), null, intent_id, null,
        null, null, null, title, concat_ws(' ', description, cast(scope as varchar)), status, null
    from intents
    union all
    select
        'session', sessions.session_id, first_position, coalesce(started_at, first_event_at), sessions.session_id,
        null, agent_name, model_id, 'ai', null, concat_ws(' ', agent_name, model_id, branch), null, null, tokens
    from sessions
    left join used on used.session_id = sessions.session_id
)

select
    things.kind,
    things.id,
    things.position,
    things.occurred_at,
    things.session_id,
    things.intent_id,
    coalesce(things.agent_name, sessions.agent_name) as agent_name,
    coalesce(things.model_id, sessions.model_id) as model_id,
    things.contributor_type,
    things.path,
    things.what,
    things.words,
    concat_ws(' ', intents.title, case when things.kind <> 'prompt' then said.prompt_excerpt end) as context,
    things.outcome,
    things.tokens
from things
left join intents on intents.intent_id = things.intent_id
left join sessions on sessions.session_id = things.session_id and things.contributor_type = 'ai'
asof left join prompts as said on said.session_id = things.session_id and said.position <= things.position;
