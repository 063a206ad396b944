-- one row is one relation between two definitions: one uses, holds or was made of the other
-- needs: node_edges
select
    src_id,        -- the definition that uses, holds, or was made
    dst_id,        -- the one that is used, is held, or was there before; the same one where it was renamed or moved
    edge_type,     -- mentions, contains, renamed_from, moved_from, split_from, merged_from
    path,          -- file of the first one
    line_no,       -- first line in it that tells of the other; null for what happened once
    times,         -- how often it does
    vcs_revision,  -- commit in which it happened; null for what stands at HEAD
    evidence,      -- how it is known
    confidence     -- 0 to 1: below 0.6 the name alone is known, and several definitions may have it
from node_edges;
