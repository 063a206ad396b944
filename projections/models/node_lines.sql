-- one row is one line at HEAD that is part of a definition, with the innermost one
-- needs: nodes
with
covered as (
    select path, node_id, qualified_name, start_line, end_line, unnest(generate_series(start_line, end_line)) as line_no
    from nodes
)

select
    path,
    line_no,
    arg_max(node_id, (start_line, -end_line, qualified_name)) as node_id,
    arg_max(qualified_name, (start_line, -end_line, qualified_name)) as qualified_name
from covered
group by path, line_no;
