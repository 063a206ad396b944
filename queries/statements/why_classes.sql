-- What changes were judged to be
select mutation_id, mutation_class, basis, label, change_kind, cast(evidence as varchar) as evidence
from v_mutation_classes
where mutation_id in (select unnest($ids))
