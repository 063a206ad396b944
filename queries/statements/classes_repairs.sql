-- Tests that failed before a change and passed after it
select * from repairs where mutation_id in (select unnest($ids))
