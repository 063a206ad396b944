-- The runs that were judged by these rules or later ones
select first_mutation_id, mutation_id
from classifications
where about = 'run' and rule_version >= $rule_version
