-- Which commits were made, and in which session was each seen?
-- topic: the ledger
-- param since?: only commits from this moment on
-- param until?: only commits before this moment
-- param limit?: at most this many, the latest
-- columns: vcs_revision, committed_at, subject, author_id, ai_trailer, session_id, intent_id, files
-- commits that HEAD comes from, and those that were seen being made
select
    vcs_revision,
    coalesce(committed_at, observed_at) as committed_at,
    subject,
    author_id,
    ai_trailer,
    session_id,
    intent_id,
    files
from v_commits
where
    ($since is null or coalesce(committed_at, observed_at) >= $since)
    and ($until is null or coalesce(committed_at, observed_at) < $until)
order by coalesce(committed_at, observed_at) desc nulls last, vcs_revision
limit cast($limit as bigint);
