-- one row is one path that is tracked at HEAD or that a mutation names
-- needs: tracked_files
select
    path_id,      -- first 64 bits of SHA-256 of the path
    path,         -- file, relative to the repository
    language,     -- language of its name; null is none that is known
    role,         -- what it is for, by its name: test, code, other
    tracked,      -- whether HEAD has it
    bytes,        -- size at HEAD
    renamed_from  -- path before it was renamed last, where that was seen
from tracked_files;
