-- one row is one answer that a person overruled, or a correction that a person took back
-- needs: correction_records
select
    position,       -- place in the order of all events
    correction_id,  -- event that records it
    occurred_at,    -- when, UTC
    human_id,       -- name and address of the person, as git has them
    field,          -- what was overruled: contributor, class
    event_id,       -- event whose reading is corrected; null where git alone spoke of the lines
    answer_before,  -- ai, human, unknown, or a class
    answer_after,   -- the answer instead; null takes an earlier correction back
    agent_name,     -- of the answer ai: the product, where it is known
    reason,         -- what the person said
    path,           -- file, relative to the repository, as it was called then
    start_line,     -- first line, as it was numbered then
    end_line,       -- last line
    vcs_revision    -- commit of the lines, where git alone spoke of them
from correction_records;
