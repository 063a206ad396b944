-- one row is one stretch of lines that a note of another tool says somebody wrote; without a path: one that names none
-- needs: stated_lines
select
    position,          -- place in the order of all events
    event_id,          -- event that holds the note, or a part of it
    occurred_at,       -- when the commit was made, UTC
    vcs_revision,      -- commit that the note is attached to
    note,              -- what git calls the text of the note
    dialect,           -- format of the note; trailers: the commit itself says so, of all that it added
    generator,         -- program that wrote it, as it says
    unread,            -- why nothing could be read from it
    path,              -- file, relative to the repository, as the commit has it
    author_key,        -- key of the author in the note
    start_line,        -- first line, counted in the commit's file
    end_line,          -- last line
    contributor_type,  -- who wrote them: ai, human, unknown
    agent_name,        -- product
    model_id,          -- model
    session_id,        -- conversation
    person             -- of a human: name and address
from stated_lines;
