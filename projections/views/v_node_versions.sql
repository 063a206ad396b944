-- one row is one version of a definition that history has: as a commit left it, or a recorded change that is part of one
-- needs: node_versions, mutation_classes
select
    versions.node_id as node_id,                    -- the definition, as `linetrail lineage` has it
    versions.place as place,                        -- which version it is, from 1
    versions.path as path,                          -- file at that time
    versions.qualified_name as qualified_name,      -- name at that time, with what was around it
    versions.kind as kind,                          -- function, method, class, variable, heading, key and so on
    versions.language as language,                  -- language of the file
    versions.start_line as start_line,              -- first line at that time, from 1; null when it was deleted
    versions.end_line as end_line,                  -- last line
    versions.node_hash as node_hash,                -- of its tokens; null when it was deleted, or nobody has that text
    versions.shape_hash as shape_hash,              -- of its syntax tree, where local names do not count either
    versions.raw_hash as raw_hash,                  -- of its bytes
    versions.state_hash as state_hash,              -- SHA-256 of the whole file
    versions.change as change,                      -- what happened, with commas: created, found, edited, reformatted, renamed, moved, carried, split, merged, deleted
    versions.former as former,                      -- what it was made from, as path:qualified_name
    versions.lines_added as lines_added,            -- lines that came
    versions.lines_deleted as lines_deleted,        -- lines that went
    versions.evidence as evidence,                  -- how it is known to be the same definition
    versions.vcs_revision as vcs_revision,          -- commit that has it
    versions.author as author,                      -- who committed it, as git says
    versions.valid_from as valid_from,              -- when it came to be, UTC: when it was recorded, else written as git says
    versions.valid_to as valid_to,                  -- when the next version did; null for the last one
    versions.mutation_id as mutation_id,            -- recorded change that made it; null where nobody was seen
    versions.tool_call_id as tool_call_id,          -- call that made it
    versions.session_id as session_id,              -- conversation
    versions.intent_id as intent_id,                -- intent that was selected
    versions.agent_name as agent_name,              -- product
    versions.model_id as model_id,                  -- model, as provider/model
    versions.contributor_type as contributor_type,  -- who was seen making it: ai, human; null is nobody
    classes.change_class as change_class,           -- what the recorded change was judged to be
    versions.match_method as match_method,          -- how that change was found: content, hunks, lines (docs/lineage.md)
    versions.confidence as confidence               -- how sure that is, 0 to 1
from node_versions as versions
left join mutation_classes as classes on classes.mutation_id = versions.mutation_id;
