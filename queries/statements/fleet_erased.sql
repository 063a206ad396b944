-- What a person had erased: contents and commitments by hash, and the conversations whose words nobody is to read.
create or replace temp table erased as
select distinct payload ->> '$.sha256' as name, payload ->> '$.erased_event_id' as erased_event_id
from events
where event_type = 'payload.erased'
