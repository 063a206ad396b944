-- The commits that events were recorded on
select distinct vcs_revision from events where vcs_revision is not null
