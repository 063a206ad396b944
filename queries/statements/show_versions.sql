-- Versions of one definition, the newest first.
select
    place, valid_from, agent_name, session_id, intent_id, change, change_class, path, qualified_name, start_line,
    end_line, lines_added, lines_deleted, mutation_id, vcs_revision
from v_node_versions
where node_id = $id
order by place desc;
