-- States of one intent, in their order.
select valid_from, event_type, title, status from v_intent_history where intent_id = $id order by position;
