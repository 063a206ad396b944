-- one row is one line of the ledger, every field typed; a field of another type is null, never an error
-- param lines: file that holds the validated lines
select
    seq as position,
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
    json_transform(
        data,
        '{
            "source": "VARCHAR", "transcript": "VARCHAR", "cwd": "VARCHAR", "permission_mode": "VARCHAR",
            "parent_session_id": "VARCHAR", "reason": "VARCHAR",
            "prompt_id": "VARCHAR", "excerpt": "VARCHAR", "sha256": "VARCHAR", "length": "BIGINT",
            "intent_id": "VARCHAR", "before": "JSON", "after": "JSON", "registry_digest": "VARCHAR",
            "verification_notes": "VARCHAR", "name": "VARCHAR", "scope": "JSON", "by": "VARCHAR", "for_session": "VARCHAR",
            "tool_call_id": "VARCHAR", "tool_name": "VARCHAR", "operation": "VARCHAR",
            "agent_id": "VARCHAR", "agent_type": "VARCHAR",
            "targets": [{"path": "VARCHAR", "role": "VARCHAR"}], "command": "VARCHAR", "input_sha256": "VARCHAR",
            "duration_ms": "BIGINT", "exit_code": "BIGINT", "output_sha256": "VARCHAR", "interrupted": "BOOLEAN",
            "error": "VARCHAR", "is_interrupt": "BOOLEAN",
            "verdict": "VARCHAR", "code": "VARCHAR", "rule": "VARCHAR",
            "via": "VARCHAR", "user_modified": "BOOLEAN", "declared_class": "VARCHAR", "files": ["JSON"],
            "decision_id": "VARCHAR", "title": "VARCHAR", "rationale": "VARCHAR", "status": "VARCHAR",
            "supersedes": "VARCHAR", "alternatives": "JSON", "lines": "JSON",
            "revision": "VARCHAR", "parents": ["VARCHAR"], "patch_id": "VARCHAR",
            "usage_key": "VARCHAR", "message_id": "VARCHAR", "request_id": "VARCHAR", "model_id": "VARCHAR",
            "input_tokens": "BIGINT", "output_tokens": "BIGINT",
            "cache_read_input_tokens": "BIGINT", "cache_creation_input_tokens": "BIGINT"
        }'
    ) as data,
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
