-- Of which commits is it not certain which sessions are in them?
-- asked as: ambiguous commit|session, not certain commit, commit attributed certain|uncertain
-- how many: commit
-- topic: changes
-- param range?: only these commits: A..B, or one of them
-- columns: vcs_revision, candidates, best_confidence, best_method, likeliest_session, committed_at, author_id, subject
-- candidates: sessions that may be in it. Certain is what was seen, or a content that a session left: a confidence of 0.9
-- and more for every candidate. A commit that no session may be in is not here
with
candidates as (
    select
        vcs_revision,
        session_id,
        match_method,
        confidence,
        row_number() over (partition by vcs_revision order by confidence desc, session_id) as nth
    from v_commit_matches
    where $range is null or instr($range, vcs_revision) > 0
),

judged as (
    select
        vcs_revision,
        count(*) as candidates,
        max(confidence) as best_confidence,
        min(confidence) as least_confidence,
        max(case when nth = 1 then match_method end) as best_method,
        max(case when nth = 1 then session_id end) as first_session
    from candidates
    group by vcs_revision
)

select
    judged.vcs_revision,
    judged.candidates,
    judged.best_confidence,
    judged.best_method,
    judged.first_session as likeliest_session,
    commits.committed_at,
    commits.author_id,
    commits.subject
from judged
inner join v_commits as commits on commits.vcs_revision = judged.vcs_revision
where judged.least_confidence < 0.9
order by judged.best_confidence, commits.committed_epoch nulls first, judged.vcs_revision;
