-- How many events there are, and when the latest of them happened: what was imported may be older than what is before it
select coalesce(max(position), 0) as events, max(occurred_at) as last_event_at from events
