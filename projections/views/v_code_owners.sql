-- one row is one owner of one file at HEAD, by CODEOWNERS
-- needs: code_owners
select
    path,     -- file, relative to the repository
    owner,    -- who owns it, as the file spells it
    pattern,  -- pattern that says so
    source    -- which CODEOWNERS file
from code_owners;
