-- Did an agent change the rules or the memory that steer it?
-- param since?: only from this moment on
-- columns: occurred_at, path, op, agent_name, session_id, intent_id, lines_added, lines_deleted, mutation_id
select
    occurred_at,
    path,
    op,
    agent_name,
    session_id,
    intent_id,
    lines_added,
    lines_deleted,
    mutation_id
from v_mutations
where
    contributor_type = 'ai'
    and ($since is null or occurred_at >= cast($since as timestamp))
    and (
        regexp_matches(lower(path), '(^|/)(claude|agent|agents|gemini|copilot-instructions)(\.local)?\.md$')
        or regexp_matches(lower(path), '(^|/)\.(claude|cursor|codex|gemini|windsurf|kiro|continue|clinerules|roo)(/|$)')
        or regexp_matches(lower(path), '(^|/)\.(cursorrules|windsurfrules|mcp\.json)$')
        or starts_with(path, '.orchestration/')
    )
order by position, path;
