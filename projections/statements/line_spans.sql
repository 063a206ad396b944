-- Lives of lines, those beside each other from one birth to one end together
with
whole as (
    select path, born, born_path, killed, lost, content_hash, len(hashes) as lines
    from read_parquet($file, file_row_number = true)
    where born is not null and not list_contains($rows, file_row_number)
),

pieces as (
    select
        unnest(cast($path as varchar[])) as path,
        unnest(cast($born as bigint[])) as born,
        unnest(cast($born_path as varchar[])) as born_path,
        unnest(cast($killed as bigint[])) as killed,
        unnest(cast($lost as bigint[])) as lost,
        unnest(cast($line_hash as varchar[])) as line_hash,
        unnest(cast($number as bigint[])) as line_no
),

spans as (
    select * from whole
    union all
    select
        path,
        born,
        born_path,
        killed,
        lost,
        substr(sha256(string_agg(coalesce(line_hash, ''), chr(10) order by line_no, line_hash)), 1, 16),
        count(*)
    from pieces
    where born is not null
    group by path, born, born_path, killed, lost
)

select
    substr(
        md5(
            concat_ws(
                chr(10), births.mutation_id, born_path, spans.path, coalesce(deaths.mutation_id, ''),
                coalesce(sights.mutation_id, '')
            )
        ), 1, 16
    ) as span_id,
    spans.path as path,
    content_hash,
    lines,
    births.contributor_type as contributor_type,
    births.agent_name as agent_name,
    births.model_id as model_id,
    births.session_id as session_id,
    births.intent_id as intent_id,
    births.mutation_id as born_event,
    born_path,
    births.via as born_via,
    births.occurred_at as born_at,
    cast(floor(epoch(births.occurred_at)) as bigint) as born_epoch,
    deaths.occurred_at as died_at,
    cast(floor(epoch(deaths.occurred_at)) as bigint) as died_epoch,
    deaths.mutation_id as killed_by,
    deaths.contributor_type as killed_by_type,
    deaths.agent_name as killed_by_agent,
    deaths.session_id as killed_by_session,
    deaths.intent_id as killed_by_intent,
    deaths.via as killed_via,
    sights.occurred_at as lost_at,
    cast(floor(epoch(sights.occurred_at)) as bigint) as lost_epoch
from spans
inner join mutations as births on births.position = spans.born
left join mutations as deaths on deaths.position = spans.killed
left join mutations as sights on sights.position = spans.lost
order by spans.path, spans.born, born_path, spans.killed, spans.lost
