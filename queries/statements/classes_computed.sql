-- The computed classes of these mutations, by these rules or later ones
select mutation_id, computed_class
from classifications
where about = 'mutation' and rule_version >= $rule_version and mutation_id in (select unnest($ids))
