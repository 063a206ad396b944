-- What the imported sessions come to
select
    (select count(*) from sessions) as sessions,
    (select strftime(min(first_event_at), '%Y-%m-%d') from sessions) as first_day,
    (select strftime(max(last_event_at), '%Y-%m-%d') from sessions) as last_day,
    (select count(*) from prompts) as prompts,
    (select count(*) from tool_calls) as tool_calls,
    count(distinct tool_call_id) as edits,
    count(distinct path) as files
from mutation_files
where contributor_type = 'ai'
