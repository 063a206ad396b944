-- one row is one commit, as it was seen first
-- needs: commit_observations
with
ranked as (
    select *, row_number() over (partition by vcs_revision order by position) as nth
    from commit_observations
)

select
    vcs_revision,
    position,
    event_id,
    occurred_at as observed_at,
    session_id,
    intent_id,
    parent_revision,
    parents,
    patch_id,
    files
from ranked
where nth = 1;
