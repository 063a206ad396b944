-- one row is one mutation between a run of tests that failed and the same run of them that passed, in one session
-- needs: repairs
select
    position,         -- place of the mutation in the order of all events
    mutation_id,      -- event that saw the change
    session_id,       -- conversation
    command,          -- command line that ran the tests
    failed_event_id,  -- the run that failed, before the session had changed anything
    passed_event_id   -- the first run after it that passed
from repairs;
