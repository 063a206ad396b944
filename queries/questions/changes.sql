-- What did agents change, day by day?
-- control: CC8.1
-- topic: changes
-- param since?: only from this moment on
-- columns: activity_date, agent_name, path, lines_added, lines_deleted, intent_id
-- lines are null where only hashes were recorded: binary files, very large ones
select
    activity_date,
    agent_name,
    path,
    cast(sum(lines_added) as bigint) as lines_added,
    cast(sum(lines_deleted) as bigint) as lines_deleted,
    intent_id
from v_mutations
where contributor_type = 'ai' and ($since is null or occurred_at >= $since)
group by activity_date, agent_name, path, intent_id
order by activity_date desc, agent_name nulls last, path, intent_id nulls last;
