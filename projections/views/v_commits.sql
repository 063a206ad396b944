-- one row is one commit that was seen being made or that HEAD comes from
-- needs: commits, git_commits, rewritten_commits
select
    coalesce(made.vcs_revision, seen.vcs_revision) as vcs_revision,       -- commit
    seen.position as position,                     -- place of its first sighting in the order of all events
    seen.event_id as event_id,                     -- event of its first sighting; null: nobody saw it being made
    seen.observed_at as observed_at,               -- when it was seen first, UTC
    seen.session_id as session_id,                 -- conversation in which it was seen, which need not be in it
    seen.intent_id as intent_id,                   -- intent that was selected
    coalesce(made.parent, seen.parent_revision) as parent_revision,       -- first parent
    coalesce(made.parent, seen.parent_revision) as parent,                -- the same
    coalesce(made.parents, seen.parents) as parents,                      -- number of parents
    coalesce(seen.patch_id, rewritten.patch_id) as patch_id,              -- the same for the same change elsewhere in history; null where nobody asked
    coalesce(seen.files, made.files) as files,     -- number of files in it
    case when made.vcs_revision is null then 0 else 1 end as in_history,  -- 1: HEAD comes from it; what follows is null where it does not
    made.authored_at as authored_at,               -- when it was written, UTC, as its author's clock said
    made.authored_epoch as authored_epoch,         -- the same in seconds since 1970
    made.committed_at as committed_at,             -- when it was committed, UTC
    made.committed_epoch as committed_epoch,       -- the same in seconds since 1970
    made.author_id as author_id,                   -- name and address of its author
    made.ai_trailer as ai_trailer,                 -- agent that it credits: by a trailer, a line at the end, or as its author
    made.is_bot as is_bot,                         -- whether a program made it that is no agent
    made.subject as subject,                       -- first line of its message
    made.insertions as insertions,                 -- lines that came
    made.deletions as deletions,                   -- lines that went
    rewritten.rewritten_from as rewritten_from     -- commit with the same change that was seen, and that HEAD does not come from
from commits as seen
full outer join git_commits as made on made.vcs_revision = seen.vcs_revision
left join rewritten_commits as rewritten on rewritten.vcs_revision = made.vcs_revision;
