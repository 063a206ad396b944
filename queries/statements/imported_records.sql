-- The events that hold a record as it was received
select position
from events
where payload ->> '$.dialect' in (select unnest($dialects)) and payload ->> '$.raw' is not null
order by position
