-- The changes that a formatter went over in one change.
select path, written_mutation_id, command from v_formatted_files where mutation_id = $id order by path;
