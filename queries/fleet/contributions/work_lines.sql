-- lines that agents wrote, and what became of them, by the month in which they were written
select
    strftime(spans.born_at, '%Y-%m') as month,  -- month in which they were written, UTC
    owners.owner as owner,                      -- team that owns the file, by CODEOWNERS
    spans.agent_name as agent_name,             -- product
    spans.model_id as model_id,                 -- model
    classes.change_class as change_class,       -- format, refactor, mixed, evolution; null: nobody judged it
    spans.intent_id as intent_id,               -- intent that was selected
    writers.person as person,
    sum(spans.lines)::bigint as lines_written,  -- lines
    coalesce(sum(spans.lines) filter (where spans.killed_by_type = 'human'), 0)::bigint as lines_overridden,  -- of them changed or taken away by a person
    coalesce(sum(spans.lines) filter (where spans.seen_until_epoch - spans.born_epoch >= 14 * 86400), 0)::bigint as lines_of_14_days,  -- of them known for so long, ended or not
    coalesce(sum(spans.lines) filter (where spans.seen_until_epoch - spans.born_epoch >= 14 * 86400 and spans.died_epoch - spans.born_epoch <= 14 * 86400), 0)::bigint as lines_reworked,  -- of those changed or taken away within 14 days
    coalesce(sum(spans.lines) filter (where spans.seen_until_epoch - spans.born_epoch >= 30 * 86400), 0)::bigint as lines_of_30_days,  -- known for so long, ended or not
    coalesce(sum(spans.lines) filter (where spans.seen_until_epoch - spans.born_epoch >= 30 * 86400 and coalesce(spans.died_epoch - spans.born_epoch, 30 * 86400) >= 30 * 86400), 0)::bigint as lines_survived_30,  -- of those there after 30 days
    coalesce(sum(spans.lines) filter (where spans.seen_until_epoch - spans.born_epoch >= 90 * 86400), 0)::bigint as lines_of_90_days,  -- known for so long, ended or not
    coalesce(sum(spans.lines) filter (where spans.seen_until_epoch - spans.born_epoch >= 90 * 86400 and coalesce(spans.died_epoch - spans.born_epoch, 90 * 86400) >= 90 * 86400), 0)::bigint as lines_survived_90  -- of those there after 90 days
from v_line_spans as spans
inner join v_events as events on events.event_id = spans.born_event
left join path_owners as owners on owners.path = spans.born_path
left join v_mutation_classes as classes on classes.mutation_id = spans.born_event
left join writers on events.position between writers.first_position and writers.last_position
where spans.contributor_type = 'ai'
group by all;
