-- one row is one public list price of a model, as linetrail knows it
-- needs: prices
select
    model,         -- name of the model, without provider and day of release
    valid_from,    -- from when it holds, UTC; null: until the next one of the model
    input,         -- dollars for a million tokens that are read anew
    output,        -- dollars for a million tokens that are written
    cache_read,    -- dollars for a million tokens that are read from a cache; null is not known
    cache_write,   -- dollars for a million tokens that are put into a cache for five minutes; null is not known
    up_to_tokens   -- longest prompt that it holds for; null: any
from prices;
