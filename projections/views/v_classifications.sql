-- one row is one judgement about a mutation, a run of mutations or a commit: refactor or evolution
-- needs: classifications
select
    position,           -- place in the order of all events
    classification_id,  -- event of the judgement
    occurred_at,        -- when it was judged, UTC
    about,              -- what was judged: mutation, run, commit
    mutation_id,        -- event that saw the change; of a run, its last one
    first_mutation_id,  -- of a run: event that saw its first change
    vcs_revision,       -- of a commit: which one
    mutation_ids,       -- of a commit: the recorded mutations that it holds, as JSON
    rule_version,       -- version of the rules by which it was judged
    label,              -- formatting, comment, refactor, evolution
    change_kind,        -- finer: rename, extract, unproved and so on
    computed_class,     -- what the syntax trees say: AST_REFACTOR or INTENT_EVOLUTION
    mutation_class,     -- the same, or BUG_FIX or OPTIMIZATION where that is declared or evidenced
    declared_class,     -- what was said that it is; null where nobody said anything
    evidence,           -- what a reviewer would note, as JSON
    basis,              -- what speaks for these classes, as JSON
    files,              -- how many files were judged
    evolved_files       -- how many files of code are an evolution, of those that a grammar could read
from classifications;
