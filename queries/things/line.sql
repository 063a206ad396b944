-- One row is one line at HEAD.
-- words: line, loc, code
-- also: file
-- figures: confidence
-- verbs: work, contain, have, hold, add, write, wrote, written, author, generate, produce, come, belong, contribute, own, owner
-- verbs: responsible, code, deliver, govern
-- evidence=observed: observed, seen
-- evidence=git: guess, guessed, presume, presumed
-- evidence=carried: carried
-- hands=mixed: mixed
-- contributor=unknown: unknown
-- role=test: test
-- class=AST_REFACTOR: refactoring, refactored
select
    lines.path || ':' || lines.line_no as id,
    lines.written_at as happened_at,
    lines.contributor_type as contributor,
    lines.agent_name as agent,
    lines.model_id as model,
    lines.intent_id as intent,
    lines.session_id as session,
    coalesce(lines.agent_name, lines.author) as author,
    coalesce(lines.agent_name, lines.author) as who,
    lines.author as person,
    lines.path as file,
    files.role,
    lines.vcs_revision as commit_id,
    lines.mutation_class as class,
    lines.match_method as evidence,
    lines.decision_id as decision,
    lines.confidence,
    case when lines.mixed then 'mixed' else 'pure' end as hands
from v_blame_lines as lines
left join v_files as files on files.path = lines.path
