-- one row is one file of a change that was judged
-- needs: classified_files
select
    position,           -- place in the order of all events
    classification_id,  -- event of the judgement
    file_index,         -- place among the files of the judgement
    path,               -- file, relative to the repository
    from_path,          -- of a rename: the path before
    before_hash,        -- SHA-256 of the whole file before; null is no file
    after_hash,         -- SHA-256 of the whole file after; null is no file
    label,              -- formatting, comment, refactor, evolution
    change_kind,        -- finer: rename, extract, unproved and so on
    evidence,           -- what a reviewer would note, as JSON
    definitions,        -- functions, classes and sections of the file after, as JSON; null: it was recorded again since
    rule_version        -- version of the rules by which it was judged
from classified_files;
