-- One row is one thing that happened against a rule.
-- words: violation, breach
-- also: call, command
-- verbs: violate, breach
select
    violations.violation_id as id,
    violations.occurred_at as happened_at,
    violations.agent_name as agent,
    sessions.model_id as model,
    violations.intent_id as intent,
    violations.session_id as session,
    'ai' as contributor,
    violations.agent_name as who,
    violations.tool_name as tool,
    violations.reason_code as code,
    violations.reason as what,
    violations.path as file
from v_violations as violations
left join v_sessions as sessions on sessions.session_id = violations.session_id
