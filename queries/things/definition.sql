-- One row is one definition at HEAD.
-- words: definition, symbol, node
-- also: code, line
-- figures: length, changes
-- words kind=function: function, fn, func
-- words kind=class: class
-- words kind=method: method
-- verbs: write, wrote, written, create, add, define, exist, contain, have, produce, make, made, come, came, author
-- verbs: generate
-- kind=function: function
-- kind=class: class
-- kind=method: method
-- kind=variable: variable
-- role=test: test
select
    nodes.path || ':' || nodes.qualified_name as id,
    nodes.qualified_name as what,
    nodes.kind,
    nodes.language,
    nodes.path as file,
    files.role,
    nodes.end_line - nodes.start_line + 1 as length,
    versions.first_at as happened_at,
    versions.last_at,
    versions.changes,
    versions.agent,
    versions.model,
    versions.contributor,
    versions.author,
    versions.author as who,
    versions.intent,
    versions.session
from v_nodes as nodes
left join v_files as files on files.path = nodes.path
left join (
    select
        node_id,
        min(valid_from) as first_at,
        max(valid_from) as last_at,
        count(*) as changes,
        min_by(agent_name, place) as agent,
        min_by(coalesce(agent_name, author), place) as author,
        min_by(model_id, place) as model,
        coalesce(min_by(contributor_type, place), 'human') as contributor,
        min_by(intent_id, place) as intent,
        min_by(session_id, place) as session
    from v_node_versions
    group by node_id
) as versions on versions.node_id = nodes.node_id
