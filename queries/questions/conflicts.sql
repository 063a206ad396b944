-- Where did two sessions work on the same file at the same time?
-- control: ASI08
-- asked as: agent simultaneously, agent overwrite another change
-- asked as: collide, conflict file|session, same file same time, edit same file same|simultaneously, two session file, two agent|session same file
-- asked as: overwrote|overwrite other|another|else|whose|somebody
-- how many: conflict
-- topic: changes
-- param since?: only work from this moment on
-- columns: path, node_id, session_a, session_b, overlap_seconds, intent_a, intent_b, qualified_name
-- node_id: a definition in it that both changed, the innermost ones; null where there is none, or it is not committed yet
with
work as (
    select
        path,
        session_id,
        max(intent_id) as intent_id,
        min(occurred_epoch) as begun_epoch,
        max(occurred_epoch) as left_epoch,
        min(position) as begun_position
    from v_mutations
    where
        contributor_type = 'ai'
        and session_id is not null
        and ($since is null or occurred_at >= $since)
    group by path, session_id
),

met as (
    select
        a.path as path,
        a.session_id as session_a,
        b.session_id as session_b,
        a.intent_id as intent_a,
        b.intent_id as intent_b,
        case when a.left_epoch < b.left_epoch then a.left_epoch else b.left_epoch end - b.begun_epoch as overlap_seconds
    from work as a
    inner join work as b
        on b.path = a.path
        and b.session_id <> a.session_id
        and a.begun_position < b.begun_position
    where b.begun_epoch <= a.left_epoch
),

changed as (
    select distinct versions.path as path, versions.session_id as session_id, versions.node_id as node_id
    from v_node_versions as versions
    where
        versions.session_id is not null
        and versions.contributor_type = 'ai'
        and ($since is null or versions.valid_from >= $since)
),

shared as (
    select
        met.path as path,
        met.session_a as session_a,
        met.session_b as session_b,
        a.node_id as node_id,
        nodes.parent_id as parent_id,
        nodes.qualified_name as qualified_name
    from met
    inner join changed as a on a.path = met.path and a.session_id = met.session_a
    inner join changed as b on b.path = met.path and b.session_id = met.session_b and b.node_id = a.node_id
    left join v_nodes as nodes on nodes.node_id = a.node_id
)

select
    met.path,
    shared.node_id,
    met.session_a,
    met.session_b,
    met.overlap_seconds,
    met.intent_a,
    met.intent_b,
    shared.qualified_name
from met
left join shared
    on shared.path = met.path
    and shared.session_a = met.session_a
    and shared.session_b = met.session_b
    and not exists (
        select 1
        from shared as inner_one
        where
            inner_one.parent_id = shared.node_id
            and inner_one.session_a = shared.session_a
            and inner_one.session_b = shared.session_b
    )
order by
    met.overlap_seconds desc,
    met.path,
    met.session_a,
    met.session_b,
    shared.qualified_name nulls last,
    shared.node_id nulls last;
