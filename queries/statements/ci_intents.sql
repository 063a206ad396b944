-- What agents changed in stretches of the ledger, by intent; $first and $last are their ends.
with
stretches as (
    select unnest($first) as first_position, unnest($last) as last_position
),

changed as (
    select mutations.*
    from v_mutations as mutations
    inner join stretches on mutations.position between stretches.first_position and stretches.last_position
    where mutations.contributor_type = 'ai' and not mutations.snapshot
),

files as (
    select intent_id, count(distinct path) as files, count(distinct path) filter (where in_scope) as files_in_scope,
        count(distinct path) filter (where in_scope is not null) as files_judged,
        cast(sum(lines_added) as bigint) as lines_added, cast(sum(lines_deleted) as bigint) as lines_deleted
    from changed
    group by intent_id
),

classes as (
    select changed.intent_id, count(distinct changed.mutation_id) as judged,
        count(distinct changed.mutation_id) filter (where classes.mutation_class = 'AST_REFACTOR') as refactors
    from changed
    inner join v_mutation_classes as classes on classes.mutation_id = changed.mutation_id
    group by changed.intent_id
),

people as (
    select approvals.intent_id, count(*) as people
    from v_approvals as approvals
    inner join stretches on approvals.position between stretches.first_position and stretches.last_position
    where approvals.approved
    group by approvals.intent_id
),

ruled as (
    select verdicts.intent_id, count(*) as ruled
    from v_verdicts as verdicts
    inner join stretches on verdicts.position between stretches.first_position and stretches.last_position
    where verdicts.verdict = 'allow' and verdicts.reason_code in ('IN_SCOPE', 'INTENT_OPEN', 'EXEMPT')
    group by verdicts.intent_id
)

select files.*, intents.title, classes.judged, classes.refactors, people.people, ruled.ruled
from files
left join v_intents as intents on intents.intent_id is not distinct from files.intent_id
left join classes on classes.intent_id is not distinct from files.intent_id
left join people on people.intent_id is not distinct from files.intent_id
left join ruled on ruled.intent_id is not distinct from files.intent_id
order by files.intent_id nulls last
