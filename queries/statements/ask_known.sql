-- The names that a question may use.
select
    list(distinct intent_id order by intent_id) filter (where intent_id is not null) as intents,
    list(distinct session_id order by session_id) filter (where session_id is not null) as sessions,
    list(distinct agent_name order by agent_name) filter (where agent_name is not null) as agents,
    list(distinct model_id order by model_id) filter (where model_id is not null) as models,
    (select list(distinct decision_id order by decision_id) from v_decisions) as decisions,
    (select list(distinct approval_id order by approval_id) from v_approvals) as approvals,
    (select list(distinct lesson_id order by lesson_id) from v_lessons) as lessons,
    (
        select list(distinct [title, id] order by [title, id])
        from (select title, intent_id as id from intents union all select title, decision_id from v_decisions)
        where title is not null
    ) as titles
from (
    select intent_id, null as session_id, null as agent_name, null as model_id from intents
    union all
    select null, session_id, agent_name, model_id from sessions
);
