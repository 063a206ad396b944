-- one row is one definition in a file at HEAD: a function, a class, a heading, whatever a grammar reads and a language names
-- needs: nodes
select
    node_id,         -- the definition through all its versions, as `linetrail lineage` has it; null in files of more than 3,000
    path,            -- file, relative to the repository
    qualified_name,  -- name with what is around it, as Outer.name; a second one of the same name ends in #2
    name,            -- its own name
    kind,            -- function, method, class, variable, heading, key and so on
    language,        -- language of the file
    start_line,      -- first line, from 1; decorators and comments directly above belong to it
    end_line,        -- last line
    node_hash,       -- of its tokens: layout and comments do not count
    shape_hash,      -- of its syntax tree, where local names do not count either; null in languages that bind none
    raw_hash,        -- of its bytes
    parent_id        -- the definition around it
from nodes;
