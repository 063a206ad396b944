-- One row is one run of tests.
-- words: test, testrun, pytest, jest, vitest, unittest, rspec, junit
-- also: call, command
-- verbs: run, ran, execute, fail, pass, report
-- status=failed: fail, failed, failing, failure, red, broken
-- status=completed: complete, completed, succeed, success, successful, pass, green
select
    tests.id,
    tests.occurred_at as happened_at,
    tests.agent_name as agent,
    coalesce(tests.model_id, sessions.model_id) as model,
    tests.intent_id as intent,
    tests.session_id as session,
    tests.contributor_type as contributor,
    tests.agent_name as who,
    tests.what,
    tests.outcome as status,
    calls.error_message as error,
    calls.error_message as reason
from v_findable as tests
left join v_tool_calls as calls
    on calls.tool_call_id = tests.id
    and calls.session_id = tests.session_id
left join v_sessions as sessions on sessions.session_id = tests.session_id
where tests.kind = 'test'
