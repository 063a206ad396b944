-- Which decisions govern this file, and which of them were replaced?
-- asked as: decision govern, decision apply, decision about file, govern file, decision behind, decision
-- asked as: decision hold|valid|force, decision line, decision cover|concern|affect|restrict
-- how many: decision
-- topic: decisions and lessons
-- lines of: path
-- param path: file, relative to the repository
-- param line?: a line of it at HEAD: only the decisions about this line
-- columns: decision_id, title, status, supersedes_id, superseded_by, rationale, intent_id, occurred_at, start_line, end_line
-- those that name the file, or a folder that it is in, and no others; lines as they were numbered when it was recorded
with
named as (
    select decision_id, min(start_line) as start_line, max(end_line) as end_line
    from v_decision_lines
    where path = $path or substr($path, 1, length(path) + 1) = path || '/'
    group by decision_id
)

select
    decisions.decision_id,
    decisions.title,
    decisions.status,
    decisions.supersedes_id,
    decisions.superseded_by_id as superseded_by,
    decisions.rationale,
    decisions.intent_id,
    decisions.occurred_at,
    named.start_line,
    named.end_line
from v_decisions as decisions
inner join named on named.decision_id = decisions.decision_id
where
    $line is null
    or decisions.decision_id in (select decision_id from v_decided_lines where path = $path and line_no = $line)
order by decisions.position;
