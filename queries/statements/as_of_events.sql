-- The events whose ids begin so
select event_id, position from events where starts_with(event_id, $id) order by position limit $limit
