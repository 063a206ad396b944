-- Which commands that are hard to undo ran without anybody's approval?
-- control: ASI02, ASI05
-- asked as: dangerous command nobody, dangerous command without|no approval
-- asked as: destructive command unapproved, unapproved command, hard to undo
-- how many: command
-- topic: the gate, and what went past it
-- param since?: only commands from this moment on
-- param class?: dangerous is hard to undo (if not told); destructive is whatever is not shown to only read
-- values class: dangerous, destructive
-- columns: tool_call_id, command, verdict, source, human_id, command_class, basis, status, agent_name, session_id, permission_mode, started_at
-- basis gate: the gate had classed the command; words: it was never judged, and has words such as rm -rf in it.
-- It counts as approved where a person was asked and it ran, or an approval let it through. What was stopped did not run;
-- status null: no end was seen. human_id: whose session it was
with
verdicts as (
    select
        session_id,
        tool_call_id,
        verdict,
        source,
        command_class,
        row_number() over (partition by session_id, tool_call_id order by position desc) as nth,
        max(case when verdict = 'ask' then 1 else 0 end) over (partition by session_id, tool_call_id) as was_asked,
        max(case when approval_id is not null and verdict = 'allow' then 1 else 0 end)
            over (partition by session_id, tool_call_id) as was_approved,
        max(case when verdict = 'deny' and coalesce(enforced, source = 'agent') then 1 else 0 end)
            over (partition by session_id, tool_call_id) as was_stopped
    from v_verdicts
    where tool_call_id is not null
),

classed as (
    select session_id, tool_call_id, max(command_class) as command_class
    from v_verdicts
    where command_class is not null
    group by session_id, tool_call_id
),

commands as (
    select
        calls.*,
        coalesce(
            classed.command_class,
            case
                when lower(calls.command) like '%rm -rf %'
                    or lower(calls.command) like '%rm -fr %'
                    or lower(calls.command) like '%rm -r -f %'
                    or lower(calls.command) like '%git push%--force%'
                    or lower(calls.command) like '%git push% -f%'
                    or lower(calls.command) like '%git reset --hard%'
                    or lower(calls.command) like '%git clean -%f%'
                    or lower(calls.command) like '%git checkout -- %'
                    or lower(calls.command) like '%git branch -d %'
                    or lower(calls.command) like '%git stash drop%'
                    or lower(calls.command) like '%drop table %'
                    or lower(calls.command) like '%drop database %'
                    or lower(calls.command) like '%truncate table %'
                    or lower(calls.command) like '%mkfs%'
                    or lower(calls.command) like '%dd if=%'
                    or lower(calls.command) like '%terraform destroy%'
                    or lower(calls.command) like '%kubectl delete %'
                    then 'dangerous'
            end
        ) as command_class,
        case when classed.command_class is not null then 'gate' else 'words' end as basis
    from v_tool_calls as calls
    left join classed on classed.tool_call_id = calls.tool_call_id and classed.session_id = calls.session_id
    where calls.command is not null and ($since is null or calls.started_at >= $since)
)

select
    commands.tool_call_id,
    commands.command,
    verdicts.verdict,
    verdicts.source,
    sessions.human_id,
    commands.command_class,
    commands.basis,
    commands.status,
    commands.agent_name,
    commands.session_id,
    commands.permission_mode,
    commands.started_at
from commands
left join verdicts
    on verdicts.tool_call_id = commands.tool_call_id
    and verdicts.session_id = commands.session_id
    and verdicts.nth = 1
left join v_sessions as sessions on sessions.session_id = commands.session_id
where
    (commands.command_class = 'dangerous' or commands.command_class = coalesce($class, 'dangerous'))
    and coalesce(verdicts.was_asked, 0) = 0
    and coalesce(verdicts.was_approved, 0) = 0
    and (commands.status is not null or coalesce(verdicts.was_stopped, 0) = 0)
order by commands.position, commands.tool_call_id;
