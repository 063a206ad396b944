-- Who wrote this line, and for which intent?
-- control: SSDF PS.3
-- asked as: line attributed, confidence line
-- asked as: commit line, commit brought line, who wrote line, who owns line, whose line, author line, owner line
-- asked as: why line exist|there|here, blame line, responsible line
-- topic: lines
-- lines of: path
-- param path: file, relative to the repository
-- param line: number of the line at HEAD, from 1
-- columns: contributor_type, agent_name, intent_id, session_id, confidence, match_method, mixed, model_id, author, vcs_revision, event_id, tool_call_id, written_at
select
    contributor_type,
    agent_name,
    intent_id,
    session_id,
    confidence,
    match_method,
    mixed,
    model_id,
    author,
    vcs_revision,
    event_id,
    tool_call_id,
    written_at
from v_blame_lines
where path = $path and line_no = cast($line as bigint);
