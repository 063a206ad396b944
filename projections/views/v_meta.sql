-- one row is one fact about the ledger, the repository or the program
-- needs: repository_facts
select
    name,  -- built_from, events, head_revision, ledger_head, repo_id, schema_version, tool_version; the unknown has no row
    val    -- its value as text
from repository_facts;
