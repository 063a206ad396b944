-- Are agents used more, month by month?
-- topic: the organisation
-- param since?: only months from that of this moment on
-- param until?: only months before that of this moment
-- columns: month, repositories, agents, sessions, prompts, changes
-- repositories and agents: those that enough people work with to be told apart
select
    month,
    count(distinct case when repo_id <> '(others)' then repo_id end) as repositories,
    count(distinct case when agent_name <> '(others)' then agent_name end) as agents,
    cast(sum(sessions) as bigint) as sessions,
    cast(sum(prompts) as bigint) as prompts,
    cast(sum(changes) as bigint) as changes
from v_fleet_work
where
    ($since is null or month >= substr($since || '', 1, 7)) and ($until is null or month < substr($until || '', 1, 7))
group by month
having sum(sessions) > 0
order by month;
