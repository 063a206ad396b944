-- One row is one file of one recorded change.
-- words: change, edit, modification, mutation, patch
-- also: line, file
-- figures: added, deleted, size, growth
-- words class=AST_REFACTOR: refactoring, refactor
-- words class=INTENT_EVOLUTION: evolution
-- words class=BUG_FIX: bugfix
-- verbs: change, touch, edit, modify, work, alter, rewrite, rewrote, create, disappear, vanish, appear, arise, arose
-- verbs: delete, remove, rename, add, happen, classify, judge
-- status=add: create, new, add, appear, arise
-- status=delete: delete, remove, disappear, vanish
-- status=rename: rename
-- way=extract: extraction, extract
-- way=rename: renaming
-- label=comment: comment, comment-only, docstring
-- label=formatting: whitespace, formatting-only
-- basis=syntax: proved, proven, syntax
-- class=AST_REFACTOR: refactor, refactoring
-- class=INTENT_EVOLUTION: evolution, behavioural
-- class=BUG_FIX: bugfix, fix
-- kind=format: format, formatting, cosmetic
-- via=shell: shell, command
-- contributor=unknown: unknown
-- role=test: test
select
    changes.mutation_id as id,
    changes.occurred_at as happened_at,
    changes.contributor_type as contributor,
    changes.agent_name as agent,
    case when changes.contributor_type = 'ai' then coalesce(changes.model_id, sessions.model_id) end as model,
    changes.intent_id as intent,
    changes.session_id as session,
    coalesce(changes.agent_name, changes.contributor_type) as who,
    changes.path as file,
    changes.path as what,
    files.role,
    changes.op as status,
    changes.via as via,
    changes.tool_name as tool,
    calls.agent_type as subagent,
    calls.command as program,
    classes.mutation_class as class,
    classes.change_class as kind,
    classes.label,
    classes.change_kind as way,
    classes.basis,
    changes.lines_added as added,
    changes.lines_deleted as deleted,
    changes.lines_added + changes.lines_deleted as size,
    changes.lines_added - changes.lines_deleted as growth
from v_mutations as changes
left join v_sessions as sessions on sessions.session_id = changes.session_id
left join v_tool_calls as calls
    on calls.tool_call_id = changes.tool_call_id
    and calls.session_id = changes.session_id
left join v_files as files on files.path = changes.path
left join v_mutation_classes as classes on classes.mutation_id = changes.mutation_id
