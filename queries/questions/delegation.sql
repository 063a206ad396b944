-- Which subagents and sub-sessions wrote what for whom?
-- control: ASI07
-- asked as: subagent, hand on session
-- how many: subagent
-- topic: sessions, tools and cost
-- param session?: only what this session handed on, by the first characters of its id
-- columns: parent, child, agent_type, mutations, kind, tool_calls, lines_added, first_at, last_at
-- kind subagent: acts inside of the session, as the agent says; session: a session that says which one started it
with
calls as (
    select
        session_id,
        agent_id,
        max(agent_type) as agent_type,
        count(*) as tool_calls,
        min(started_at) as first_at,
        max(coalesce(ended_at, started_at)) as last_at
    from v_tool_calls
    where agent_id is not null
    group by session_id, agent_id
),

changes as (
    select
        session_id,
        agent_id,
        count(distinct mutation_id) as mutations,
        cast(sum(lines_added) as bigint) as lines_added
    from v_mutations
    where agent_id is not null
    group by session_id, agent_id
),

session_lines as (
    select session_id, cast(sum(lines_added) as bigint) as lines_added
    from v_mutations
    where contributor_type = 'ai'
    group by session_id
),

handed_on as (
    select
        calls.session_id as parent,
        calls.agent_id as child,
        calls.agent_type as agent_type,
        coalesce(changes.mutations, 0) as mutations,
        'subagent' as kind,
        calls.tool_calls as tool_calls,
        changes.lines_added as lines_added,
        calls.first_at as first_at,
        calls.last_at as last_at
    from calls
    left join changes on changes.session_id = calls.session_id and changes.agent_id = calls.agent_id
    union all
    select
        sessions.parent_session_id,
        sessions.session_id,
        sessions.agent_name,
        sessions.mutations,
        'session',
        sessions.tool_requests,
        session_lines.lines_added,
        sessions.first_event_at,
        sessions.last_event_at
    from v_sessions as sessions
    left join session_lines on session_lines.session_id = sessions.session_id
    where sessions.parent_session_id is not null
)

select parent, child, agent_type, mutations, kind, tool_calls, lines_added, first_at, last_at
from handed_on
where $session is null or substr(parent, 1, length($session)) = $session
order by first_at nulls last, parent, child;
