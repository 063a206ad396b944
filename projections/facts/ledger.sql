-- one row is one line of the ledger; an envelope field of another type is null, never an error
-- param lines: files that hold the validated lines
-- param bases: for each file, what to add to the numbers of its lines
select
    seq + $bases[file_index::bigint + 1] as position,
    id as event_id,
    v as schema_version,
    prev as prev_hash,
    try_cast(timestamp as timestamp) as occurred_at,
    type as event_type,
    session_id,
    json_transform(agent, '{"name": "VARCHAR", "version": "VARCHAR", "model_id": "VARCHAR"}') as agent,
    contributor as contributor_type,
    intent_id,
    json_transform(vcs, '{"type": "VARCHAR", "revision": "VARCHAR", "branch": "VARCHAR", "dirty": "BOOLEAN"}') as vcs,
    data as payload
from read_json(
    $lines,
    format = 'newline_delimited',
    columns = {
        v: 'BIGINT',
        id: 'VARCHAR',
        seq: 'BIGINT',
        prev: 'VARCHAR',
        timestamp: 'VARCHAR',
        type: 'VARCHAR',
        session_id: 'VARCHAR',
        agent: 'JSON',
        contributor: 'VARCHAR',
        intent_id: 'VARCHAR',
        vcs: 'JSON',
        data: 'JSON'
    }
);
