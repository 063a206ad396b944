-- one row is one write by an agent to what only people should change, as a change that was seen or a rule that was broken
-- needs: mutation_files, violations, protected_paths
with
written as (
    select
        files.position as position,
        files.occurred_at as occurred_at,
        files.path as path,
        guarded.protected_as as protected_as,
        'mutation' as found_by,
        cast(null as varchar) as reason_code,
        true as recorded,
        files.session_id as session_id,
        files.intent_id as intent_id,
        files.agent_name as agent_name,
        files.tool_call_id as tool_call_id,
        files.via as via,
        coalesce(files.start_line, files.said_start_line) as start_line,
        coalesce(files.end_line, files.said_end_line) as end_line,
        coalesce(
            files.content_hash, files.said_content_hash,
            files.after_hash, files.said_after_hash,
            files.before_hash, files.said_before_hash
        ) as found_hash,
        files.event_id as event_id
    from mutation_files as files
    inner join protected_paths as guarded on guarded.path = files.path
    where files.contributor_type = 'ai' and coalesce(files.part, 1) = 1
)

select *
from written
union all by name
select
    violations.position as position,
    violations.occurred_at as occurred_at,
    violations.path as path,
    guarded.protected_as as protected_as,
    'violation' as found_by,
    violations.reason_code as reason_code,
    exists (
        select 1
        from written
        where
            written.session_id = violations.session_id
            and written.tool_call_id = violations.tool_call_id
            and written.path = violations.path
    ) as recorded,
    violations.session_id as session_id,
    violations.intent_id as intent_id,
    violations.agent_name as agent_name,
    violations.tool_call_id as tool_call_id,
    violations.found_hash as found_hash,
    violations.violation_id as event_id
from violations
left join protected_paths as guarded on guarded.path = violations.path
where violations.reason_code in ('PROTECTED_PATH', 'GATE_CHANGED');
