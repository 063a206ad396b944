-- one row is one line of the ledger; strict reading has seen to it that its envelope has these types
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
    agent,
    contributor as contributor_type,
    intent_id,
    vcs,
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
        agent: 'STRUCT(name VARCHAR, version VARCHAR, model_id VARCHAR)',
        contributor: 'VARCHAR',
        intent_id: 'VARCHAR',
        vcs: 'STRUCT(type VARCHAR, revision VARCHAR, branch VARCHAR, dirty BOOLEAN)',
        data: 'JSON'
    }
);
