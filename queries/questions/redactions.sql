-- Did secrets reach the ledger?
-- control: CC6.7
-- asked as: secret reach ledger, secret|credential|password ledger|log|record|trace, secret leak, redacted, secret removed
-- asked as: secret in ledger
-- how many: secret, coalesce(sum(count), 0)
-- topic: the ledger
-- param since?: only events from this moment on
-- param until?: only events before this moment
-- columns: rule, count, segments, events, sessions, first_at, last_at
-- what was recognised and taken out before it was written, by the rule that recognised it; redaction-failed: a whole text
-- was withheld. segments: files of the ledger that have such marks, the live tail is one. What no rule recognises is not
-- here: linetrail seal looks again with other rules, where betterleaks is installed
select
    redactions.redaction_rule as rule,
    cast(sum(redactions.times) as bigint) as count,
    count(distinct runs.run_index) as segments,
    count(distinct redactions.event_id) as events,
    count(distinct redactions.session_id) as sessions,
    min(redactions.occurred_at) as first_at,
    max(redactions.occurred_at) as last_at
from v_redactions as redactions
inner join v_segments as runs on redactions.position between runs.first_position and runs.last_position
where ($since is null or redactions.occurred_at >= $since) and ($until is null or redactions.occurred_at < $until)
group by redactions.redaction_rule
order by sum(redactions.times) desc, redactions.redaction_rule;
