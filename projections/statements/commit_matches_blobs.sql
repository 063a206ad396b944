-- Contents of commits that a session may have left as they are
select distinct files.blob
from git_commit_files as files
inner join git_commits using (vcs_revision)
semi join (select path from mutation_files where contributor_type = 'ai' and after_hash is not null) as changed
    on changed.path = files.path
where
    files.blob is not null
    and not git_commits.is_bot
    and git_commits.committed_at + to_seconds($slack) >= (select min(occurred_at) from mutation_files)
