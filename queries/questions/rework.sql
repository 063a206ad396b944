-- How much of what each intent wrote was changed or taken away within 14 days, and by whom?
-- asked as: rewritten|rewrote within week|weeks|14, what rewritten|redone
-- asked as: rework, changed within 14, code churn weeks
-- topic: lines
-- param since?: only lines that were written from this moment on
-- columns: intent_id, lines, reworked, by_human_pct, by_unknown_pct, reworked_pct, by_itself, too_young, title
-- lines: those that agents wrote at least 14 days before the end of what is known of them; too_young: the others, which
-- count nowhere else, however early they ended. by_human_pct: of the reworked ones, those that a person was seen changing;
-- by_unknown_pct: those that changed while nobody was looking. by_itself: those that the same intent changed again
with
lives as (
    select
        intent_id,
        lines,
        killed_by_type,
        killed_by_intent,
        case
            when seen_until_epoch - born_epoch < 14 * 86400 then 'too young'
            when died_epoch - born_epoch <= 14 * 86400 then 'reworked'
            else 'kept'
        end as fate
    from v_line_spans
    where contributor_type = 'ai' and ($since is null or born_at >= $since)
),

sums as (
    select
        intent_id,
        cast(coalesce(sum(lines) filter (where fate <> 'too young'), 0) as bigint) as lines,
        cast(coalesce(sum(lines) filter (where fate = 'reworked'), 0) as bigint) as reworked,
        cast(coalesce(sum(lines) filter (where fate = 'reworked' and killed_by_type = 'human'), 0) as bigint) as by_human,
        cast(
            coalesce(sum(lines) filter (where fate = 'reworked' and killed_by_type = 'unknown'), 0) as bigint
        ) as by_unknown,
        cast(
            coalesce(
                sum(lines) filter (where fate = 'reworked' and killed_by_intent is not distinct from intent_id), 0
            ) as bigint
        ) as by_itself,
        cast(coalesce(sum(lines) filter (where fate = 'too young'), 0) as bigint) as too_young
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
