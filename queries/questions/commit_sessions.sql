-- Which commit contains which sessions, and how is that known?
-- control: SSDF PS.3
-- asked as: session commit, session produced|made commit, commit contain session, session in commit, commit agent|ai, commit come session
-- topic: changes
-- param range?: only these commits: A..B, or one of them
-- param commit?: only this commit, by the first characters of its id
-- columns: vcs_revision, session_id, lines, match_method, confidence, agent_name, files, subject, committed_at
-- lines: those that the session wrote in the files of the commit. confidence: 1 is seen, 0.5 and less is a trailer or the
-- time alone, shared by all sessions in question. No session is in the commits of bots; a commit that is not here is nobody's
-- that is known
select
    matches.vcs_revision,
    matches.session_id,
    matches.lines,
    matches.match_method,
    matches.confidence,
    matches.agent_name,
    matches.files,
    commits.subject,
    commits.committed_at
from v_commit_matches as matches
inner join v_commits as commits on commits.vcs_revision = matches.vcs_revision
where
    ($range is null or instr($range, matches.vcs_revision) > 0)
    and ($commit is null or substr(matches.vcs_revision, 1, length($commit)) = $commit)
order by
    commits.committed_epoch nulls first,
    commits.position nulls first,
    matches.vcs_revision,
    matches.confidence desc,
    matches.session_id;
