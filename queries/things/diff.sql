-- One row is what one commit did to one file.
-- words: diff
-- also: change, edit, patch, line, file
-- figures: added, deleted, size
select
    changed.vcs_revision || ':' || changed.path as id,
    coalesce(commits.authored_at, commits.observed_at) as happened_at,
    commits.author_id as author,
    commits.author_id as who,
    changed.path as file,
    concat_ws(' from ', changed.path, changed.old_path) as what,
    files.role,
    case when blob is null then 'delete' when old_path is not null then 'rename' else 'modify' end as status,
    changed.insertions as added,
    changed.deletions as deleted,
    changed.insertions + changed.deletions as size
from v_commit_files as changed
left join v_commits as commits on commits.vcs_revision = changed.vcs_revision
left join v_files as files on files.path = changed.path
