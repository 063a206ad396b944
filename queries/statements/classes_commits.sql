-- The commits that were judged by these rules or later ones
select distinct vcs_revision from classifications where about = 'commit' and rule_version >= $rule_version
