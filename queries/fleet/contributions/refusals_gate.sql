-- calls that the gate stopped or asked a person about, or would have, and what became of them
with
refused as (
    select
        verdicts.*,
        exists (
            select 1
            from v_approvals as answers
            where
                answers.approval_id = verdicts.approval_id
                and answers.answer = 'approved'
                and answers.position > verdicts.position
        ) as let_through,
        exists (
            select 1
            from v_violations as violations
            where violations.verdict_id = verdicts.verdict_id
        ) as done_anyway,
        exists (
            select 1
            from v_tool_calls as later
            where
                later.session_id = verdicts.session_id
                and later.tool_name = verdicts.tool_name
                and later.position > verdicts.position
                and later.status = 'completed'
        ) as another_way
    from v_verdicts as verdicts
    where verdicts.verdict in ('deny', 'ask') and verdicts.source = 'linetrail'
)

select
    strftime(refused.occurred_at, '%Y-%m') as month,  -- month of the refusal, UTC
    refused.reason_code as reason_code,               -- reason as a stable word
    refused.agent_name as agent_name,                 -- product
    owners.owner as owner,                            -- team that owns the file, by CODEOWNERS
    writers.person as person,
    count(*) as refusals,                                                            -- refusals, and questions to a person
    count(*) filter (where not coalesce(enforced, true)) as only_noted,              -- of them noted where the gate only observes
    count(*) filter (where coalesce(enforced, true) and let_through) as let_through, -- of the others a person said yes to
    count(*) filter (where coalesce(enforced, true) and not let_through and done_anyway) as done_anyway,  -- happened without a yes
    count(*) filter (where coalesce(enforced, true) and not let_through and not done_anyway and another_way) as another_way,  -- the same tool went on with something else
    count(*) filter (where coalesce(enforced, true) and not let_through and not done_anyway and not another_way) as given_up  -- nothing followed
from refused
left join v_tool_calls as calls on calls.session_id = refused.session_id and calls.tool_call_id = refused.tool_call_id
left join path_owners as owners on owners.path = calls.path
left join writers on refused.position between writers.first_position and writers.last_position
group by all;
