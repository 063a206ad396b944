-- Since when a line is known to have been written, where a clock alone tells, as `Claim.since` does, else empty; null
-- where nobody was seen writing it.
select
    l.line_hash,
    l.path,
    min(case when m.via = 'import' then strftime(m.occurred_at, '%Y-%m-%dT%H:%M:%S') else '' end)
        filter (m.contributor_type <> 'unknown') as since
from line_hashes l join mutation_files m on m.position = l.position and m.file_index = l.file_index
where $hashes is null or l.line_hash in (select unnest($hashes))
group by l.line_hash, l.path
