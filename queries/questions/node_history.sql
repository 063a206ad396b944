-- How did this function evolve, across renames?
-- asked as: version definition, how evolve, version function, evolve over
-- asked as: evolution|history of function|class|method|definition
-- asked as: function|class|method|definition changed|change|edited|modified|touched
-- asked as: commit introduced|added|brought function|class|method|definition
-- topic: changes
-- param node: a node id, a name, Outer.name, or path:Outer.name
-- columns: occurred_at, intent_id, change_class, node_hash, path, change, qualified_name, contributor_type, agent_name, session_id, author, mutation_id, vcs_revision, lines_added, lines_deleted, evidence, match_method, confidence, node_id, place
-- the last version first, as far as it is committed; a name means what bears it at HEAD, else what once bore it
with
here as (
    select node_id
    from v_nodes
    where
        node_id = $node
        or qualified_name = $node
        or path || ':' || qualified_name = $node
        or substr(qualified_name, length(qualified_name) - length($node)) = '.' || $node
),

meant as (
    select node_id
    from here
    union
    select node_id
    from v_node_versions
    where
        not exists (select 1 from here)
        and (
            node_id = $node
            or qualified_name = $node
            or path || ':' || qualified_name = $node
            or substr(qualified_name, length(qualified_name) - length($node)) = '.' || $node
        )
)

select
    versions.valid_from as occurred_at,
    versions.intent_id,
    versions.change_class,
    versions.node_hash,
    versions.path,
    versions.change,
    versions.qualified_name,
    versions.contributor_type,
    versions.agent_name,
    versions.session_id,
    versions.author,
    versions.mutation_id,
    versions.vcs_revision,
    versions.lines_added,
    versions.lines_deleted,
    versions.evidence,
    versions.match_method,
    versions.confidence,
    versions.node_id,
    versions.place
from v_node_versions as versions
inner join meant on meant.node_id = versions.node_id
order by versions.node_id, versions.place desc;
