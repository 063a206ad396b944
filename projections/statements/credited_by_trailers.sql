-- Whom the trailers of each of these commits credit: several agents are nobody
with
newest as (
    select vcs_revision, arg_max(note, position) as note
    from stated_lines
    where vcs_revision in (select unnest($revisions)) and dialect = 'trailers'
    group by vcs_revision
)

select
    s.vcs_revision,
    case when count(distinct s.agent_name) = 1 then min(s.agent_name) end as agent_name,
    case when count(distinct s.agent_name) = 1 and count(distinct s.model_id) = 1 then min(s.model_id) end as model_id,
    min(s.event_id) as event_id
from stated_lines s join newest on newest.vcs_revision = s.vcs_revision and newest.note = s.note
where s.dialect = 'trailers'
group by s.vcs_revision
