-- one row is one sighting of a commit
-- needs: ledger
-- types: commit.observed
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "files": ["JSON"], "revision": "VARCHAR", "parents": ["VARCHAR"], "patch_id": "VARCHAR"
            }'
        ) as data
    from ledger
    where event_type = 'commit.observed'
)

select
    position,
    event_id,
    occurred_at,
    session_id,
    intent_id,
    data.revision as vcs_revision,
    data.parents[1] as parent_revision,
    len(data.parents) as parents,
    data.patch_id as patch_id,
    len(data.files) as files
from typed;
