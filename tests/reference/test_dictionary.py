"""The data dictionary says what the views are, and the views have what is promised."""

import pytest

from linetrail.projections.tables import models
from tools import make_dictionary as dictionary

# The model that people were promised: each name is a column of the view, whatever else the view has.
PROMISED = {
    "v_events": "event_id session_id seq ts event_type intent_id schema_version payload prev_hash source",
    "v_tool_calls": "tool_call_id session_id turn prompt_id tool_name operation_name command started_at duration_ms "
    "status error_type permission_mode",
    "v_verdicts": "verdict_id tool_call_id verdict source rule_id reason occurred_at",
    "v_mutations": "mutation_id tool_call_id session_id intent_id path occurred_at op start_line end_line lines_added "
    "lines_deleted pre_hash post_hash content_hash via in_scope observed match_method confidence vcs_revision",
    "v_decisions": "decision_id intent_id session_id title rationale status supersedes_id occurred_at",
    "v_decision_alternatives": "decision_id option_text why_rejected",
    "v_token_usage": "usage_key session_id intent_id model_id input_tokens output_tokens cache_read_input_tokens "
    "cache_creation_input_tokens cost_microusd occurred_at",
    "v_commits": "vcs_revision parent authored_at author_id ai_trailer patch_id rewritten_from",
    "v_sessions": "session_id native_session_id agent_name agent_version model_id human_id parent_session_id "
    "started_at ended_at branch conversation_url",
    "v_intents": "intent_id title status owner created_at completed_at",
    "v_intent_history": "intent_id status valid_from valid_to",
    "v_intent_scope": "intent_id path_pattern effect",
    "v_files": "path_id path language renamed_from",
    "v_nodes": "node_id path qualified_name kind",
    "v_node_versions": "node_id node_hash shape_hash valid_from mutation_id",
    "v_blame_lines": "path line_no vcs_revision contributor_type session_id intent_id decision_id confidence "
    "match_method",
    "v_node_lines": "path line_no node_id",
    "v_line_spans": "span_id path content_hash contributor_type intent_id born_at died_at killed_by",
    "v_mutation_classes": "mutation_id change_class evidence rule_version",
    "v_lineage": "src_id dst_id edge_type",
    "v_coverage": "activity_date path lines_total lines_known",
    "v_meta": "name val",
}
LESSONS = "lesson_id intent_ids body promoted_to last_at"


def columns():
    return {view.name: set(models.column_comments(view)) for view in models.views()}


def test_every_promised_column_is_there():
    there = columns()
    missing = {
        view: sorted(set(names.split()) - there.get(view, set()))
        for view, names in {**PROMISED, "v_lessons": LESSONS}.items()
        if set(names.split()) - there.get(view, set())
    }

    assert missing == {}


@pytest.mark.slow
def test_the_page_says_what_the_views_say():
    assert dictionary.PAGE.read_text("utf-8") == dictionary.page(), "write it: just dictionary"
