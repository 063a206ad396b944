-- How many proposals of agents were accepted, changed first, or rejected by people?
-- control: ASI09
-- asked as: many proposal rejected|accepted
-- asked as: acceptance, accept proposal|suggestion|edit|change, accepted rejected
-- asked as: proposal|suggestion|edit rejected people|human|person, proposal changed before, acceptance rate
-- topic: changes
-- param by?: agent, model, intent, session, month or total (if not told)
-- values by: agent, model, intent, session, month, total
-- param since?: only proposals from this moment on
-- param until?: only proposals before this moment
-- param agent?: only of agents whose name has this in it
-- param model?: only of models whose name has this in it
-- param intent?: only for this intent
-- columns: dim, proposed, accepted, changed, rejected, acceptance_pct, refused, failed, unfinished
-- a proposal is a call that writes, edits or deletes a file, each in one of the other columns. changed: a person changed it
-- before accepting it; rejected: by a person, or in the agent's own dialog or by its rules; refused: by the gate, and no
-- person. acceptance_pct: accepted and changed of these and the rejected; null: none was either. docs/metrics.md
with
written as (
    select
        session_id,
        tool_call_id,
        max(case when user_modified then 1 else 0 end) as changed
    from v_mutations
    where tool_call_id is not null
    group by session_id, tool_call_id
),

denied as (
    select
        verdicts.session_id as session_id,
        verdicts.tool_call_id as tool_call_id,
        max(case when verdicts.source = 'agent' or not approvals.approved then 1 else 0 end) as by_person
    from v_verdicts as verdicts
    left join v_approvals as approvals on approvals.approval_id = verdicts.approval_id
    where verdicts.verdict in ('deny', 'ask') and coalesce(verdicts.enforced, true)
    group by verdicts.session_id, verdicts.tool_call_id
),

proposals as (
    select
        case $by
            when 'agent' then calls.agent_name
            when 'model' then calls.model_id
            when 'intent' then calls.intent_id
            when 'session' then calls.session_id
            when 'month' then substr(calls.started_at || '', 1, 7)
        end as dim,
        case
            when written.changed = 1 then 'changed'
            when written.changed = 0 or calls.status = 'completed' then 'accepted'
            when calls.interrupted or denied.by_person = 1 then 'rejected'
            when denied.by_person = 0 then 'refused'
            when calls.status = 'failed' then 'failed'
            else 'unfinished'
        end as outcome
    from v_tool_calls as calls
    left join written on written.session_id = calls.session_id and written.tool_call_id = calls.tool_call_id
    left join denied on denied.session_id = calls.session_id and denied.tool_call_id = calls.tool_call_id
    where
        calls.operation_name in ('write', 'edit', 'delete')
        and ($since is null or calls.started_at >= $since)
        and ($until is null or calls.started_at < $until)
        and ($agent is null or lower(calls.agent_name) like '%' || lower($agent) || '%')
        and ($model is null or lower(calls.model_id) like '%' || lower($model) || '%')
        and ($intent is null or calls.intent_id = $intent)
),

sums as (
    select
        dim,
        count(*) as proposed,
        sum(case when outcome = 'accepted' then 1 else 0 end) as accepted,
        sum(case when outcome = 'changed' then 1 else 0 end) as changed,
        sum(case when outcome = 'rejected' then 1 else 0 end) as rejected,
        sum(case when outcome = 'refused' then 1 else 0 end) as refused,
        sum(case when outcome = 'failed' then 1 else 0 end) as failed,
        sum(case when outcome = 'unfinished' then 1 else 0 end) as unfinished
    from proposals
    group by dim
)

select
    dim,
    proposed,
    cast(accepted as bigint) as accepted,
    cast(changed as bigint) as changed,
    cast(rejected as bigint) as rejected,
    round(100.0 * (accepted + changed) / nullif(accepted + changed + rejected, 0), 1) as acceptance_pct,
    cast(refused as bigint) as refused,
    cast(failed as bigint) as failed,
    cast(unfinished as bigint) as unfinished
from sums
order by proposed desc, dim nulls last;
