-- What came of each session: its calls, refusals, changes, tokens and cost, and which session started it?
-- asked as: list|show|overview session, became|come|came of session
-- topic: sessions, tools and cost
-- param session?: only this session
-- param since?: only sessions that went on at this moment or later
-- param until?: only sessions that had begun before this moment
-- columns: session_id, parent_session_id, agent_name, model_id, first_event_at, last_event_at, prompts, calls, refusals, mutations, files, lines_added, lines_deleted, tokens, cost_microusd, prompt_excerpt
-- lines are null where only hashes were recorded, cost_microusd is null where no price is known. prompt_excerpt: the first one
with
refused as (
    select session_id, count(*) as refusals
    from v_verdicts
    where verdict = 'deny'
    group by session_id
),

changed as (
    select
        session_id,
        count(distinct path) as files,
        cast(sum(lines_added) as bigint) as lines_added,
        cast(sum(lines_deleted) as bigint) as lines_deleted
    from v_mutations
    group by session_id
),

spent as (
    select
        session_id,
        cast(sum(tokens) as bigint) as tokens,
        cast(sum(cost_microusd) as bigint) as cost_microusd
    from v_token_usage
    group by session_id
),

begun as (
    select session_id, min(position) as position
    from v_prompts
    group by session_id
)

select
    sessions.session_id,
    sessions.parent_session_id,
    sessions.agent_name,
    sessions.model_id,
    sessions.first_event_at,
    sessions.last_event_at,
    sessions.prompts,
    sessions.tool_requests as calls,
    coalesce(refused.refusals, 0) as refusals,
    sessions.mutations,
    coalesce(changed.files, 0) as files,
    changed.lines_added,
    changed.lines_deleted,
    spent.tokens,
    spent.cost_microusd,
    prompts.prompt_excerpt
from v_sessions as sessions
left join refused on refused.session_id = sessions.session_id
left join changed on changed.session_id = sessions.session_id
left join spent on spent.session_id = sessions.session_id
left join begun on begun.session_id = sessions.session_id
left join v_prompts as prompts on prompts.position = begun.position
where
    ($session is null or sessions.session_id = $session)
    and ($since is null or sessions.last_event_at >= $since)
    and ($until is null or sessions.first_event_at < $until)
order by sessions.last_position desc;
