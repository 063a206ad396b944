-- Whom the newest note on each of these commits gives which lines to
with
newest as (
    select vcs_revision, arg_max(note, position) as note
    from stated_lines
    where vcs_revision in (select unnest($revisions)) and dialect is distinct from 'trailers'
    group by vcs_revision
)

select
    s.vcs_revision, s.path, s.start_line, s.end_line,
    s.contributor_type, s.agent_name, s.model_id, s.session_id, s.person, s.event_id
from stated_lines s join newest on newest.vcs_revision = s.vcs_revision and newest.note = s.note
where s.contributor_type in ('ai', 'human')
order by s.position, s.file_index, s.key_index
