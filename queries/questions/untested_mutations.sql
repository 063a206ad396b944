-- Which changes of code by agents came without a change of a test?
-- control: PW.7
-- asked as: untested change, change without test, untested code, code|change no|never test, code without test, untested
-- asked as: run test after change, test since change
-- how many: untested change
-- topic: changes
-- param since?: only changes from this moment on
-- columns: mutation_id, path, node_id, qualified_name, intent_id, session_id, agent_name, occurred_at, vcs_revision
-- a change of code is untested if no test file was changed in its session, nor for its intent, nor in the commit that has
-- it; v_files.role says what code and tests are, by the conventions of each language; node_id: what was changed, the
-- innermost definitions; null where there is none, or it is not committed yet
with
tests as (
    select mutations.session_id as session_id, mutations.intent_id as intent_id
    from v_mutations as mutations
    inner join v_files as files on files.path = mutations.path
    where files.role = 'test'
),

tested_commits as (
    select commit_files.vcs_revision as vcs_revision
    from v_commit_files as commit_files
    inner join v_files as files on files.path = commit_files.path
    where files.role = 'test'
),

changed as (
    select distinct
        mutations.position as position,
        mutations.mutation_id as mutation_id,
        mutations.path as path,
        mutations.intent_id as intent_id,
        mutations.session_id as session_id,
        mutations.agent_name as agent_name,
        mutations.occurred_at as occurred_at
    from v_mutations as mutations
    inner join v_files as files on files.path = mutations.path
    where
        files.role = 'code'
        and mutations.contributor_type = 'ai'
        and mutations.op <> 'delete'
        and ($since is null or mutations.occurred_at >= $since)
        and not exists (select 1 from tests where tests.session_id = mutations.session_id)
        and not exists (select 1 from tests where tests.intent_id = mutations.intent_id)
),

touched as (
    select
        versions.mutation_id as mutation_id,
        versions.path as path,
        versions.node_id as node_id,
        versions.qualified_name as qualified_name,
        versions.vcs_revision as vcs_revision,
        nodes.parent_id as parent_id
    from v_node_versions as versions
    left join v_nodes as nodes on nodes.node_id = versions.node_id
    where versions.mutation_id is not null
)

select
    changed.mutation_id,
    changed.path,
    touched.node_id,
    touched.qualified_name,
    changed.intent_id,
    changed.session_id,
    changed.agent_name,
    changed.occurred_at,
    touched.vcs_revision
from changed
left join touched
    on touched.mutation_id = changed.mutation_id
    and touched.path = changed.path
    and not exists (
        select 1
        from touched as inner_one
        where inner_one.mutation_id = touched.mutation_id and inner_one.parent_id = touched.node_id
    )
where not exists (
    select 1
    from touched as committed
    inner join tested_commits on tested_commits.vcs_revision = committed.vcs_revision
    where committed.mutation_id = changed.mutation_id
)
order by changed.position, changed.path, touched.qualified_name, touched.node_id, touched.vcs_revision;
