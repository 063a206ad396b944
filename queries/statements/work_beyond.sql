-- Which files outside of their worktree agents wanted to write; of these the bare name is known
select distinct path
from v_event_paths
where starts_with(path, 'outside:') and role in ('write', 'edit', 'delete', 'rename_to')
order by path
