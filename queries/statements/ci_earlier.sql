-- The last event after $begin that was recorded on a commit that the range does not have
select coalesce(max(position), 0)
from v_events
where position > $begin and vcs_revision in (select unnest(cast($earlier as varchar[])))
