-- one row is one file at HEAD with how many of its lines have a known author
-- needs: coverage
select
    activity_date,   -- day of the last event, UTC; the ledger's, whatever day it is
    path,            -- file, relative to the repository
    lines_total,     -- lines at HEAD
    lines_known,     -- of these: an agent or a person is known or presumed to have written them
    lines_recorded,  -- of these: the ledger says who
    lines_ai,        -- of these: an agent
    lines_mixed      -- both kinds of author had a hand in them
from coverage;
