-- Which files do agents change most?
-- asked as: important file, file matter, central file, files most, most changed file, top file, file often, file frequently, where most work|change|edit
-- asked as: active|busy file, change pile|concentrate|cluster, hotspot, code|part|place change often
-- topic: changes
-- param since?: only from this moment on
-- param until?: only before this moment
-- param agent?: only changes of agents whose name has this in it
-- param model?: only changes of models whose name has this in it
-- param intent?: only changes for this intent
-- param path?: only files below this folder, or this one
-- columns: path, agent_name, mutations, intents, authors, sessions, lines_added, lines_deleted, last_at
-- authors: people and agents who changed the file in this time, as far as recorded: each agent is one, all people are one
with
counted as (
    select
        path,
        count(distinct case contributor_type when 'ai' then coalesce(agent_name, '') else contributor_type end) as authors
    from v_mutations
    where ($since is null or occurred_at >= $since) and ($until is null or occurred_at < $until)
    group by path
)

select
    changed.path,
    changed.agent_name,
    count(distinct changed.mutation_id) as mutations,
    count(distinct changed.intent_id) as intents,
    counted.authors,
    count(distinct changed.session_id) as sessions,
    cast(sum(changed.lines_added) as bigint) as lines_added,
    cast(sum(changed.lines_deleted) as bigint) as lines_deleted,
    max(changed.occurred_at) as last_at
from v_mutations as changed
inner join counted on counted.path = changed.path
left join v_sessions as sessions on sessions.session_id = changed.session_id
where
    changed.contributor_type = 'ai'
    and ($since is null or changed.occurred_at >= $since)
    and ($until is null or changed.occurred_at < $until)
    and ($agent is null or instr(lower(changed.agent_name), lower($agent)) > 0)
    and ($model is null or instr(lower(sessions.model_id), lower($model)) > 0)
    and ($intent is null or changed.intent_id = $intent)
    and ($path is null or changed.path = $path or substr(changed.path, 1, length($path) + 1) = $path || '/')
group by changed.path, changed.agent_name, counted.authors
order by count(distinct changed.mutation_id) desc, changed.path, changed.agent_name nulls last;
