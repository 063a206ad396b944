-- A file changed while nobody was looking
-- id: LT006
-- level: low
-- control: CC7.2, SSDF PS.3
-- message: {path} was found changed: no hook saw who did it
-- remedy: linetrail blame {path}; linetrail gate reconcile names commits that no hook ever met
-- why: A change that nobody saw may be a person's, or that of an agent whose hooks were off. Its lines have no author.
-- example: Somebody runs an agent with its hooks disabled; the next session finds other bytes than were recorded.
-- silent: for the first state of a file that the ledger meets, and for commits, which LT021 looks at
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at
select
    position,
    path,
    start_line as line,
    end_line,
    coalesce(content_hash, after_hash, before_hash) as anchor,
    session_id,
    intent_id,
    agent_name,
    mutation_id as event_id,
    occurred_at
from v_mutations
where
    via = 'unseen'
    and not snapshot
    and coalesce(part, 1) = 1
    and ($since is null or occurred_at >= $since)
order by position, path;
