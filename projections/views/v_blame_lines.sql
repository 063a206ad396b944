-- one row is one line of a text file at HEAD, with the answer of `linetrail blame`
-- needs: blame_lines, decided_lines
select
    lines.path as path,                           -- file, relative to the repository
    lines.line_no as line_no,                     -- number of the line, from 1
    lines.vcs_revision as vcs_revision,           -- commit that brought it
    lines.contributor_type as contributor_type,   -- who made its last change of substance: ai, human, unknown
    lines.mixed as mixed,                         -- whether both kinds of author had a hand in it
    lines.agent_name as agent_name,               -- product
    lines.model_id as model_id,                   -- model, as provider/model
    lines.session_id as session_id,               -- conversation
    lines.intent_id as intent_id,                 -- intent that was selected
    decided.decision_id as decision_id,           -- newest decision about the line, as v_decided_lines has it
    lines.event_id as event_id,                   -- mutation that wrote it
    lines.tool_call_id as tool_call_id,           -- call that wrote it
    lines.written_at as written_at,               -- when, UTC
    cast(floor(epoch(lines.written_at)) as bigint) as written_epoch,  -- the same in seconds since 1970
    lines.author as author,                       -- who committed it, as git says
    lines.origin_event_id as origin_event_id,     -- mutation that first wrote it
    lines.evidence as match_method,               -- rule that decided, as in docs/attribution.md
    lines.confidence as confidence,               -- 0 to 1
    lines.mutation_class as mutation_class,       -- what that mutation was judged to be
    lines.overruled as overruled                  -- who wrote it before a person corrected the answer
from blame_lines as lines
left join decided_lines as decided
    on decided.path = lines.path and decided.line_no = lines.line_no and decided.nth = 1;
