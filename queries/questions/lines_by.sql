-- How many lines at HEAD are whose: of people and agents, of each agent, model, author, intent, session, file or folder?
-- topic: lines
-- param by: contributor (people or agents), agent, model, author, intent, session, file, folder (the first one of a path) or total
-- values by: contributor, agent, model, author, intent, session, file, folder, total
-- param contributor?: only lines of ai, human or unknown
-- values contributor: ai, human, unknown
-- param agent?: only lines of agents whose name has this in it
-- param model?: only lines of models whose name has this in it
-- param intent?: only lines of this intent
-- param path?: only this file, or the files below this folder
-- param since?: only lines that were written from this moment on
-- param until?: only lines that were written before this moment
-- columns: dim, lines, pct, lines_ai, lines_human, lines_unknown, files
-- pct is of the lines that are counted. dim null: not known, as the agent of a line that a person wrote
with
chosen as (
    select
        case $by
            when 'contributor' then contributor_type
            when 'agent' then agent_name
            when 'model' then model_id
            when 'author' then coalesce(agent_name, author)
            when 'intent' then intent_id
            when 'session' then session_id
            when 'file' then path
            when 'folder' then case when instr(path, '/') > 0 then substr(path, 1, instr(path, '/')) else '.' end
            else '*'
        end as dim,
        contributor_type,
        path
    from v_blame_lines
    where
        ($contributor is null or contributor_type = $contributor)
        and ($agent is null or instr(lower(agent_name), lower($agent)) > 0)
        and ($model is null or instr(lower(model_id), lower($model)) > 0)
        and ($intent is null or intent_id = $intent)
        and ($path is null or path = $path or substr(path, 1, length($path) + 1) = $path || '/')
        and ($since is null or written_at >= $since)
        and ($until is null or written_at < $until)
),

whole as (
    select count(*) as lines
    from chosen
)

select
    chosen.dim,
    count(*) as lines,
    round(1e2 * count(*) / max(whole.lines), 1) as pct,
    count(*) filter (where chosen.contributor_type = 'ai') as lines_ai,
    count(*) filter (where chosen.contributor_type = 'human') as lines_human,
    count(*) filter (where chosen.contributor_type = 'unknown') as lines_unknown,
    count(distinct chosen.path) as files
from chosen
cross join whole
group by chosen.dim
order by count(*) desc, chosen.dim nulls last;
