-- Which files agents changed for each intent, how often, and whether they were in its scope at that moment
select intent_id, path, in_scope, count(*) as times
from v_mutations
where contributor_type = 'ai' and intent_id is not null
group by intent_id, path, in_scope
order by intent_id, path, in_scope
