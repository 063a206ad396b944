-- transitions whose hunks do not lead from the lines before to the lines after
-- needs: mutation_files
with
transitions as (
    select
        min(position) as position,
        path,
        max(before_lines) as before_lines,
        max(after_lines) as after_lines,
        sum(lines_added) as lines_added,
        sum(lines_deleted) as lines_deleted,
        count(*) as parts_found,
        max(coalesce(parts, 1)) as parts
    from mutation_files
    where not snapshot and omitted is null and before_lines is not null and after_lines is not null
    group by path, before_hash, after_hash, case when parts is null then position end, case when parts is null then file_index end
)

select position, path, before_lines, lines_added, lines_deleted, after_lines
from transitions
where parts_found = parts and before_lines + lines_added - lines_deleted <> after_lines
order by position, path;
