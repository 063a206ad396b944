-- How much of what each intent wrote was changed or taken away within 14 days, and by whom?
-- topic: lines
-- param since?: only lines that were written from this moment on
-- columns: intent_id, lines, reworked, by_human_pct, by_unknown_pct, reworked_pct, by_itself, too_young, title
-- lines: those that agents wrote, and that ended within 14 days or are known to have lived so long; too_young: the others.
-- by_human_pct: of the reworked ones, those that a person was seen changing; by_unknown_pct: those that changed while nobody
-- was looking. by_itself: those that the same intent changed again
with
lives as (
    select
        intent_id,
        lines,
        killed_by_type,
        killed_by_intent,
        case when died_epoch is not null and died_epoch - born_epoch <= 14 * 86400 then 1 else 0 end as is_reworked,
        case
            when coalesce(died_epoch, seen_until_epoch) - born_epoch > 14 * 86400 or died_epoch is not null then 1
            else 0
        end as is_known
    from v_line_spans
    where contributor_type = 'ai' and ($since is null or born_at >= $since)
),

sums as (
    select
        intent_id,
        cast(sum(case when is_known = 1 then lines else 0 end) as bigint) as lines,
        cast(sum(case when is_reworked = 1 then lines else 0 end) as bigint) as reworked,
        cast(sum(case when is_reworked = 1 and killed_by_type = 'human' then lines else 0 end) as bigint) as by_human,
        cast(sum(case when is_reworked = 1 and killed_by_type = 'unknown' then lines else 0 end) as bigint) as by_unknown,
        cast(
            sum(case when is_reworked = 1 and killed_by_intent is not distinct from intent_id then lines else 0 end)
            as bigint
        ) as by_itself,
        cast(sum(case when is_known = 0 then lines else 0 end) as bigint) as too_young
    from lives
    group by intent_id
)

select
    sums.intent_id,
    sums.lines,
    sums.reworked,
    case when sums.reworked > 0 then round(100.0 * sums.by_human / sums.reworked, 1) end as by_human_pct,
    case when sums.reworked > 0 then round(100.0 * sums.by_unknown / sums.reworked, 1) end as by_unknown_pct,
    case when sums.lines > 0 then round(100.0 * sums.reworked / sums.lines, 1) end as reworked_pct,
    sums.by_itself,
    sums.too_young,
    intents.title
from sums
left join v_intents as intents on intents.intent_id = sums.intent_id
order by sums.reworked desc, sums.intent_id nulls last;
