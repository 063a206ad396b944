-- The intents that the ledger tells of
select intent_id, title as name, status from v_intents where not removed order by intent_id
