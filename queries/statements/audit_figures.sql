-- How many intents, sessions, mutations and events an audit looks at
select
    (
        select count(*)
        from (
            select intent_id from events
            union
            select intent_id from intent_marks
        ) as named
        where intent_id is not null
    ),
    (select count(distinct session_id) from events),
    (select count(distinct event_id) from mutation_files),
    (select count(*) from events)
