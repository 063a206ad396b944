-- What agents left files as, the latest first
select path, after_hash, max(position) as position
from mutation_files
where contributor_type = 'ai' and after_hash is not null
group by path, after_hash
order by position desc
limit $limit
