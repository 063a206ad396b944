-- How much happened in stretches of the ledger; $first and $last are their ends.
with stretches as (
    select unnest($first) as first_position, unnest($last) as last_position
)

select
    (select count(distinct session_id) from v_events as events, stretches
        where events.position between first_position and last_position and events.agent_name is not null) as sessions,
    (select count(*) from v_events as events, stretches
        where events.position between first_position and last_position) as events,
    (select cast(sum(cost_microusd) as bigint) from v_token_usage as spent, stretches
        where spent.position between first_position and last_position) as cost_microusd
