-- one row is one session: a conversation with an agent
-- needs: sessions
select
    session_id,         -- conversation
    session_id as native_session_id,  -- the agent's own name for it, which is the same
    human_id,           -- person who answered for it what was asked, as git's settings name them; null: nobody is known
    agent_name,         -- product
    agent_version,      -- its version, as said last
    model_id,           -- model, as said last
    parent_session_id,  -- session that started this one
    source,             -- why it began: startup, resume, and so on
    transcript as conversation_url,  -- the same as transcript
    transcript,         -- where the agent keeps the conversation
    cwd,                -- working directory, relative to the repository
    permission_mode,    -- as said at its last start
    branch,             -- branch, as said last
    started_at,         -- first start that was seen, UTC
    ended_at,           -- its end, UTC; null while it is open or when no end was seen
    end_reason,         -- why it ended
    first_event_at,     -- first event, UTC
    last_event_at,      -- last event, UTC
    first_position,     -- place of its first event
    last_position,      -- place of its last event
    events,             -- events in it
    prompts,            -- prompts in it
    tool_requests,      -- tool calls in it
    mutations           -- events in it that saw files change
from sessions;
