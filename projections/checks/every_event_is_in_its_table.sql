-- events that the table of their type does not hold, and rows of such a table without an event of that type
-- needs: events, prompts, tool_requests, tool_outcomes, verdicts, violations, approval_answers, mutations, usage_records, decision_records, lesson_records, stated_lines, classifications, correction_records
with
expected as (
    select position, event_type
    from events
    where event_type in (
        'prompt.submitted', 'tool.requested', 'tool.completed', 'tool.failed', 'gate.decided', 'gate.violation',
        'approval.decided', 'approval.deferred', 'approval.revoked', 'mutation.observed', 'usage.recorded', 'decision.recorded', 'lesson.recorded', 'authorship.stated',
        'mutation.classified', 'correction.recorded'
    )
),

held as (
    select position, 'prompt.submitted' as event_type from prompts
    union all
    select position, 'tool.requested' from tool_requests
    union all
    select position, concat('tool.', status) from tool_outcomes
    union all
    select position, 'gate.decided' from verdicts
    union all
    select position, 'gate.violation' from violations
    union all
    select position, concat('approval.', case when answer in ('deferred', 'revoked') then answer else 'decided' end)
    from approval_answers
    union all
    select position, 'mutation.observed' from mutations
    union all
    select position, 'usage.recorded' from usage_records
    union all
    select position, 'decision.recorded' from decision_records
    union all
    select position, 'lesson.recorded' from lesson_records
    union all
    select distinct position, 'authorship.stated' from stated_lines
    union all
    select position, 'mutation.classified' from classifications
    union all
    select position, 'correction.recorded' from correction_records
)

select
    coalesce(expected.position, held.position) as position,
    expected.event_type as expected_type,
    held.event_type as held_type
from expected
full join held on held.position = expected.position and held.event_type = expected.event_type
where expected.position is null or held.position is null
order by 1;
