-- How many findings has each rule, the worst first?
select rule, count(*) as count
from findings
group by rule
order by min(place);
