-- one row is one file that a judgement was about
-- needs: judged_paths
select
    position,       -- place of the judgement in the order of all events
    verdict_id,     -- judgement
    path_index,     -- which of its files this is, from 1
    path,           -- file, relative to the repository; outside: and the bare name where it lies elsewhere
    reason_code,    -- why it was refused, as a stable word; null is allowed
    expected_hash,  -- SHA-256 of the file when the agent last saw it
    found_hash      -- SHA-256 of the file at the judgement; null is no file, or not looked at
from judged_paths;
