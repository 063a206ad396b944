-- The newest imported note of each commit, and the events that have it
with
newest as (
    select vcs_revision, arg_max(note, position) as note
    from stated_lines
    where dialect is distinct from 'trailers'
    group by vcs_revision
)

select s.vcs_revision, list(distinct s.position order by s.position) as positions
from stated_lines s join newest on newest.vcs_revision = s.vcs_revision and newest.note = s.note
group by s.vcs_revision
order by min(s.position)
