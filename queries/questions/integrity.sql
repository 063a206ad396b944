-- Is the ledger intact, and is everything of a session here?
-- control: SSDF PS.1, PS.2
-- asked as: chain intact|whole|hold|broken|valid|ok, hash chain, ledger intact, ledger|record complete, missing ledger
-- asked as: ledger lost|ok|fine|sound|healthy|damaged|tampered
-- topic: the ledger
-- columns: session_id, events, gaps, chain_ok, sealed, segments, first_at, last_at, segment, state
-- every line here followed from the one before it when it was read, or it would not be here. gaps: files with events of the
-- session before which lines are missing: a segment is gone, or was damaged and left out. sealed: nothing of it is in the
-- live tail. session_id null: what belongs to no session. Whose events a segment held that is damaged or missing nobody can
-- say: it has a row of its own, and so has the end of the live tail (segment null). linetrail verify reads every byte again
with
spread as (
    select
        events.session_id as session_id,
        runs.run_index as run_index,
        max(case when runs.linked then 0 else 1 end) as gap,
        max(case when runs.segment is null then 1 else 0 end) as live,
        count(*) as events,
        min(events.position) as first_position,
        min(events.occurred_at) as first_at,
        max(events.occurred_at) as last_at
    from v_events as events
    inner join v_segments as runs on events.position between runs.first_position and runs.last_position
    group by events.session_id, runs.run_index
),

told as (
    select
        session_id,
        cast(sum(events) as bigint) as events,
        cast(sum(gap) as bigint) as gaps,
        sum(gap) = 0 as chain_ok,
        max(live) = 0 as sealed,
        count(*) filter (where live = 0) as segments,
        min(first_at) as first_at,
        max(last_at) as last_at,
        cast(null as varchar) as segment,
        'read' as state,
        min(first_position) as place
    from spread
    group by session_id
    union all
    select
        cast(null as varchar) as session_id,
        cast(null as bigint) as events,
        cast(1 as bigint) as gaps,
        1 = 0 as chain_ok,
        segment is not null as sealed,
        cast(case when segment is null then 0 else 1 end as bigint) as segments,
        cast(null as timestamp) as first_at,
        cast(null as timestamp) as last_at,
        segment,
        state,
        cast(null as bigint) as place
    from v_segments
    where state <> 'read'
)

select
    session_id,
    events,
    gaps,
    chain_ok,
    sealed,
    segments,
    first_at,
    last_at,
    segment,
    state
from told
order by case when place is null then 1 else 0 end, place, segment;
