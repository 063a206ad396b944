-- What share of the lines that were written is still there 7, 30 and 90 days later?
-- asked as: survive, still there after, half-life, stable code, stability, live line, line live longer
-- asked as: long line|code last|stay|endure
-- topic: lines
-- param unit?: what is counted: line (if not told); definitions are not, their versions are in v_node_versions
-- values unit: line
-- param cohort?: whose lines are counted together: all (if not told), agent, model, intent, session, class (what the change that wrote them was judged to be), via (tool, shell and so on)
-- values cohort: all, agent, model, intent, session, class, via
-- columns: contributor_type, t, at_risk, survival, ci_lo, ci_hi, unit, cohort, cohort_value, written, ended, censored
-- Kaplan and Meier's estimate over all recorded lines; t: days; at_risk: lines that are known to have lived so long;
-- ended and censored: how many of all that were written ended, and how many are there still or went out of sight, so that
-- only a least age is known. survival is null where nothing is known of that age, and never says what share of the lines
-- of today is whose. ci_lo and ci_hi: 95 % limits after Greenwood, on the scale of log(-log): null where none can be told.
-- They take each line for itself; lines of one change end together, so the true limits are wider. A changed line ended;
-- white space, moves and renames end nothing. Lines of which nobody knows when they came are left out
with
lives as (
    select
        spans.contributor_type as contributor_type,
        case coalesce($cohort, 'all')
            when 'all' then 'all'
            when 'agent' then spans.agent_name
            when 'model' then spans.model_id
            when 'intent' then spans.intent_id
            when 'session' then spans.session_id
            when 'class' then classes.change_class
            when 'via' then spans.born_via
        end as cohort_value,
        case
            when coalesce(spans.died_epoch, spans.seen_until_epoch) > spans.born_epoch
                then coalesce(spans.died_epoch, spans.seen_until_epoch) - spans.born_epoch
            else 0
        end as age,
        spans.lines as lines,
        case when spans.died_epoch is null then 0 else spans.lines end as ended
    from v_line_spans as spans
    left join v_mutation_classes as classes on classes.mutation_id = spans.born_event
),

ages as (
    select
        contributor_type,
        cohort_value,
        age,
        cast(sum(lines) as double) as lines,
        cast(sum(ended) as double) as ended
    from lives
    group by contributor_type, cohort_value, age
),

exposed as (
    select
        contributor_type,
        cohort_value,
        age,
        ended,
        sum(lines) over (
            partition by contributor_type, cohort_value
            order by age desc
            rows between unbounded preceding and current row
        ) as at_risk
    from ages
),

-- where all that was left ended at once, the share is 0, and no logarithm can be taken
steps as (
    select
        contributor_type,
        cohort_value,
        age,
        case when ended = at_risk then 1 else 0 end as all_ended,
        case when ended < at_risk then ln(1.0 - ended / at_risk) else 0.0 end as log_share,
        case when ended < at_risk then ended / (at_risk * (at_risk - ended)) else 0.0 end as variance
    from exposed
    where ended > 0
),

totals as (
    select
        contributor_type,
        cohort_value,
        cast(sum(lines) as bigint) as written,
        cast(sum(ended) as bigint) as ended
    from ages
    group by contributor_type, cohort_value
),

moments as (
    select 1 as t
    union all
    select 7
    union all
    select 14
    union all
    select 30
    union all
    select 60
    union all
    select 90
    union all
    select 180
    union all
    select 365
),

reached as (
    select
        ages.contributor_type as contributor_type,
        ages.cohort_value as cohort_value,
        moments.t as t,
        cast(sum(case when ages.age >= moments.t * 86400 then ages.lines else 0 end) as bigint) as at_risk
    from ages
    cross join moments
    group by ages.contributor_type, ages.cohort_value, moments.t
),

sums as (
    select
        steps.contributor_type as contributor_type,
        steps.cohort_value as cohort_value,
        moments.t as t,
        max(steps.all_ended) as all_ended,
        sum(steps.log_share) as log_survival,
        sum(steps.variance) as variance
    from steps
    inner join moments on steps.age <= moments.t * 86400
    group by steps.contributor_type, steps.cohort_value, moments.t
),

estimates as (
    select
        totals.contributor_type as contributor_type,
        totals.cohort_value as cohort_value,
        reached.t as t,
        reached.at_risk as at_risk,
        totals.written as written,
        totals.ended as ended,
        coalesce(sums.all_ended, 0) as all_ended,
        coalesce(sums.log_survival, 0.0) as log_survival,
        sums.variance as variance
    from totals
    inner join reached
        on
            reached.contributor_type = totals.contributor_type
            and reached.cohort_value is not distinct from totals.cohort_value
    left join sums
        on
            sums.contributor_type = totals.contributor_type
            and sums.cohort_value is not distinct from totals.cohort_value
            and sums.t = reached.t
),

limited as (
    select
        *,
        case when at_risk > 0 and log_survival < 0.0 then 1.959964 * sqrt(variance) / log_survival end as width
    from estimates
)

select
    contributor_type,
    t,
    at_risk,
    case
        when all_ended = 1 then 0.0
        when at_risk > 0 then round(exp(log_survival), 4)
    end as survival,
    round(exp(log_survival * exp(-width)), 4) as ci_lo,
    round(exp(log_survival * exp(width)), 4) as ci_hi,
    coalesce($unit, 'line') as unit,
    coalesce($cohort, 'all') as cohort,
    cohort_value,
    written,
    ended,
    written - ended as censored
from limited
where t in (7, 30, 90) or at_risk > 0 or all_ended = 1
order by contributor_type, cohort_value nulls last, t;
