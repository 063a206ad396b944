-- one row is one place that a decision is about, as it was recorded
-- needs: decision_lines
select
    decision_id,  -- decision
    place,        -- its place among those that the decision names, from 1
    path,         -- file or folder, relative to the repository
    start_line,   -- first line, counted when it was recorded; null: the whole file
    end_line      -- last line
from decision_lines;
