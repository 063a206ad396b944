-- One row is one judgement of the gate about a call.
-- words: verdict, judgement, gate
-- also: call, command, request, edit, write, read, decision
-- words status=deny: refusal, denial
-- verbs: refuse, deny, block, allow, judge, stop, raise, trigger, occur, hit, target, meet, met, suffer
-- status=deny: deny, denied, refuse, refused, block, blocked, stop, stopped, forbid, forbidden, refusal, denial
-- status=allow: allow, allowed, permit, permitted, ran, executed
-- status=ask: ask, asked
-- operation=shell: shell, terminal, command
-- operation=read: read
-- operation=write: write, edit
-- operation=edit: edit, write
-- effect=noted: observe, note, unenforced
-- effect=enforced: enforce, effective
-- mode=observe: observing
-- mode=block: blocking
-- source=agent: agentpermission
-- code=APPROVAL_PENDING: pending
-- class=destructive: destructive
-- class=dangerous: dangerous
select
    verdicts.verdict_id as id,
    verdicts.occurred_at as happened_at,
    verdicts.agent_name as agent,
    sessions.model_id as model,
    verdicts.intent_id as intent,
    verdicts.session_id as session,
    'ai' as contributor,
    verdicts.agent_name as who,
    verdicts.tool_name as tool,
    coalesce(calls.operation_name, tools.operation_name) as operation,
    verdicts.verdict as status,
    verdicts.reason_code as code,
    verdicts.reason,
    verdicts.act as kind,
    verdicts.source,
    verdicts.mode,
    verdicts.command_class as class,
    case when verdicts.enforced then 'enforced' when not verdicts.enforced then 'noted' end as effect,
    judged.file,
    calls.command as program,
    coalesce(calls.command, calls.tool_name || coalesce(' ' || calls.path, ''), verdicts.tool_name) as what
from v_verdicts as verdicts
left join v_sessions as sessions on sessions.session_id = verdicts.session_id
left join v_tool_calls as calls on calls.tool_call_id = verdicts.tool_call_id
-- a call that was refused before it was seen has a tool alone
left join (
    select tool_name, min(operation_name) as operation_name
    from v_tool_calls
    group by tool_name
) as tools on tools.tool_name = verdicts.tool_name
left join (
    select verdict_id, string_agg(path, chr(10) order by path_index) as file
    from v_judged_paths
    group by verdict_id
) as judged on judged.verdict_id = verdicts.verdict_id
