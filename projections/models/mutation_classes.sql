-- one row is one mutation of which it is known whether it is a refactor or an evolution: alone, or as part of a run or a commit
-- needs: mutations, classifications, correction_records, repairs
with
newest as (
    select *
    from (
        select
            *,
            row_number() over (
                partition by about, mutation_id, first_mutation_id, vcs_revision
                order by rule_version desc, position desc
            ) as nth
        from classifications
    ) as ranked
    where nth = 1
),

own as (
    select *
    from newest
    where about = 'mutation'
),

runs as (
    select
        judged.label as label,
        judged.computed_class as computed_class,
        first_one.mutation_id as first_mutation_id,
        first_one.session_id as session_id,
        first_one.agent_id as agent_id,
        first_one.position as first_position,
        last_one.position as last_position
    from newest as judged
    inner join mutations as first_one on first_one.mutation_id = judged.first_mutation_id
    inner join mutations as last_one on last_one.mutation_id = judged.mutation_id
    where judged.about = 'run'
),

-- of several runs the one that proves most, then the shortest
in_runs as (
    select
        mutations.mutation_id as mutation_id,
        runs.label as label,
        runs.computed_class as computed_class,
        runs.first_mutation_id as first_mutation_id,
        row_number() over (
            partition by mutations.mutation_id
            order by runs.computed_class, runs.last_position - runs.first_position, runs.first_position
        ) as nth
    from mutations
    inner join runs
        on runs.session_id = mutations.session_id
        and runs.agent_id is not distinct from mutations.agent_id
        and mutations.position between runs.first_position and runs.last_position
    where mutations.contributor_type = 'ai'
),

held as (
    select *, unnest(json_transform(mutation_ids, '["VARCHAR"]')) as held_id
    from newest
    where about = 'commit'
),

in_commits as (
    select *, row_number() over (partition by held_id order by position desc) as nth
    from held
),

-- what the agent said with the call, in one spelling
said as (
    select
        mutation_id,
        case regexp_replace(lower(declared_class), '[\s_-]', '', 'g')
            when 'astrefactor' then 'AST_REFACTOR'
            when 'refactor' then 'AST_REFACTOR'
            when 'refactoring' then 'AST_REFACTOR'
            when 'intentevolution' then 'INTENT_EVOLUTION'
            when 'evolution' then 'INTENT_EVOLUTION'
            when 'feature' then 'INTENT_EVOLUTION'
            when 'bugfix' then 'BUG_FIX'
            when 'fix' then 'BUG_FIX'
            when 'optimization' then 'OPTIMIZATION'
            when 'optimisation' then 'OPTIMIZATION'
            when 'performance' then 'OPTIMIZATION'
        end as declared_class
    from mutations
    where declared_class is not null
),

-- what a person says in place of all that; the last word counts, and a null takes the others back
corrected as (
    select event_id as mutation_id, answer_after as corrected_class
    from (
        select *, row_number() over (partition by event_id order by position desc) as from_last
        from correction_records
        where field = 'class'
    ) as ranked
    where from_last = 1 and answer_after is not null
),

judged as (
    select mutation_id from own
    union
    select mutation_id from corrected
    union
    select mutation_id from in_runs
    union
    select held_id from in_commits
),

gathered as (
    select
        mutations.position as position,
        mutations.mutation_id as mutation_id,
        own.classification_id as classification_id,
        own.rule_version as rule_version,
        own.label as label,
        own.change_kind as change_kind,
        own.evidence as evidence,
        own.computed_class as own_computed,
        own.evolved_files as evolved_files,
        own.files as judged_files,
        said.declared_class as call_declared,
        in_runs.label as run_label,
        in_runs.computed_class as run_computed,
        in_runs.first_mutation_id as run_first_mutation_id,
        in_commits.vcs_revision as vcs_revision,
        in_commits.label as commit_label,
        in_commits.computed_class as commit_computed,
        in_commits.declared_class as commit_declared,
        repairs.failed_event_id as failed_event_id,
        repairs.passed_event_id as passed_event_id,
        corrected.corrected_class as corrected_class
    from judged
    inner join mutations on mutations.mutation_id = judged.mutation_id
    left join own on own.mutation_id = mutations.mutation_id
    left join in_runs on in_runs.mutation_id = mutations.mutation_id and in_runs.nth = 1
    left join in_commits on in_commits.held_id = mutations.mutation_id and in_commits.nth = 1
    left join said on said.mutation_id = mutations.mutation_id
    left join repairs on repairs.mutation_id = mutations.mutation_id
    left join corrected on corrected.mutation_id = mutations.mutation_id
),

-- what is harmless as a whole is made of steps that are harmless together
computed as (
    select
        *,
        case
            when own_computed = 'AST_REFACTOR' then 'mutation'
            when run_computed = 'AST_REFACTOR' then 'run'
            when commit_computed = 'AST_REFACTOR' then 'commit'
            when own_computed is not null then 'mutation'
        end as computed_from,
        case
            when 'AST_REFACTOR' in (own_computed, run_computed, commit_computed) then 'AST_REFACTOR'
            else own_computed
        end as computed_class,
        -- who speaks of the call itself knows more than who speaks of all that a commit holds
        case when call_declared is not null then 'call' when commit_declared is not null then 'commit' end as declared_by,
        coalesce(call_declared, commit_declared) as declared_class
    from gathered
),

decided as (
    select
        *,
        case
            when corrected_class is not null then 'correction'
            when computed_class = 'AST_REFACTOR' then 'syntax'
            when declared_class in ('BUG_FIX', 'OPTIMIZATION') then declared_by
            when failed_event_id is not null then 'tests'
            else 'syntax'
        end as basis
    from computed
)

select
    position,
    mutation_id,
    case basis
        when 'correction' then corrected_class
        when 'syntax' then computed_class
        when 'tests' then 'BUG_FIX'
        else declared_class
    end as mutation_class,
    case
        when corrected_class is not null and corrected_class <> 'AST_REFACTOR' then 'evolution'
        when corrected_class is not null and computed_class is distinct from 'AST_REFACTOR' then 'refactor'
        when computed_class = 'AST_REFACTOR' and label in ('formatting', 'comment') then 'format'
        when computed_class = 'AST_REFACTOR' then 'refactor'
        when evolved_files between 1 and judged_files - 1 then 'mixed'
        else 'evolution'
    end as change_class,
    basis,
    computed_class,
    computed_from,
    declared_class,
    declared_by,
    case
        -- what a commit claims is held against all that it changed
        -- and a person who overruled both has settled it
        when declared_by <> 'call' or corrected_class is not null then null
        when declared_class = 'AST_REFACTOR' and computed_class = 'INTENT_EVOLUTION' and evolved_files > 0
            then 'REFACTOR_NOT_PROVED'
        when declared_class = 'BUG_FIX' and computed_class = 'AST_REFACTOR' then 'FIX_CHANGES_NOTHING'
    end as contradiction,
    label,
    change_kind,
    run_label,
    run_first_mutation_id,
    vcs_revision,
    commit_label,
    case when basis = 'tests' then failed_event_id end as failed_event_id,
    case when basis = 'tests' then passed_event_id end as passed_event_id,
    rule_version,
    evidence,
    classification_id
from decided
where computed_class is not null or corrected_class is not null;
