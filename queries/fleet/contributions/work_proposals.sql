-- calls of agents that would write, edit or delete a file and that the gate let pass, each with one outcome
with
written as (
    select session_id, tool_call_id, bool_or(user_modified) as changed
    from v_mutations
    where tool_call_id is not null
    group by session_id, tool_call_id
),

stopped as (
    select session_id, tool_call_id, bool_or(source = 'linetrail') as by_gate
    from v_verdicts
    where verdict in ('deny', 'ask') and tool_call_id is not null
    group by session_id, tool_call_id
),

proposals as (
    select
        calls.*,
        case
            when written.changed then 'changed'
            when written.session_id is not null or calls.status = 'completed' then 'accepted'
            when calls.interrupted or stopped.session_id is not null then 'rejected'
            when calls.status = 'failed' then 'failed'
            else 'unfinished'
        end as outcome
    from v_tool_calls as calls
    left join written on written.session_id = calls.session_id and written.tool_call_id = calls.tool_call_id
    left join stopped on stopped.session_id = calls.session_id and stopped.tool_call_id = calls.tool_call_id
    where calls.operation_name in ('write', 'edit', 'delete') and not coalesce(stopped.by_gate, false)
)

select
    strftime(proposals.started_at, '%Y-%m') as month,  -- month of the call, UTC
    owners.owner as owner,                             -- team that owns the file, by CODEOWNERS
    proposals.agent_name as agent_name,                -- product
    proposals.model_id as model_id,                    -- model
    subjects.change_class as change_class,             -- what most changes of its session were
    proposals.intent_id as intent_id,                  -- intent that was selected
    writers.person as person,
    count(*) as proposed,                                            -- proposals
    count(*) filter (where outcome = 'accepted') as accepted,        -- of them made as proposed
    count(*) filter (where outcome = 'changed') as changed,          -- of them changed by a person first
    count(*) filter (where outcome = 'rejected') as rejected,        -- of them rejected by a person, or in the agent's dialog
    count(*) filter (where outcome = 'failed') as failed,            -- of them failed
    count(*) filter (where outcome = 'unfinished') as unfinished     -- of them without an end
from proposals
left join path_owners as owners on owners.path = proposals.path
left join session_subjects as subjects on subjects.session_id = proposals.session_id
left join writers on proposals.position between writers.first_position and writers.last_position
group by all;
