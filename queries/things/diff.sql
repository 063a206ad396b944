-- One row is what one commit did to one file.
-- words: diff
-- also: change, edit, patch, line, file
-- figures: added, deleted, size
-- status=add: create, new, add, appear, arise
-- status=delete: delete, remove, disappear, vanish
-- status=rename: rename
-- role=test: test
select
    changed.vcs_revision || ':' || changed.path as id,
    coalesce(commits.authored_at, commits.observed_at) as happened_at,
    commits.author_id as author,
    commits.author_id as who,
    changed.vcs_revision as commit,
    concat_ws(chr(10), changed.path, changed.old_path) as file,
    concat_ws(' from ', changed.path, changed.old_path) as what,
    files.role,
    case when blob is null then 'delete' when old_path is not null then 'rename' else begun.status end as status,
    changed.insertions as added,
    changed.deletions as deleted,
    changed.insertions + changed.deletions as size
from v_commit_files as changed
left join v_commits as commits on commits.vcs_revision = changed.vcs_revision
left join v_files as files on files.path = changed.path
left join (
    select
        listed.vcs_revision,
        listed.path,
        case when row_number() over (
            partition by listed.path
            order by coalesce(made.authored_at, made.observed_at), listed.vcs_revision
        ) = 1 then 'add' else 'modify' end as status
    from v_commit_files as listed
    left join v_commits as made on made.vcs_revision = listed.vcs_revision
) as begun on begun.vcs_revision = changed.vcs_revision and begun.path = changed.path
