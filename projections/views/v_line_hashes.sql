-- one row is one new line of one change
-- needs: line_hashes
select
    position,     -- place of the mutation in the order of all events
    event_id,     -- event that saw the change
    path,         -- file, relative to the repository
    line_no,      -- number of the line in the file after the change, from 1
    line_hash,    -- first 64 bits of SHA-256 over the line without its white space
    old_line_no,  -- line before the change that this one was made out of; null when it is new
    snapshot      -- true: the state before is not known, nobody is said to have written the line
from line_hashes;
