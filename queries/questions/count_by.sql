-- How many sessions, prompts, commands, tests, refusals, decisions and so on were there, by agent, model, intent or day?
-- topic: sessions, tools and cost
-- param kind: what is counted
-- values kind: session, prompt, command, test, read, change, refusal, approval, decision, lesson, thought, intent, violation, recovery point
-- param by: agent, model, intent, session, contributor (people or agents), outcome, day, month or total
-- values by: agent, model, intent, session, contributor, outcome, day, month, total
-- param outcome?: only what came to this: failed, completed, deny, rejected, delete, DONE and so on
-- param contributor?: only what ai, human or unknown did
-- values contributor: ai, human, unknown
-- param agent?: only of agents whose name has this in it
-- param model?: only of models whose name has this in it
-- param intent?: only for this intent
-- param path?: only what names this file, or a file below this folder
-- param text?: only what has this text in it, in upper or lower case
-- param since?: only from this moment on
-- param until?: only before this moment
-- columns: dim, count, sessions, first_at, last_at
-- what v_findable has one row for counts once; of a change each file. A command that failed has the outcome failed
with
chosen as (
    select
        case $by
            when 'agent' then agent_name
            when 'model' then model_id
            when 'intent' then intent_id
            when 'session' then session_id
            when 'contributor' then contributor_type
            when 'outcome' then outcome
            when 'day' then substr(occurred_at || '', 1, 10)
            when 'month' then substr(occurred_at || '', 1, 7)
            else '*'
        end as dim,
        session_id,
        occurred_at
    from v_findable
    where
        kind = $kind
        and ($outcome is null or outcome = $outcome)
        and ($contributor is null or contributor_type = $contributor)
        and ($agent is null or instr(lower(agent_name), lower($agent)) > 0)
        and ($model is null or instr(lower(model_id), lower($model)) > 0)
        and ($intent is null or intent_id = $intent)
        and ($path is null or path = $path or substr(path, 1, length($path) + 1) = $path || '/')
        and ($text is null or instr(lower(what || ' ' || coalesce(words, '') || ' ' || coalesce(path, '')), lower($text)) > 0)
        and ($since is null or occurred_at >= $since)
        and ($until is null or occurred_at < $until)
)

select
    dim,
    count(*) as count,
    count(distinct session_id) as sessions,
    min(occurred_at) as first_at,
    max(occurred_at) as last_at
from chosen
group by dim
order by count(*) desc, dim nulls last;
