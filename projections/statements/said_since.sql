-- What later events say of files, as far as it says who wrote a line
select
    e.event_type,
    m.path,
    m.from_path,
    e.vcs_revision,
    case
        when m.via = 'import' or (m.contributor_type = 'unknown' and e.vcs_revision is null)
        then strftime(m.occurred_at, '%Y-%m-%dT%H:%M:%S')
        else ''
    end as since
from events e left join mutation_files m on m.position = e.position
where
    e.position > $position
    and e.event_type not in (select unnest($silent))
    and (e.event_type <> 'gate.decided' or e.verdict = 'deny')
order by e.position, m.file_index
limit $limit
