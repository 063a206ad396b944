-- How much of each intent was refactoring, and how much evolution?
-- control: CC8.1
-- asked as: class mix, refactor versus evolution, much refactoring intent, share refactoring, much refactor
-- asked as: refactor feature|evolution
-- topic: changes
-- param intent?: only this intent
-- columns: intent_id, change_class, mutations, lines, files
-- change_class null: nobody judged these changes (linetrail classify --record does). lines: new ones, null where only hashes
-- were recorded
with
changed as (
    select
        intent_id,
        mutation_id,
        cast(sum(lines_added) as bigint) as lines,
        count(distinct path) as files
    from v_mutations
    where intent_id is not null and not snapshot and ($intent is null or intent_id = $intent)
    group by intent_id, mutation_id
)

select
    changed.intent_id,
    classes.change_class,
    count(*) as mutations,
    cast(sum(changed.lines) as bigint) as lines,
    cast(sum(changed.files) as bigint) as files
from changed
left join v_mutation_classes as classes on classes.mutation_id = changed.mutation_id
group by changed.intent_id, classes.change_class
order by changed.intent_id, count(*) desc, classes.change_class nulls last;
