-- Those of these files that agents wrote to
select distinct path from mutation_files where contributor_type = 'ai' and path in (select unnest($paths))
