-- Where did two sessions work on the same file at the same time?
-- param since?: only work from this moment on
-- columns: path, session_a, session_b, intent_a, intent_b, overlap_seconds
with
work as (
    select
        path,
        session_id,
        max(intent_id) as intent_id,
        min(occurred_at) as begun_at,
        max(occurred_at) as left_at,
        min(position) as begun_position
    from v_mutations
    where
        contributor_type = 'ai'
        and session_id is not null
        and ($since is null or occurred_at >= cast($since as timestamp))
    group by path, session_id
)

select
    a.path,
    a.session_id as session_a,
    b.session_id as session_b,
    a.intent_id as intent_a,
    b.intent_id as intent_b,
    cast(extract(epoch from least(a.left_at, b.left_at) - b.begun_at) as bigint) as overlap_seconds
from work as a
inner join work as b
    on b.path = a.path
    and b.session_id <> a.session_id
    and a.begun_position < b.begun_position
where b.begun_at <= a.left_at
order by overlap_seconds desc, a.path, a.session_id, b.session_id;
