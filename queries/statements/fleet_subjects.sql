-- What each session is about, for what belongs to no file: that which most of its changed lines have.
create or replace temp table session_subjects as
select
    mutations.session_id as session_id,
    mode(owners.owner order by owners.owner) as owner,
    mode(classes.change_class order by classes.change_class) as change_class,
    mode(mutations.intent_id order by mutations.intent_id) as intent_id
from v_mutations as mutations
left join path_owners as owners on owners.path = mutations.path
left join v_mutation_classes as classes on classes.mutation_id = mutations.mutation_id
where mutations.contributor_type = 'ai'
group by mutations.session_id
