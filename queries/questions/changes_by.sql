-- How many changes were recorded, and how many lines came and went: by agent, model, intent, session, file, day and so on?
-- topic: changes
-- param by: contributor (people or agents), agent, model, intent, session, file, folder (the first one of a path), day, month or total
-- values by: contributor, agent, model, intent, session, file, folder, day, month, total
-- param contributor?: only changes of ai, human or unknown
-- values contributor: ai, human, unknown
-- param agent?: only changes of agents whose name has this in it
-- param model?: only changes of models whose name has this in it
-- param intent?: only changes for this intent
-- param path?: only changes of this file, or of the files below this folder
-- param since?: only from this moment on
-- param until?: only before this moment
-- columns: dim, mutations, lines_added, lines_deleted, files, sessions, last_at
-- lines are null where only hashes were recorded. A person's change counts where it was seen. dim null: not known
with
chosen as (
    select
        case $by
            when 'contributor' then changes.contributor_type
            when 'agent' then changes.agent_name
            when 'model' then sessions.model_id
            when 'intent' then changes.intent_id
            when 'session' then changes.session_id
            when 'file' then changes.path
            when 'folder'
                then
                    case
                        when instr(changes.path, '/') > 0 then substr(changes.path, 1, instr(changes.path, '/'))
                        else '.'
                    end
            when 'day' then substr(changes.activity_date || '', 1, 10)
            when 'month' then substr(changes.activity_date || '', 1, 7)
            else '*'
        end as dim,
        changes.mutation_id as mutation_id,
        changes.lines_added as lines_added,
        changes.lines_deleted as lines_deleted,
        changes.path as path,
        changes.session_id as session_id,
        changes.occurred_at as occurred_at
    from v_mutations as changes
    left join v_sessions as sessions on sessions.session_id = changes.session_id
    where
        ($contributor is null or changes.contributor_type = $contributor)
        and ($agent is null or instr(lower(changes.agent_name), lower($agent)) > 0)
        and ($model is null or instr(lower(sessions.model_id), lower($model)) > 0)
        and ($intent is null or changes.intent_id = $intent)
        and ($path is null or changes.path = $path or substr(changes.path, 1, length($path) + 1) = $path || '/')
        and ($since is null or changes.occurred_at >= $since)
        and ($until is null or changes.occurred_at < $until)
)

select
    dim,
    count(distinct mutation_id) as mutations,
    cast(sum(lines_added) as bigint) as lines_added,
    cast(sum(lines_deleted) as bigint) as lines_deleted,
    count(distinct path) as files,
    count(distinct session_id) as sessions,
    max(occurred_at) as last_at
from chosen
group by dim
order by count(distinct mutation_id) desc, dim nulls last;
