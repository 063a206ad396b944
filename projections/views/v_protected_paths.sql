-- one row is one file that changed or that a rule was broken for, and that only people should change
-- needs: protected_paths
select
    path,         -- file, relative to the repository
    protected_as  -- git, gate, agent, ci, hooks, policy or secrets: by its name alone
from protected_paths;
