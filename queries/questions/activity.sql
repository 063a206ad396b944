-- What happened day by day: how many sessions, prompts, calls, changes, refusals, violations, decisions and lessons?
-- asked as: activity, overview, summarise, summarize, how busy, how busy agents, summary, activity day, activity by day, daily activity
-- topic: sessions, tools and cost
-- param kind?: only these
-- values kind: session, prompt, call, change, refusal, violation, decision, lesson
-- param since?: only from this moment on
-- param until?: only before this moment
-- columns: kind, day, count
-- a session counts on the day when it began, a lesson when it was learned last; a change as often as files changed, a
-- refusal also where it was only noted. day null: not known
with
happened as (
    select 'session' as kind, coalesce(started_at, first_event_at) as happened_at
    from v_sessions
    union all
    select 'prompt', occurred_at
    from v_prompts
    union all
    select 'call', started_at
    from v_tool_calls
    union all
    select 'change', occurred_at
    from v_mutations
    where not snapshot and coalesce(part, 1) = 1
    union all
    select 'refusal', occurred_at
    from v_verdicts
    where verdict = 'deny'
    union all
    select 'violation', occurred_at
    from v_violations
    union all
    select 'decision', occurred_at
    from v_decisions
    union all
    select 'lesson', last_at
    from v_lessons
)

select
    kind,
    substr(happened_at || '', 1, 10) as day,
    count(*) as count
from happened
where
    ($kind is null or kind = $kind)
    and ($since is null or happened_at >= $since)
    and ($until is null or happened_at < $until)
group by kind, substr(happened_at || '', 1, 10)
order by kind, day nulls last;
