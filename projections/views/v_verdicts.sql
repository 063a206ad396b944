-- one row is one judgement of a tool call before it ran
-- needs: verdicts
select
    position,       -- place in the order of all events
    verdict_id,     -- event that recorded it
    occurred_at,    -- when, UTC
    session_id,     -- conversation
    intent_id,      -- intent that was selected
    agent_name,     -- product
    tool_call_id,   -- call that was judged
    tool_name,      -- tool that was to run
    verdict,        -- allow, deny, ask
    source,         -- whose judgement: agent, linetrail
    rule_id,        -- rule that decided
    reason_code,    -- the reason as a stable word
    reason,         -- the reason as a sentence
    mode,           -- what refusals of this code did: observe, warn, block; null in old events
    enforced,       -- true: the agent was stopped, or a person asked; false: only noted; null: allowed, or an old event
    kind,           -- an older word for act: generative writes, operational runs something, meta steers the work, reading reads
    act,            -- what kind of act: generative (reasoning, planning), safe (reading), mutating (writing), destructive (deletes, runs, or nobody knows), meta (changes what linetrail keeps)
    command_class,  -- of a command: safe, destructive, dangerous
    approval_id     -- approval that it waited for, or that let it through
from verdicts;
