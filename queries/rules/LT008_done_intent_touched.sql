-- Files of a finished intent were changed for another one, or for none
-- id: LT008
-- level: medium
-- control: CC8.1
-- message: {path} belongs to the finished {done_intent} and was changed for {by_intent}
-- remedy: linetrail intents history {done_intent}; verify it again, or linetrail intents reopen {done_intent}
-- why: What was verified when an intent was completed need not hold any more, and nobody was asked to look again.
-- example: INT-0012 is DONE; a week later a session for INT-0040 rewrites the function that it was about.
-- silent: where the intent was reopened before
-- rows of: v_finished_spans
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at, done_intent, by_intent
select
    later.position,
    later.path,
    mutations.start_line as line,
    mutations.end_line,
    later.intent_id || ' ' || coalesce(mutations.content_hash, mutations.after_hash, mutations.before_hash, '') as anchor,
    later.session_id,
    later.by_intent as intent_id,
    later.agent_name,
    later.mutation_id as event_id,
    later.occurred_at,
    later.intent_id as done_intent,
    coalesce(later.by_intent, 'no intent') as by_intent
from v_finished_changes as later
inner join v_mutations as mutations
    on mutations.mutation_id = later.mutation_id and mutations.path = later.path and coalesce(mutations.part, 1) = 1
where $since is null or later.occurred_at >= $since
order by later.position, later.path, later.intent_id;
