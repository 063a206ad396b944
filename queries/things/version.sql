-- One row is one version of a definition: as a commit left it, or a recorded change.
-- words: version
-- also: definition, function, class, method, change
-- figures: added, deleted, length
-- verbs: rewritten, change, touch, edit, modify, rewrite, rewrote
-- status=renamed: rename, move
-- status=created: create, introduce, appear
-- status=deleted: delete, remove, disappear, vanish
-- status=reformatted: reformat
-- class=AST_REFACTOR: refactor, refactoring
-- role=test: test
select
    versions.node_id || '/' || versions.place as id,
    versions.valid_from as happened_at,
    versions.path || ':' || versions.qualified_name as definition,
    versions.qualified_name as what,
    versions.kind,
    versions.language,
    versions.path as file,
    files.role,
    versions.change as status,
    versions.change_class as class,
    versions.agent_name as agent,
    versions.model_id as model,
    coalesce(versions.contributor_type, 'human') as contributor,
    coalesce(versions.agent_name, versions.author) as who,
    versions.session_id as session,
    versions.lines_added as added,
    versions.lines_deleted as deleted,
    versions.end_line - versions.start_line + 1 as length
from v_node_versions as versions
left join v_files as files on files.path = versions.path
