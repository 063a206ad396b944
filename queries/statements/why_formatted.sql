-- Which formatters wrote a file anew after a change, before anybody changed it again
select mutation_id, occurred_at, tool_call_id, command
from v_formatted_files
where written_mutation_id = $event_id and path = $path
order by position
