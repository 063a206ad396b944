-- one row is one pattern of the scope that an intent has now
-- needs: intent_scope
select
    intent_id,     -- intent
    place,         -- its place in the scope, from 1
    path_pattern,  -- glob, anchored at the root of the repository
    effect         -- include, or exclude, which wins
from intent_scope;
