-- What columns hold that a question may name.
select
    (select list(distinct tool_name order by tool_name) from v_tool_calls where tool_name is not null) as tool,
    (
        select list(distinct reason_code order by reason_code)
        from (select reason_code from v_verdicts union all select reason_code from v_violations)
        where reason_code is not null
    ) as code,
    (select list(distinct event_type order by event_type) from v_events) as type,
    (select list(distinct agent_type order by agent_type) from v_tool_calls where agent_type is not null) as subagent,
    (select list(distinct branch order by branch) from v_sessions where branch is not null) as branch;
