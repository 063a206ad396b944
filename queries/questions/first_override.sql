-- How long until a person first changes or takes away a line of what an agent wrote?
-- control: ASI09
-- asked as: first override, time override, how long until person|people|human change, until person|people|human change code|override
-- asked as: soon override|change|correct, until first override|change|correct person|people|human
-- topic: lines
-- param by?: agent, model, intent, session or total (if not told)
-- values by: agent, model, intent, session, total
-- param since?: only changes from this moment on
-- param until?: only changes before this moment
-- param agent?: only of agents whose name has this in it
-- param model?: only of models whose name has this in it
-- param intent?: only for this intent
-- columns: dim, changes, overridden, pct, median_hours, shortest_hours, longest_hours, by_unknown
-- one change counts once, from when it was written to the first of its lines that a person was seen changing. median_hours:
-- half of the overridden changes lasted no longer; the others are in no time. by_unknown: of a change that no person was
-- seen overriding, a line went while nobody was looking. docs/metrics.md
with
changes as (
    select
        born_event,
        case $by
            when 'agent' then agent_name
            when 'model' then model_id
            when 'intent' then intent_id
            when 'session' then session_id
        end as dim,
        min(case when killed_by_type = 'human' then died_epoch - born_epoch end) as seconds,
        max(case when killed_by_type = 'unknown' then 1 else 0 end) as unknown
    from v_line_spans
    where
        contributor_type = 'ai'
        and born_event is not null
        and ($since is null or born_at >= $since)
        and ($until is null or born_at < $until)
        and ($agent is null or lower(agent_name) like '%' || lower($agent) || '%')
        and ($model is null or lower(model_id) like '%' || lower($model) || '%')
        and ($intent is null or intent_id = $intent)
    group by born_event, dim
),

placed as (
    select
        dim,
        seconds,
        unknown,
        row_number() over (partition by dim order by seconds nulls last, born_event) as place,
        count(seconds) over (partition by dim) as overridden
    from changes
),

sums as (
    select
        dim,
        count(*) as changes,
        max(overridden) as overridden,
        min(case when 2 * place >= overridden and seconds is not null then seconds end) as median,
        min(seconds) as shortest,
        max(seconds) as longest,
        sum(case when seconds is null then unknown else 0 end) as by_unknown
    from placed
    group by dim
)

select
    dim,
    changes,
    overridden,
    round(100.0 * overridden / changes, 1) as pct,
    round(median / 3600.0, 1) as median_hours,
    round(shortest / 3600.0, 1) as shortest_hours,
    round(longest / 3600.0, 1) as longest_hours,
    cast(by_unknown as bigint) as by_unknown
from sums
order by changes desc, dim nulls last;
