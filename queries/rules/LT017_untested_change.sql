-- Code was changed in a session that neither touched nor ran a test
-- id: LT017
-- level: low
-- control: SSDF PW.8
-- message: {path} was changed by {agent_name}, and no test in that session
-- remedy: linetrail log --session {session_id}; add or run the tests of {path}
-- why: What no test met is proved by nobody.
-- example: A session edits `src/tax.py`, reads three files, and ends.
-- silent: for prose, data and settings, and for tests themselves
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at
with
changed as (
    select *, lower(path) as place
    from v_mutations
    where contributor_type = 'ai' and coalesce(part, 1) = 1 and session_id is not null
),

tested as (
    select session_id
    from changed
    where place like '%test%' or place like '%spec%'
    union
    select session_id
    from v_tool_calls
    where lower(command) like '%test%' or lower(command) like '%spec%' or lower(command) like '%make check%'
),

code as (
    select *
    from changed
    where
        op <> 'delete'
        and place not like '%test%'
        and place not like '%spec%'
        and (
            place like '%.py'
            or place like '%.js'
            or place like '%.jsx'
            or place like '%.mjs'
            or place like '%.ts'
            or place like '%.tsx'
            or place like '%.go'
            or place like '%.rs'
            or place like '%.java'
            or place like '%.kt'
            or place like '%.scala'
            or place like '%.c'
            or place like '%.h'
            or place like '%.cc'
            or place like '%.cpp'
            or place like '%.hpp'
            or place like '%.cs'
            or place like '%.rb'
            or place like '%.php'
            or place like '%.swift'
            or place like '%.lua'
            or place like '%.sql'
        )
)

select
    code.position,
    code.path,
    code.start_line as line,
    code.end_line,
    -- once for each file and session, however often it was edited
    code.session_id as anchor,
    code.session_id,
    code.intent_id,
    code.agent_name,
    code.mutation_id as event_id,
    code.occurred_at
from code
where
    not exists (
        select 1
        from tested
        where tested.session_id = code.session_id
    )
    and ($since is null or code.occurred_at >= $since)
order by code.position, code.path;
