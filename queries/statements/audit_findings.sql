-- The findings of one page: from one place to another among those of a rule, or of each rule.
-- param rule?: of this rule alone
-- param first: from this one on, beginning with 1
-- param last: up to this one
select *
from findings
where ($rule is null or rule = $rule) and nth between $first and $last
order by place;
