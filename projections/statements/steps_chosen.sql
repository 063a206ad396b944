-- Mutations, with all that the same calls of tools changed
with
asked as (
    select position, session_id, tool_call_id, via
    from mutations
    where mutation_id in (select unnest($ids))
)

select mutation_id
from mutations
where
    position in (select position from asked)
    or (session_id, tool_call_id, via) in (select (session_id, tool_call_id, via) from asked)
