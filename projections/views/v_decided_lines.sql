-- one row is one line at HEAD that a decision is about
-- needs: decided_lines
select
    path,         -- file, relative to the repository
    line_no,      -- number of the line, from 1
    decision_id,  -- decision
    nth,          -- of several decisions about the line: 1 is the newest
    match_method  -- how the line is known to be one of them: file, same, moved, edited, number
from decided_lines;
