-- one row is one change that is not what somebody said that it is: a mutation by what the call said, a commit by its subject
-- needs: classifications, classified_files, mutation_classes, mutations
with
-- the latest judgement of each commit
commits_judged as (
    select *
    from (
        select
            *,
            row_number() over (partition by vcs_revision order by rule_version desc, position desc) as nth
        from classifications
        where about = 'commit'
    ) as ranked
    where nth = 1
),

found as (
    select
        classes.position as position,
        'mutation' as about,
        classes.mutation_id as subject_id,
        mutations.occurred_at as occurred_at,
        mutations.session_id as session_id,
        mutations.agent_name as agent_name,
        mutations.intent_id as intent_id,
        classes.contradiction as reason_code,
        classes.declared_class as declared_class,
        classes.declared_by as declared_by,
        mutations.declared_class as words,
        classes.computed_class as computed_class,
        classes.change_kind as change_kind,
        classes.classification_id as classification_id,
        classes.evidence as evidence
    from mutation_classes as classes
    inner join mutations on mutations.mutation_id = classes.mutation_id
    where classes.contradiction is not null
    union all
    select
        position,
        'commit',
        vcs_revision,
        occurred_at,
        null,
        null,
        null,
        case declared_class when 'AST_REFACTOR' then 'REFACTOR_NOT_PROVED' else 'FIX_CHANGES_NOTHING' end,
        declared_class,
        'commit',
        list_extract(
            list_filter(json_transform(basis, '[{"by": "VARCHAR", "words": "VARCHAR"}]'), lambda one: one.by = 'commit'), 1
        ).words,
        computed_class,
        change_kind,
        classification_id,
        evidence
    from commits_judged
    where
        (declared_class = 'AST_REFACTOR' and computed_class = 'INTENT_EVOLUTION' and evolved_files > 0)
        or (declared_class = 'BUG_FIX' and computed_class = 'AST_REFACTOR')
),

named as (
    select classification_id, string_agg(path, ', ' order by file_index) as paths
    from classified_files
    where label = 'evolution'
    group by classification_id
)

select found.*, named.paths as paths
from found
left join named on named.classification_id = found.classification_id;
