-- What a change was judged to be.
select * exclude (position, mutation_id, evidence), cast(evidence as varchar) as evidence
from v_mutation_classes
where mutation_id = $id;
