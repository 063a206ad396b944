-- One row is one answer of a person to what the gate had asked.
-- words: approval
-- also: request, call, command, edit, change, write
-- figures: seconds
-- verbs: approve, reject, ask, request, answer, widen, extend, broaden, become, became, turn
-- status=approved: approve, approved, grant, granted, given, allow, allowed, permit, permitted
-- status=rejected: reject, rejected, rejecting, rejection, deny, denied, refuse, refused
-- status=deferred: defer, deferred, postpone
-- status=revoked: revoke, revoked, withdrawn, withdraw
-- kind=once: once
-- kind=scope: scope
-- kind=session: sessionwide
select
    approvals.approval_id as id,
    approvals.occurred_at as happened_at,
    sessions.agent_name as agent,
    sessions.model_id as model,
    approvals.intent_id as intent,
    approvals.session_id as session,
    approvals.human_id as person,
    approvals.human_id as who,
    'human' as contributor,
    approvals.tool_name as tool,
    tools.operation_name as operation,
    approvals.answer as status,
    approvals.extent as kind,
    approvals.reason_code as code,
    approvals.action as what,
    approvals.reason,
    approvals.waited_seconds as seconds
from v_approvals as approvals
left join (
    select tool_name, max(operation_name) as operation_name
    from v_tool_calls
    group by tool_name
) as tools on tools.tool_name = approvals.tool_name
left join v_sessions as sessions on sessions.session_id = approvals.session_id
