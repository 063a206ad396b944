-- The changes that events saw, with their classes, and whether a person corrected them
select
    mutations.mutation_id,
    classes.mutation_class,
    coalesce(classes.basis = 'correction', false) as corrected
from mutations
left join mutation_classes as classes on classes.mutation_id = mutations.mutation_id
where mutations.mutation_id in (select unnest($ids))
