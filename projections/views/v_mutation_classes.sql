-- one row is one mutation of which it is known whether it is a refactor or an evolution, by its latest judgement
-- needs: mutation_classes
select
    position,               -- place of the mutation in the order of all events
    mutation_id,            -- event that saw the change
    mutation_class,         -- AST_REFACTOR, INTENT_EVOLUTION; BUG_FIX or OPTIMIZATION where declared or evidenced
    change_class,           -- in one word: format, refactor, evolution; mixed: some of its files are an evolution, others are none
    basis,                  -- what says so: syntax, call, commit, tests; correction: a person who overruled them
    computed_class,         -- what the syntax trees say: AST_REFACTOR or INTENT_EVOLUTION
    computed_from,          -- the change that proves it: the mutation itself, the run or the commit it is part of
    declared_class,         -- what was said that it is; null where nobody said anything
    declared_by,            -- who said so: call, commit
    contradiction,          -- REFACTOR_NOT_PROVED, FIX_CHANGES_NOTHING; null where nothing is contradicted
    label,                  -- of the mutation by itself: formatting, comment, refactor, evolution; null is not judged
    change_kind,            -- finer: rename, extract, unproved and so on
    run_label,              -- of the run of mutations that it is part of
    run_first_mutation_id,  -- where that run begins
    vcs_revision,           -- commit that holds it, where that was judged
    commit_label,           -- of all that this commit changed
    failed_event_id,        -- where tests speak for it: the run of them that failed before
    passed_event_id,        -- and the one that passed after it
    rule_version,           -- version of the rules by which it was judged by itself
    evidence,               -- what a reviewer would note of it, as JSON
    classification_id       -- event of its latest judgement
from mutation_classes;
