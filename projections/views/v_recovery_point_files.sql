-- one row is one file of a recovery point that is not as its commit has it
-- needs: recovery_point_files
select
    point_id,      -- recovery point
    path,          -- file, relative to the repository
    content_hash,  -- hash of the whole file; null is no file
    executable,    -- whether it can be run
    omitted        -- why its content was not kept
from recovery_point_files;
