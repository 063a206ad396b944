-- Which writes began from a state of the file that the agent had not seen?
-- asked as: file changed between|meanwhile write|wrote, stale write, had not seen, overwrite|overwrote not seen, overwrite|overwrote unseen, outdated version write, write over unseen
-- how many: stale write
-- topic: changes
-- param since?: only from this moment on
-- columns: mutation_id, path, expected_hash, found_hash, occurred_at, session_id, intent_id, tool_name, tool_call_id, evidence, event_id
-- evidence violation: found out afterwards; verdict: known before, only noted, and the call ran. mutation_id null: the
-- change itself was not recorded
select
    mutation_id,
    path,
    expected_hash,
    found_hash,
    occurred_at,
    session_id,
    intent_id,
    tool_name,
    tool_call_id,
    found_by as evidence,
    event_id
from v_stale_writes
where $since is null or occurred_at >= $since
order by position, path;
