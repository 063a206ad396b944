-- one row is one file of a recovery point that is not as its commit has it
-- needs: recovery_point_records
with
listed as (
    select point_id, unnest(entries) as entry
    from recovery_point_records
),

-- as events before there were entries say it
named as (
    select point_id, files, unnest(json_keys(files)) as path
    from recovery_point_records
)

select point_id, entry.path as path, entry.hash as content_hash, entry.executable as executable, entry.omitted as omitted
from listed
union all
select point_id, path, json_extract_string(files, '$."' || replace(path, '"', '\"') || '"'), null, null
from named;
