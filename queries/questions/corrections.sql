-- Which answers did people overrule?
-- control: PW.7
-- asked as: correction, corrected, overruled, wrong attribution, wrong author
-- how many: correction
-- topic: lines
-- param since?: only corrections from this moment on
-- param until?: only corrections before this moment
-- columns: occurred_at, human_id, field, before, after, agent_name, reason, path, start_line, end_line, event_id, correction_id
-- newest first. field: contributor (who wrote the lines), class (what the change was); after null: an earlier correction was
-- taken back; event_id: the event whose reading is corrected, null where git alone spoke; lines are numbered as they were then
-- null: not recorded
select
    occurred_at,
    human_id,
    field,
    answer_before as before,
    answer_after as after,
    agent_name,
    reason,
    path,
    start_line,
    end_line,
    event_id,
    correction_id
from v_corrections
where
    ($since is null or occurred_at >= $since)
    and ($until is null or occurred_at < $until)
order by position desc;
