-- Each file by the first of its names: the places of its changes in their order, and a sum that names these changes wherever they are
create or replace temp table file_pasts as
with
names as (select unnest(cast($names as varchar[])) as name, unnest(cast($files as varchar[])) as file),

changes as (
    select
        coalesce(names.file, changes.path) as file,
        changes.position,
        changes.file_index,
        hash(changes.event_id, changes.file_index, changes.before_hash, changes.after_hash) as named
    from mutation_files as changes
    left join names on names.name = changes.path
)

select
    file,
    hash(list(named order by position, file_index)) as past,
    list(position order by position, file_index) as places
from changes
group by file
