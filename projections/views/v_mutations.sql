-- one row is one file in one mutation; a long transition is spread over several rows, its parts
-- needs: mutation_files
select
    position,                 -- place in the order of all events
    event_id as mutation_id,  -- event that saw the change
    occurred_at,              -- when it was seen, UTC
    session_id,               -- conversation
    agent_name,               -- product
    model_id,                 -- model
    intent_id,                -- intent that was selected
    contributor_type,         -- who did it: ai, human, unknown
    tool_call_id,             -- call that did it
    tool_name,                -- function that did it
    via,                      -- how it came about: tool, shell, human, import, git, unseen
    user_modified,            -- whether a person changed the agent's proposal before accepting it
    agent_id,                 -- subagent that did it; null is the main agent
    vcs_revision,             -- HEAD at that moment
    path,                     -- file, relative to the repository
    op,                       -- add, modify, delete, rename, copy
    from_path,                -- of a rename: the path before, of a copy: the one copied
    snapshot,                 -- true: the state before is not known, nobody is said to have written the lines
    before_hash,              -- SHA-256 of the whole file before; null is no file, or not known
    after_hash,               -- SHA-256 of the whole file after; null is no file
    before_lines,             -- lines before
    after_lines,              -- lines after
    start_line,               -- first line touched, counted after the change
    end_line,                 -- last line touched, counted after the change
    lines_added,              -- new lines of substance; null when not known
    lines_deleted,            -- old lines of substance that went; null when not known
    omitted,                  -- why there are hashes only: binary, too large
    part                      -- which part of a long transition this is; null when it is whole
from mutation_files;
