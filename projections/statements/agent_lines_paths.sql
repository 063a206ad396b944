-- Files that an agent was seen changing, under any name that was recorded
with
named as (
    select path, from_path
    from mutation_files
    where contributor_type = 'ai' or from_path is not null
)

select path from named
union
select from_path from named where from_path is not null
