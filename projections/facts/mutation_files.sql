-- one row is one file in one mutation; a long transition is spread over several rows, its parts
-- needs: ledger
-- types: mutation.observed
with
observed as (
    select
        *,
        json_transform(
            payload,
            '{
                "tool_call_id": "VARCHAR", "tool_name": "VARCHAR", "agent_id": "VARCHAR", "via": "VARCHAR",
                "user_modified": "BOOLEAN", "basis": "VARCHAR", "declared_class": "VARCHAR",
                "files": [{
                    "path": "VARCHAR", "op": "VARCHAR", "from_path": "VARCHAR", "snapshot": "BOOLEAN",
                    "before_hash": "VARCHAR", "after_hash": "VARCHAR", "before_blob": "VARCHAR",
                    "before_lines": "BIGINT", "after_lines": "BIGINT", "eol": "VARCHAR",
                    "omitted": "VARCHAR", "part": "BIGINT", "parts": "BIGINT", "hunks": "JSON",
                    "said": {
                        "before_hash": "VARCHAR", "after_hash": "VARCHAR",
                        "ranges": [{"start_line": "BIGINT", "end_line": "BIGINT", "content_hash": "VARCHAR"}]
                    }
                }]
            }'
        ) as data
    from ledger
    where event_type = 'mutation.observed'
),

entries as (
    select *, generate_subscripts(data.files, 1) as file_index, unnest(data.files) as file
    from observed
),

counted as (
    select
        *,
        json_transform(file.hunks, '[{"old_lines": "BIGINT", "new_start": "BIGINT", "new_lines": "BIGINT"}]') as ranges
    from entries
)

select
    position,
    event_id,
    file_index,
    occurred_at,
    session_id,
    agent.name as agent_name,
    agent.model_id as model_id,
    intent_id,
    contributor_type,
    data.tool_call_id as tool_call_id,
    data.tool_name as tool_name,
    data.via as via,
    data.user_modified as user_modified,
    data.basis as basis,
    data.agent_id as agent_id,
    vcs.revision as vcs_revision,
    file.path as path,
    file.op as op,
    file.from_path as from_path,
    coalesce(file.snapshot, false) as snapshot,
    file.before_hash as before_hash,
    file.after_hash as after_hash,
    file.before_blob as before_blob,
    file.before_lines as before_lines,
    file.after_lines as after_lines,
    file.eol as eol,
    file.part as part,
    file.parts as parts,
    file.omitted as omitted,
    list_min(list_transform(ranges, lambda r: r.new_start)) as start_line,
    list_max(list_transform(ranges, lambda r: r.new_start + greatest(r.new_lines, 1) - 1)) as end_line,
    file.said.before_hash as said_before_hash,
    file.said.after_hash as said_after_hash,
    list_min(list_transform(file.said.ranges, lambda r: r.start_line)) as said_start_line,
    list_max(list_transform(file.said.ranges, lambda r: r.end_line)) as said_end_line,
    case when len(file.said.ranges) = 1 then file.said.ranges[1].content_hash end as said_content_hash,
    data.declared_class as declared_class,
    case when not coalesce(file.snapshot, false) and ranges is not null
        then coalesce(list_sum(list_transform(ranges, lambda r: r.new_lines)), 0)::bigint end as lines_added,
    case when not coalesce(file.snapshot, false) and ranges is not null
        then coalesce(list_sum(list_transform(ranges, lambda r: r.old_lines)), 0)::bigint end as lines_deleted,
    case when json_array_length(file.hunks) = 1 then file.hunks ->> '$[0].content_hash' end as content_hash,
    file.hunks as hunks
from counted;
