-- one row is one change that is not what somebody said that it is: a mutation by what the call said, a commit by its subject
-- needs: class_contradictions
select
    position,           -- place of the mutation, or of the judgement of the commit, in the order of all events
    about,              -- what it is about: mutation, commit
    subject_id,         -- event of the mutation, or the commit
    occurred_at,        -- when the mutation was seen, or the commit judged, UTC
    session_id,         -- conversation
    agent_name,         -- product
    intent_id,          -- intent that was selected
    reason_code,        -- REFACTOR_NOT_PROVED or FIX_CHANGES_NOTHING
    declared_class,     -- what was said that it is
    declared_by,        -- who said so: call, commit
    words,              -- in which words
    computed_class,     -- what the syntax trees say
    change_kind,        -- finer: rename, extract, unproved and so on
    paths,              -- files that are an evolution by themselves
    evidence,           -- what a reviewer would note, as JSON
    classification_id   -- event of the judgement
from class_contradictions;
