-- one row is one file in one mutation; a long transition is spread over several rows, its parts
-- needs: mutation_files, mutation_scopes
select
    files.position as position,                     -- place in the order of all events
    files.file_index as file_index,                 -- place among the files of the mutation, from 1
    files.event_id as mutation_id,                  -- event that saw the change
    files.occurred_at as occurred_at,               -- when it was seen, UTC
    cast(floor(epoch(files.occurred_at)) as bigint) as occurred_epoch,  -- the same in seconds since 1970
    cast(files.occurred_at as date) as activity_date,  -- the day of it, UTC
    files.session_id as session_id,                 -- conversation
    files.agent_name as agent_name,                 -- product
    files.model_id as model_id,                     -- model
    files.intent_id as intent_id,                   -- intent that was selected
    files.contributor_type as contributor_type,     -- who did it: ai, human, unknown
    files.tool_call_id as tool_call_id,             -- call that did it
    files.tool_name as tool_name,                   -- function that did it
    files.via as via,                               -- how it came about: tool, shell, human, import, git, unseen
    files.via in ('tool', 'shell', 'human', 'git') as observed,  -- whether it was seen happening; false was read somewhere, or found
    case files.via when 'import' then case when files.basis in ('commit', 'history') then 'transcript and git' else 'transcript' end when 'unseen' then 'found' else 'observed' end as match_method,  -- how it is known: observed, transcript, transcript and git (which has the text before), found
    case files.via when 'tool' then 1.0 when 'human' then 1.0 when 'shell' then 0.95 when 'import' then case files.basis when 'commit' then 0.81 when 'history' then 0.63 else 0.9 end end as confidence,  -- that this contributor did it, 0 to 1; null where nobody is said to have done it
    files.user_modified as user_modified,           -- whether a person changed the agent's proposal before accepting it
    files.agent_id as agent_id,                     -- subagent that did it; null is the main agent
    files.vcs_revision as vcs_revision,             -- HEAD at that moment
    files.path as path,                             -- file, relative to the repository
    files.op as op,                                 -- add, modify, delete, rename, copy
    files.from_path as from_path,                   -- of a rename: the path before, of a copy: the one copied
    files.snapshot as snapshot,                     -- true: the state before is not known, nobody is said to have written the lines
    coalesce(files.before_hash, files.said_before_hash) as before_hash,               -- SHA-256 of the whole file before, of an imported record as it says; null is no file, or not known
    coalesce(files.after_hash, files.said_after_hash) as after_hash,                 -- SHA-256 of the whole file after, of an imported record as it says; null is no file
    coalesce(files.before_hash, files.said_before_hash) as pre_hash,                  -- the same as before_hash
    coalesce(files.after_hash, files.said_after_hash) as post_hash,                  -- the same as after_hash
    coalesce(files.content_hash, files.said_content_hash) as content_hash,             -- SHA-256 of the new lines, where they are one block; of an imported record as it says
    files.before_lines as before_lines,             -- lines before
    files.after_lines as after_lines,               -- lines after
    coalesce(files.start_line, files.said_start_line) as start_line,                 -- first line touched, counted after the change
    coalesce(files.end_line, files.said_end_line) as end_line,                     -- last line touched, counted after the change
    files.lines_added as lines_added,               -- new lines of substance; null when not known
    files.lines_deleted as lines_deleted,           -- old lines of substance that went; null when not known
    scopes.in_scope as in_scope,                    -- whether the file was in the scope that the intent had at that moment; null where it had none
    scopes.path_pattern as path_pattern,            -- pattern that says so, also one that excludes it
    files.omitted as omitted,                       -- why there are hashes only: binary, too large
    files.declared_class as declared_class,         -- class that the agent, or an imported record, gave the change; null: none
    files.part as part                              -- which part of a long transition this is; null when it is whole
from mutation_files as files
left join mutation_scopes as scopes
    on scopes.position = files.position and scopes.file_index = files.file_index;
