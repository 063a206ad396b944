-- An agent changed a file for no intent
-- id: LT003
-- level: medium
-- control: CC8.1
-- message: {path} was changed by {agent_name} ({via}), and no intent was selected
-- remedy: linetrail select INT-… before the next change; linetrail show {event_id} tells what was asked for
-- why: Without an intent nobody can ask later why a line is there, and no scope was there to hold the change against.
-- example: A session fixes a typo on the way, before anybody selected what it works on.
-- silent: for files that .orchestration/.intentignore exempts, and for imported history where nobody uses intents
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at, via
select
    changed.position,
    changed.path,
    changed.start_line as line,
    changed.end_line,
    coalesce(changed.content_hash, changed.after_hash, changed.before_hash) as anchor,
    changed.session_id,
    changed.intent_id,
    changed.agent_name,
    changed.mutation_id as event_id,
    changed.occurred_at,
    changed.via
from v_mutations as changed
where
    changed.contributor_type = 'ai'
    and changed.intent_id is null
    and coalesce(changed.part, 1) = 1
    and (changed.via <> 'import' or exists (select 1 from v_intents))
    and not exists (
        select 1
        from v_verdicts as verdicts
        where
            verdicts.tool_call_id = changed.tool_call_id
            and verdicts.session_id = changed.session_id
            and verdicts.reason_code = 'EXEMPT'
    )
    and ($since is null or changed.occurred_at >= $since)
order by changed.position, changed.path;
