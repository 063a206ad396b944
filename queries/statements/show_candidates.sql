-- Everything whose id begins like a text.
select 'event' as kind, event_id as id from v_events where starts_with(event_id, $id)
union all
select distinct 'session', session_id from v_events where starts_with(session_id, $id)
union all
select 'intent', intent_id from v_intents where starts_with(intent_id, $id)
union all
select distinct 'tool call', tool_call_id from v_tool_calls
where starts_with(tool_call_id, $id) and tool_call_id not in (select event_id from v_events)
union all
select 'commit', vcs_revision from commits where starts_with(vcs_revision, $id)
union all
select 'decision', decision_id from v_decisions where starts_with(decision_id, $id)
union all
select 'lesson', lesson_id from lessons where starts_with(lesson_id, $id)
union all
select distinct 'prompt', prompt_id from v_prompts where starts_with(prompt_id, $id)
union all
select 'recovery point', point_id from v_recovery_points where starts_with(point_id, $id) or point_name = $id
union all
select distinct 'approval', approval_id from v_approvals where starts_with(approval_id, $id)
order by kind, id;
