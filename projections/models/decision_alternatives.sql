-- one row is one way that a decision did not take
-- needs: decisions
with
listed as (
    select
        decision_id,
        unnest(json_transform(alternatives, '[{"option": "VARCHAR", "why_rejected": "VARCHAR"}]')) as alternative,
        generate_subscripts(json_transform(alternatives, '["JSON"]'), 1) as place
    from decisions
)

select
    decision_id,
    place,
    alternative.option as option_text,
    alternative.why_rejected as why_rejected
from listed;
