-- keys that more than one row has
-- needs: events, sessions, tool_calls, verdicts, mutations, intents, decisions, token_usage, commits, classifications, mutation_classes
with
keys as (
    select 'events' as table_name, event_id as key_value from events
    union all
    select 'sessions', session_id from sessions
    union all
    select 'tool_calls', concat(session_id, ' ', tool_call_id) from tool_calls
    union all
    select 'verdicts', verdict_id from verdicts
    union all
    select 'mutations', mutation_id from mutations
    union all
    select 'intents', intent_id from intents
    union all
    select 'decisions', decision_id from decisions
    union all
    select 'token_usage', usage_key from token_usage
    union all
    select 'commits', vcs_revision from commits
    union all
    select 'classifications', classification_id from classifications
    union all
    select 'mutation_classes', mutation_id from mutation_classes
)

select table_name, key_value, count(*) as copies
from keys
group by table_name, key_value
having count(*) > 1
order by table_name, key_value;
