-- The lines as facts read them, out of the events, which hold all of them.
select
    position,
    event_id,
    schema_version,
    prev_hash,
    occurred_at,
    event_type,
    session_id,
    struct_pack(name := agent_name, version := agent_version, model_id := model_id) as agent,
    contributor_type,
    intent_id,
    struct_pack(type := vcs_type, revision := vcs_revision, branch := branch, dirty := dirty) as vcs,
    payload
from events
