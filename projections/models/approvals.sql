-- one row is one answer that a person gave to what the gate had asked
-- needs: approval_answers, verdicts
with
questions as (
    select approval_id, session_id, position, occurred_at
    from verdicts
    where approval_id is not null
),

-- ids are short and come back one day: the question is the latest run of verdicts about it before the answer
asked as (
    select answers.position as position, min(questions.occurred_at) as asked_at
    from approval_answers as answers
    inner join questions
        on questions.approval_id = answers.approval_id
        and questions.session_id is not distinct from answers.session_id
        and questions.position < answers.position
    where
        not exists (
            select 1
            from approval_answers as earlier
            where
                earlier.answer in ('approved', 'rejected')
                and earlier.approval_id = answers.approval_id
                and earlier.position < answers.position
                and earlier.position > questions.position
        )
    group by answers.position
)

select
    answers.position as position,
    event_id,
    occurred_at,
    session_id,
    intent_id,
    approval_id,
    approved,
    answer,
    extent,
    tool_name,
    reason_code,
    action,
    reason,
    human_id,
    asked_at,
    date_diff('second', asked_at, occurred_at) as waited_seconds
from approval_answers as answers
left join asked on asked.position = answers.position;
