-- one row is one session whose changes are in a commit, or may be; no session is in the commits of bots
-- needs: commit_matches
select
    vcs_revision,  -- commit
    session_id,    -- conversation
    agent_name,    -- product
    files,         -- files of the commit that the session changed
    lines,         -- lines that it wrote in them
    match_method,  -- observed: it saw the commit being made; content: a file is as it left it; parent and path: it worked on the commit's parent; rewritten: it is in the commit that this one was made of; trailer: the commit credits its agent; time window
    confidence     -- 0 to 1; a trailer says no more than 0.5, the time no more than 0.3, both divided by the sessions in question
from commit_matches;
