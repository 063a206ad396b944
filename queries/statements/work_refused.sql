-- Which files the sessions of a worktree were kept from by a lease, and wrote nothing since
select distinct paths.path
from v_judged_paths as paths
inner join v_verdicts as verdicts on verdicts.verdict_id = paths.verdict_id
where
    paths.reason_code = 'LEASE_HELD'
    and verdicts.enforced
    and verdicts.position > coalesce((select max(position) from v_mutations where contributor_type = 'ai'), -1)
order by paths.path
