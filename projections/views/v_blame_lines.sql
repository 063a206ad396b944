-- one row is one line of a text file at HEAD, with the answer of `linetrail blame`
-- needs: blame_lines
select
    path,                 -- file, relative to the repository
    line_no,              -- number of the line, from 1
    vcs_revision,         -- commit that brought it
    contributor_type,     -- who made its last change of substance: ai, human, unknown
    mixed,                -- whether both kinds of author had a hand in it
    agent_name,           -- product
    model_id,             -- model, as provider/model
    session_id,           -- conversation
    intent_id,            -- intent that was selected
    event_id,             -- mutation that wrote it
    tool_call_id,         -- call that wrote it
    written_at,           -- when, UTC
    author,               -- who committed it, as git says
    origin_event_id,      -- mutation that first wrote it
    evidence as match_method,  -- rule that decided, as in docs/attribution.md
    confidence,           -- 0 to 1
    mutation_class        -- what that mutation was judged to be
from blame_lines;
