-- one row is one file that a formatter wrote anew, and the change before it: the write that it put in form
-- needs: formatted_files
select
    position,             -- place in the order of all events
    mutation_id,          -- event that saw what the formatter did
    occurred_at,          -- when, UTC
    session_id,           -- conversation
    tool_call_id,         -- call that ran it
    command,              -- what ran, secrets taken out
    path,                 -- file, relative to the repository
    written_mutation_id   -- the last change of the file before it that no formatter made
from formatted_files;
