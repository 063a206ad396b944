-- sessions of agents and the prompts in them, by the month of their first event
select
    strftime(sessions.first_event_at, '%Y-%m') as month,  -- month of the first event, UTC
    sessions.agent_name as agent_name,                    -- product
    sessions.model_id as model_id,                        -- model, as said last
    writers.person as person,
    subjects.owner as owner,                              -- team whose files it changed most
    subjects.change_class as change_class,                -- what most of its changes were
    subjects.intent_id as intent_id,                      -- intent that most of its changes were for
    count(*) as sessions,                                 -- sessions
    coalesce(sum(sessions.prompts), 0)::bigint as prompts -- prompts in them
from v_sessions as sessions
left join session_subjects as subjects on subjects.session_id = sessions.session_id
left join writers on sessions.first_position between writers.first_position and writers.last_position
group by all;
