-- one row is one stretch of lines of one file that one mutation wrote and one mutation ended, or that is still there
-- needs: line_spans, ledger_end
select
    span_id,            -- made of the mutations, the paths and nothing else: the same in every clone
    path,               -- file, relative to the repository, by the last name that is recorded
    content_hash,       -- of the hashes of the lines, so white space is left out
    lines,              -- how many lines
    contributor_type,   -- who wrote them: ai, human, unknown
    agent_name,         -- product
    model_id,           -- model
    session_id,         -- conversation
    intent_id,          -- intent that was selected
    born_event,         -- mutation that wrote them
    born_path,          -- name that the file had then
    born_via,           -- how that came about: tool, shell, human, import, git, unseen
    born_at,            -- when that was seen, UTC
    born_epoch,         -- the same in seconds since 1970
    died_at,            -- when the lines were changed or taken away, UTC; null: not that anybody knows
    died_epoch,         -- the same in seconds since 1970
    killed_by,          -- mutation that did it
    killed_by_type,     -- who did it: ai, human, unknown
    killed_by_agent,    -- product
    killed_by_session,  -- conversation
    killed_by_intent,   -- intent that was selected
    killed_via,         -- how that came about
    coalesce(lost_at, ended_at) as seen_until_at,           -- up to when this is known, UTC: mostly the last event
    coalesce(lost_epoch, ended_epoch) as seen_until_epoch,  -- the same in seconds since 1970
    case when died_at is null then 1 else 0 end as censored -- 1: the end was not seen
from line_spans
cross join ledger_end;
