-- What these files define at HEAD, the outermost definitions
select path, qualified_name
from v_nodes
where path in (select unnest($paths)) and parent_id is null
order by path, start_line, qualified_name
