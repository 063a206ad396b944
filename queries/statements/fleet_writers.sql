-- Who recorded which stretch of the ledger; $segments and $people belong together
create or replace temp table writers as
select runs.first_position, runs.last_position, told.person
from v_segments as runs
inner join (select unnest($segments::varchar[]) as segment, unnest($people::varchar[]) as person) as told
    on told.segment = runs.segment
