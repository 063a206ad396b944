-- files of a mutation that is not there, and mutations that count their files wrongly
-- needs: mutations, mutation_files
with
counted as (
    select position, count(*) as files
    from mutation_files
    group by position
)

select
    coalesce(mutations.position, counted.position) as position,
    mutations.files as files_said,
    counted.files as files_found
from mutations
full join counted on counted.position = mutations.position
where coalesce(mutations.files, -1) <> coalesce(counted.files, 0)
order by 1;
