-- one row is one file that a commit changed, of those that HEAD comes from; merges have none
-- needs: git_commit_files
select
    vcs_revision,  -- commit
    path,          -- file, relative to the repository
    old_path,      -- of a rename or a copy: the path before
    blob,          -- what git calls its content; null where it is gone
    insertions,    -- lines that came; null where nobody counted
    deletions      -- lines that went; null where nobody counted
from git_commit_files;
