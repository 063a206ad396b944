-- judgements about mutations that are not there, about runs that end before they begin, and files they count wrongly
-- needs: classifications, classified_files, mutations
with
counted as (
    select classification_id, count(*) as files
    from classified_files
    group by classification_id
)

select
    classifications.position as position,
    classifications.classification_id as classification_id,
    classifications.mutation_id as mutation_id,
    classifications.first_mutation_id as first_mutation_id
from classifications
left join mutations as judged on judged.mutation_id = classifications.mutation_id
left join mutations as first_one on first_one.mutation_id = classifications.first_mutation_id
left join counted on counted.classification_id = classifications.classification_id
where
    (classifications.about <> 'commit' and judged.mutation_id is null)
    or (classifications.about = 'run' and (first_one.mutation_id is null or first_one.position > judged.position))
    or classifications.files < coalesce(counted.files, 0)
order by classifications.position;
