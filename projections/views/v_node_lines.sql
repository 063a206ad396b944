-- one row is one line at HEAD that is part of a definition; v_blame_lines says who wrote it
-- needs: node_lines
select
    path,           -- file, relative to the repository
    line_no,        -- number of the line, from 1
    node_id,        -- innermost definition that it is part of
    qualified_name  -- its name with those of what it stands in
from node_lines;
