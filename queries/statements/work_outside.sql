-- Which files sessions that work on a branch wrote in a worktree that has another
select distinct mutations.path
from v_mutations as mutations
inner join v_events as events on events.event_id = mutations.mutation_id
where
    mutations.session_id in (select unnest($sessions))
    and mutations.contributor_type = 'ai'
    and events.branch is distinct from $branch
order by mutations.path
