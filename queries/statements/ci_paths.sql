-- Which files agents changed in stretches of the ledger; $first and $last are their ends.
with stretches as (
    select unnest($first) as first_position, unnest($last) as last_position
)

select distinct mutations.path
from v_mutations as mutations
inner join stretches on mutations.position between stretches.first_position and stretches.last_position
where mutations.contributor_type = 'ai'
order by mutations.path
