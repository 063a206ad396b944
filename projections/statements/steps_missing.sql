-- Mutations that are not classified yet; what git put on the disk is nobody's work
select mutations.mutation_id
from mutations
left join classifications
    on classifications.mutation_id = mutations.mutation_id
    and classifications.about = 'mutation'
    and classifications.rule_version >= $rule_version
where classifications.mutation_id is null and mutations.via <> 'git'
order by mutations.position desc
limit $limit
