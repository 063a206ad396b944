-- Where the events are that rows about the sessions of later events follow from: theirs, of others the changes that
-- intents made to the same files, events of types that say something about any session, the first that names an intent
with
touched as (
    select distinct session_id
    from events
    where position > $after
),

written as (
    select distinct files.path
    from mutation_files as files
    semi join touched on touched.session_id is not distinct from files.session_id
)

select events.position
from events
semi join touched on touched.session_id is not distinct from events.session_id
union
select files.position
from mutation_files as files
semi join written on written.path = files.path
where files.intent_id is not null
union
select position
from events
where not list_contains($local, event_type)
union
select min(position)
from events
where intent_id is not null
