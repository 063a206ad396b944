-- How many calls were judged, refused, only noted, and let through by a person after all?
-- asked as: refused let through, gate outcome, outcome of gate, refusals overridden
-- topic: the gate, and what went past it
-- param since?: only verdicts from this moment on
-- param until?: only verdicts before this moment
-- columns: outcome, verdicts, sessions, last_at
-- noted: would have been refused, where the gate only observes. overridden: refused, and a person then said yes to the request
-- that the refusal had named; what happened without a yes is @denied_but_executed
with
judged as (
    select
        verdict_id,
        session_id,
        occurred_at,
        verdict,
        coalesce(enforced, true) as enforced,
        exists (
            select 1
            from v_approvals as answers
            where
                answers.approval_id = verdicts.approval_id
                and answers.answer = 'approved'
                and answers.position > verdicts.position
        ) as overridden
    from v_verdicts as verdicts
    where ($since is null or occurred_at >= $since) and ($until is null or occurred_at < $until)
),

outcomes as (
    select 1 as place, 'judged' as outcome, session_id, occurred_at
    from judged
    union all
    select 2, 'asked a person', session_id, occurred_at
    from judged
    where verdict = 'ask'
    union all
    select 3, 'noted', session_id, occurred_at
    from judged
    where verdict = 'deny' and not enforced
    union all
    select 4, 'refused', session_id, occurred_at
    from judged
    where verdict = 'deny' and enforced
    union all
    select 5, 'overridden', session_id, occurred_at
    from judged
    where verdict = 'deny' and enforced and overridden
)

select
    outcome,
    count(*) as verdicts,
    count(distinct session_id) as sessions,
    max(occurred_at) as last_at
from outcomes
group by place, outcome
order by place;
