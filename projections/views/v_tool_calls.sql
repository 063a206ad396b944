-- one row is one tool call
-- needs: tool_calls
select
    position,         -- place of its first event in the order of all events
    tool_call_id,     -- the agent's own name for the call, else the id of its event
    session_id,       -- conversation
    turn,             -- number of the prompt in its session that it came after; null came before any
    intent_id,        -- intent that was selected
    agent_name,       -- product
    model_id,         -- model
    vcs_revision,     -- HEAD when it was asked for
    prompt_id,        -- prompt it answers to
    agent_id,         -- subagent that called; null is the main agent
    agent_type,       -- kind of subagent
    tool_name,        -- function, as the agent spells it
    operation_name,   -- what it does: write, edit, delete, shell, read, mcp, other
    path,             -- first file it names
    command,          -- command line of a shell, secrets taken out
    cwd,              -- folder in which it starts, relative to the repository; null is the root, or not known
    input_hash,       -- SHA-256 of its input
    permission_mode,  -- how much the agent was allowed at that moment
    started_at,       -- when it was asked for, UTC
    ended_at,         -- when its end was seen, UTC
    status,           -- completed or failed; null when no end was seen
    duration_ms,      -- how long it took, as the agent said
    exit_code,        -- of a shell
    output_hash,      -- SHA-256 of its output
    interrupted,      -- whether a person stopped it
    error_type,       -- of a failed one: interrupted, exit and the code, the name of an exception, other
    error_message     -- first characters of its error, secrets taken out
from tool_calls;
