-- one row is one way that a decision did not take
-- needs: decision_alternatives
select
    decision_id,   -- decision
    place,         -- its place among the alternatives, from 1
    option_text,   -- the way not taken
    why_rejected   -- why not
from decision_alternatives;
