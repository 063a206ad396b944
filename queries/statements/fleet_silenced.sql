-- Conversations whose words nobody is to read
create or replace temp table silenced as
select distinct session_id
from events
where event_id in (select erased_event_id from erased) and session_id is not null
