-- one row is one rule that took something out of one event before it was written
-- needs: ledger
with
marked as (
    select
        position,
        event_id,
        occurred_at,
        session_id,
        event_type,
        unnest(
            regexp_extract_all(payload, '\[(redacted:[0-9a-z-]+|withheld:redaction-failed)(:[0-9a-f]{8})?\]', 1)
        ) as mark
    from ledger
    where contains(payload, '[redacted:') or contains(payload, '[withheld:')
)

select
    position,
    event_id,
    occurred_at,
    session_id,
    event_type,
    replace(replace(mark, 'redacted:', ''), 'withheld:', '') as redaction_rule,
    count(*) as times
from marked
group by position, event_id, occurred_at, session_id, event_type, redaction_rule
order by position, redaction_rule;
