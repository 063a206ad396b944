-- One row is one path that an intent may change, or must not.
-- words: scope, pattern
-- also: file
-- verbs: own, include, cover
select
    scopes.intent_id || ':' || scopes.place as id,
    scopes.intent_id as intent,
    scopes.path_pattern as what,
    scopes.path_pattern as file,
    scopes.effect as status
from v_intent_scope as scopes
