-- Events as they were recorded; the limits let DuckDB pass over what lies outside of them, the list alone would not
select position, payload
from events
where position between $first and $last and position in (select unnest($positions))
order by position
