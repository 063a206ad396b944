-- Files that were seen to change or read from transcripts, by event, with what older ledgers tell of such a change
select
    files.event_id,
    strftime(files.occurred_at, '%Y-%m-%dT%H:%M:%S.%fZ') as timestamp,
    events.vcs_revision,
    events.branch,
    events.dirty,
    events.intent_id,
    events.session_id,
    events.model_id,
    events.contributor_type,
    classes.mutation_class,
    files.tool_name,
    calls.duration_ms,
    files.path,
    files.op,
    files.before_hash,
    files.after_hash,
    files.hunks
from mutation_files as files
inner join events on events.position = files.position
left join mutation_classes as classes on classes.mutation_id = files.event_id
left join tool_outcomes as calls
    on calls.tool_call_id = files.tool_call_id and calls.session_id = files.session_id
where
    files.via in ('tool', 'shell', 'human', 'import')
    and not files.snapshot
    and events.source is distinct from 'seed'
    and events.source is distinct from 'spec'
order by files.position, files.file_index
