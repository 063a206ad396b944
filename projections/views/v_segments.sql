-- one row is one file of lines that the ledger is made of
-- needs: ledger_runs
select
    run_index,       -- its place among them, from 1
    segment,         -- name of the sealed segment; null is the live tail, whose lines are not sealed yet
    first_position,  -- place of its first line in the order of all events
    last_position,   -- place of its last line
    events,          -- lines in it
    linked,          -- false: what it goes on from is not here, so lines are missing before it
    state            -- read; damaged or missing: nobody knows its lines (of the tail, its last ones), so there are no positions and no events of it
from ledger_runs;
