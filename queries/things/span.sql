-- One row is lines that one change wrote and that went together, if they did.
-- words: span
-- also: line, code, write, wrote, written
-- figures: lines
-- status=gone: gone, outlived, lose, lost, kill, die, delete, remove
-- successor=human: humanoverridden
select
    spans.span_id as id,
    spans.born_at as happened_at,
    spans.contributor_type as contributor,
    spans.agent_name as agent,
    spans.model_id as model,
    spans.intent_id as intent,
    spans.session_id as session,
    coalesce(spans.agent_name, spans.contributor_type) as who,
    spans.path as file,
    spans.path as what,
    case when spans.died_at is null then 'standing' else 'gone' end as status,
    spans.killed_by_type as successor,
    spans.lines,
    epoch(spans.died_at) - epoch(spans.born_at) as seconds,
    spans.died_at as ended_at
from v_line_spans as spans
