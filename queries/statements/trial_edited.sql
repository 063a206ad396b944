-- The files that agents edited, those with most edits first
select path
from mutation_files
where contributor_type = 'ai'
group by path
order by count(*) desc, path
limit $limit
