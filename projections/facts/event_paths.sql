-- one row is one file that an event names
-- needs: ledger
with
targets as (
    select position, event_id, unnest(data.targets) as target
    from ledger
),

files as (
    select position, event_id, event_type, unnest(data.files) as file
    from ledger
    where event_type in ('mutation.observed', 'commit.observed')
),

named as (
    select position, event_id, target.path as path, target.role as role
    from targets
    union all
    select position, event_id, file ->> '$.path', file ->> '$.op'
    from files
    where event_type = 'mutation.observed'
    union all
    select position, event_id, file ->> '$.from_path', 'from'
    from files
    where event_type = 'mutation.observed'
    union all
    select position, event_id, file ->> '$', 'commit'
    from files
    where event_type = 'commit.observed'
)

select distinct position, event_id, path, role
from named
where path is not null
order by position, path, role;
