-- Who committed, and who began sessions.
select author_id as person from v_commits where author_id is not null
union
select human_id from v_sessions where human_id is not null
order by person;
