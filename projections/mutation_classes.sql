-- one row is one mutation of which it is known whether it is a refactor or an evolution: alone, or as part of a run or a commit
-- needs: mutations, classifications
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

gathered as (
    select
        mutations.position as position,
        mutations.mutation_id as mutation_id,
        own.classification_id as classification_id,
        own.rule_version as rule_version,
        own.label as label,
        own.change_kind as change_kind,
        own.evidence as evidence,
        own.basis as basis,
        own.mutation_class as own_class,
        own.computed_class as own_computed,
        own.evolved_files as evolved_files,
        own.declared_class as own_declared,
        list_extract(
            list_filter(
                json_transform(own.basis, '[{"by": "VARCHAR", "mutation_class": "VARCHAR"}]'),
                lambda one: one.by in ('call', 'intent')
            ),
            1
        ).by as own_declared_by,
        in_runs.label as run_label,
        in_runs.computed_class as run_computed,
        in_runs.first_mutation_id as run_first_mutation_id,
        in_commits.vcs_revision as vcs_revision,
        in_commits.label as commit_label,
        in_commits.computed_class as commit_computed,
        in_commits.declared_class as commit_declared
    from mutations
    left join own on own.mutation_id = mutations.mutation_id
    left join in_runs on in_runs.mutation_id = mutations.mutation_id and in_runs.nth = 1
    left join in_commits on in_commits.held_id = mutations.mutation_id and in_commits.nth = 1
    where own.mutation_id is not null or in_runs.mutation_id is not null or in_commits.held_id is not null
),

-- what is harmless as a whole is made of steps that are harmless together
decided as (
    select
        *,
        case
            when own_computed = 'AST_REFACTOR' then 'mutation'
            when run_computed = 'AST_REFACTOR' then 'run'
            when commit_computed = 'AST_REFACTOR' then 'commit'
            when own_computed is not null then 'mutation'
        end as computed_from,
        -- who speaks of the call itself knows more than who speaks of the commit, and that more than who speaks of all
        case
            when own_declared_by = 'call' then 'call'
            when commit_declared is not null then 'commit'
            when own_declared is not null then 'intent'
        end as declared_by
    from gathered
),

named as (
    select
        *,
        case computed_from
            when 'mutation' then own_computed
            when 'run' then run_computed
            when 'commit' then commit_computed
        end as computed_class,
        case declared_by when 'commit' then commit_declared else own_declared end as declared_class
    from decided
)

select
    position,
    mutation_id,
    classification_id,
    rule_version,
    label,
    change_kind,
    run_label,
    run_first_mutation_id,
    vcs_revision,
    commit_label,
    computed_class,
    computed_from,
    declared_class,
    declared_by,
    case
        when computed_class is null or computed_class = 'AST_REFACTOR' then computed_class
        when declared_class in ('BUG_FIX', 'OPTIMIZATION') then declared_class
        when own_class in ('BUG_FIX', 'OPTIMIZATION') then own_class
        else computed_class
    end as mutation_class,
    case
        when declared_by = 'commit' or computed_class is null then null
        when declared_class = 'AST_REFACTOR' and computed_class = 'INTENT_EVOLUTION' and evolved_files > 0
            then 'REFACTOR_NOT_PROVED'
        when declared_by = 'call' and declared_class = 'BUG_FIX' and computed_class = 'AST_REFACTOR'
            then 'FIX_CHANGES_NOTHING'
    end as contradiction,
    evidence,
    basis
from named;
