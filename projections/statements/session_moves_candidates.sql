-- Pairs of a change that took lines away and one that brought as many elsewhere, the nearest first
-- Lines are only compared within neighbouring stretches of the ledger: a long session writes many lines again and again
with
lives as (from read_parquet($file)),

told as (
    select position, session_id
    from mutations
    where session_id is not null and contributor_type <> 'unknown'
),

ended as (
    select
        lives.path,
        lives.killed as position,
        told.session_id,
        unnest(lives.hashes) as line_hash,
        lives.killed // $near as stretch
    from lives
    inner join told on told.position = lives.killed
),

gone as (
    select * replace (unnest([stretch - 1, stretch, stretch + 1]) as stretch)
    from ended
    where not list_contains($trivial, line_hash)
),

came as (
    select
        lives.path,
        lives.born as position,
        told.session_id,
        unnest(lives.hashes) as line_hash,
        lives.born // $near as stretch
    from lives
    inner join told on told.position = lives.born
)

select gone.path, gone.position, came.path, came.position
from gone
inner join came
    on
        came.session_id = gone.session_id
        and came.line_hash = gone.line_hash
        and came.stretch = gone.stretch
where came.path <> gone.path and abs(came.position - gone.position) <= $near
group by gone.path, gone.position, came.path, came.position
having count(distinct gone.line_hash) >= $least
qualify
    row_number() over (
        partition by gone.path, gone.position
        order by abs(came.position - gone.position), came.position, came.path
    ) <= $most
order by abs(came.position - gone.position), came.position, came.path, gone.position, gone.path
