-- What did agents change, day by day?
-- param since?: only from this moment on
-- columns: activity_date, agent_name, path, lines_added, lines_deleted, intent_id
select
    cast(occurred_at as date) as activity_date,
    agent_name,
    path,
    sum(lines_added) as lines_added,
    sum(lines_deleted) as lines_deleted,
    intent_id
from v_mutations
where contributor_type = 'ai' and ($since is null or occurred_at >= cast($since as timestamp))
group by cast(occurred_at as date), agent_name, path, intent_id
order by activity_date desc, agent_name, path, intent_id;
