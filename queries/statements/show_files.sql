-- Files that a session or an intent changed.
select
    path,
    count(distinct mutation_id) as mutations,
    sum(lines_added) as lines_added,
    sum(lines_deleted) as lines_deleted
from v_mutations
where case $kind when 'session' then session_id else intent_id end = $id
group by path
order by path;
