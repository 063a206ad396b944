-- What formatters made of the files of a change.
select path, mutation_id, command from v_formatted_files where written_mutation_id = $id order by position, path;
