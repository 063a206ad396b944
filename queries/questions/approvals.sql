-- Who approved what, and after how long?
-- control: ASI09, PW.7
-- asked as: who approved, approved whom, approved how long, who let through, approve quick|fast|slow|wait|long
-- asked as: who approved|approve|allowed command
-- topic: the gate, and what went past it
-- param since?: only from this moment on
-- param until?: only before this moment
-- columns: human_id, rule_id, tool_name, count, median_seconds, decision, source, sessions, last_at
-- source person: answers to what linetrail asked; human_id is who answered, where that was recorded.
-- source agent, linetrail: calls that were allowed, or about which the agent asked in its own dialog (asked: what ran then
-- was let through, by whom nobody recorded). median_seconds: from question to answer, where both were recorded
with
given as (
    select
        human_id,
        reason_code as rule_id,
        tool_name,
        answer as decision,
        'person' as source,
        session_id,
        occurred_at,
        waited_seconds
    from v_approvals
    union all
    select
        null,
        coalesce(rule_id, reason_code),
        tool_name,
        case when verdict = 'ask' then 'asked' else 'allowed' end,
        source,
        session_id,
        occurred_at,
        null
    from v_verdicts
    where verdict in ('allow', 'ask')
),

-- what is grouped by must not be null to be joined again
keyed as (
    select
        given.*,
        coalesce(human_id, '') || ' ' || coalesce(rule_id, '') || ' ' || coalesce(tool_name, '') || ' '
        || decision || ' ' || coalesce(source, '') as group_key
    from given
    where ($since is null or occurred_at >= $since) and ($until is null or occurred_at < $until)
),

waits as (
    select
        group_key,
        waited_seconds,
        row_number() over (partition by group_key order by waited_seconds) as nth,
        count(*) over (partition by group_key) as n
    from keyed
    where waited_seconds is not null
),

-- one value in the middle, or two
medians as (
    select group_key, avg(waited_seconds) as median_seconds
    from waits
    where 2 * nth - n between 0 and 2
    group by group_key
)

select
    keyed.human_id,
    keyed.rule_id,
    keyed.tool_name,
    count(*) as count,
    medians.median_seconds,
    keyed.decision,
    keyed.source,
    count(distinct keyed.session_id) as sessions,
    max(keyed.occurred_at) as last_at
from keyed
left join medians on medians.group_key = keyed.group_key
group by
    keyed.group_key,
    keyed.human_id,
    keyed.rule_id,
    keyed.tool_name,
    keyed.decision,
    keyed.source,
    medians.median_seconds
order by count(*) desc, keyed.group_key;
