-- What was refused or let through of these files. A refusal that only was noted stopped nobody; of a refused call that
-- was seen writing the file, its lines are known.
with
named as (
    select verdict_id, path
    from judged_paths
    where path in (select unnest($paths))
    union
    select verdicts.verdict_id, tool_requests.path
    from verdicts
    inner join tool_requests
        on tool_requests.tool_call_id = verdicts.tool_call_id and tool_requests.session_id = verdicts.session_id
    where tool_requests.path in (select unnest($paths))
)

select
    verdicts.position,
    verdicts.verdict_id,
    verdicts.session_id,
    named.path,
    events.vcs_revision,
    verdicts.verdict = 'deny' and verdicts.enforced as refused
from verdicts
inner join named on named.verdict_id = verdicts.verdict_id
inner join events on events.position = verdicts.position
where
    verdicts.reason_code is distinct from 'READS_ONLY'
    and (verdicts.enforced or verdicts.verdict <> 'deny')
    and not exists (
        select 1
        from mutation_files
        where
            mutation_files.path in (select unnest($paths))
            and mutation_files.tool_call_id = verdicts.tool_call_id
            and mutation_files.session_id = verdicts.session_id
            and mutation_files.path = named.path
            and verdicts.verdict = 'deny'
    )
order by verdicts.position, named.path
