-- How many of the lines that an agent wrote did a person change or take away?
-- control: ASI09
-- asked as: line later changed|rewritten|edited people|human|person
-- asked as: people|human|person correct|fix|change|edit|rewrite|redo code|line, people rewrite agent
-- asked as: human override, override, people change agent line, human replaced ai overwritten by people
-- asked as: person change agent wrote, fix|fixed|repair|repaired|corrected after agent|ai
-- asked as: people|human|person fix|fixed|repair agent|ai, file people fix agent wrote
-- topic: lines
-- param since?: only lines that were written from this moment on
-- param until?: only lines that were written before this moment
-- columns: agent_name, ai_lines, overridden, pct, by_unknown, by_agents, still_there, median_days
-- overridden: a person was seen doing it, as when a proposal is changed before it is accepted; by_unknown: it happened while
-- nobody was looking, mostly by a person, too; by_agents: any agent did it. median_days: half of the overridden lines had
-- lived no longer
with
lives as (
    select
        agent_name,
        lines,
        died_epoch - born_epoch as age,
        case when died_epoch is null then 'nobody' else killed_by_type end as killer
    from v_line_spans
    where contributor_type = 'ai' and ($since is null or born_at >= $since) and ($until is null or born_at < $until)
),

sums as (
    select
        agent_name,
        cast(sum(lines) as bigint) as ai_lines,
        cast(sum(case when killer = 'human' then lines else 0 end) as bigint) as overridden,
        cast(sum(case when killer = 'unknown' then lines else 0 end) as bigint) as by_unknown,
        cast(sum(case when killer = 'ai' then lines else 0 end) as bigint) as by_agents,
        cast(sum(case when killer = 'nobody' then lines else 0 end) as bigint) as still_there
    from lives
    group by agent_name
),

ages as (
    select
        agent_name,
        age,
        sum(lines) over (
            partition by agent_name
            order by age
            rows between unbounded preceding and current row
        ) as so_far
    from lives
    where killer = 'human'
),

medians as (
    select ages.agent_name as agent_name, min(ages.age) as age
    from ages
    inner join sums on sums.agent_name is not distinct from ages.agent_name and 2 * ages.so_far >= sums.overridden
    group by ages.agent_name
)

select
    sums.agent_name,
    sums.ai_lines,
    sums.overridden,
    round(100.0 * sums.overridden / sums.ai_lines, 1) as pct,
    sums.by_unknown,
    sums.by_agents,
    sums.still_there,
    round(medians.age / 86400.0, 2) as median_days
from sums
left join medians on medians.agent_name is not distinct from sums.agent_name
order by sums.overridden desc, sums.agent_name nulls last;
