-- Which functions, classes and other definitions were changed for an intent?
-- asked as: definitions|functions|classes changed intent, definitions of intent, functions changed most
-- topic: intents
-- param intent?: only this intent
-- columns: intent_id, path, qualified_name, kind, changes, lines_added, lines_deleted, last_change, last_at, node_id
-- those with most lines first, as far as they are committed; lines of a definition inside of another count in both.
-- last_change: what happened to it last for this intent
with
made as (
    select
        *,
        row_number() over (partition by intent_id, node_id order by place desc) as nth
    from v_node_versions
    where intent_id = coalesce($intent, intent_id)
),

summed as (
    select
        intent_id,
        node_id,
        count(*) as changes,
        cast(sum(lines_added) as bigint) as lines_added,
        cast(sum(lines_deleted) as bigint) as lines_deleted,
        max(valid_from) as last_at
    from made
    group by intent_id, node_id
)

select
    made.intent_id,
    made.path,
    made.qualified_name,
    made.kind,
    summed.changes,
    summed.lines_added,
    summed.lines_deleted,
    made.change as last_change,
    summed.last_at,
    made.node_id
from made
inner join summed on summed.intent_id = made.intent_id and summed.node_id = made.node_id
where made.nth = 1
order by
    made.intent_id,
    coalesce(summed.lines_added, 0) + coalesce(summed.lines_deleted, 0) desc,
    made.path,
    made.qualified_name,
    made.node_id;
