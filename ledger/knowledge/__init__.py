"""What people and agents write down for the next session: decisions, lessons, things to do."""
