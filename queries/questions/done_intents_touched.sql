-- Which finished intents had their files changed later, for another intent or for none?
-- control: CC8.1
-- asked as: finished intent touched, done intent touched, intent changed after finished|done|completed|closed
-- how many: change
-- topic: intents
-- param since?: only changes from this moment on
-- columns: intent_id, completed_at, mutation_id, by_intent, path, occurred_at, agent_name, contributor_type, via
-- by file, and by place in the ledger: a change counts from the completion of the intent until it is opened again
select
    intent_id,
    completed_at,
    mutation_id,
    by_intent,
    path,
    occurred_at,
    agent_name,
    contributor_type,
    via
from v_finished_changes
where $since is null or occurred_at >= $since
order by intent_id, position, path;
