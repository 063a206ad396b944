"""The 47 questions that others build on keep their names, their parameters and their first columns."""

import json
import re

import pytest

from linetrail.queries.ask import question_files

# name(parameters) -> columns [control]
SIGNATURES = """
line_owner(path,line) -> contributor_type,agent_name,intent_id,session_id,confidence [PS.3]
line_conversation(path,line) -> prompt_excerpt,turn,conversation_url
node_history(node) -> occurred_at,intent_id,change_class,node_hash,path
file_share(path) -> model_id,lines,pct
node_dependents(node) -> node_id,edge_type,intent_id
changes(since) -> activity_date,agent_name,path,lines_added,lines_deleted,intent_id [CC8.1]
out_of_scope_writes(since) -> mutation_id,path,intent_id,path_pattern,verdict [CC6.1, ASI02]
mutations_without_intent(since) -> mutation_id,path,agent_name,via [CC8.1]
unapproved_destructive(since) -> tool_call_id,command,verdict,source,human_id [ASI02, ASI05]
denied_but_executed(since) -> tool_call_id,path,verdict,pre_hash,post_hash [ASI10, CC7.2]
rejections(since) -> tool_name,rule_id,count,example [ASI09]
shell_side_writes(since) -> command,path,lines_added [ASI05]
unobserved_changes(since) -> path,lines,first_commit [CC7.2]
done_intents_touched(since) -> intent_id,completed_at,mutation_id,by_intent [CC8.1]
bypass_sessions(since) -> session_id,permission_mode,mutations [ASI03]
approvals(since) -> human_id,rule_id,tool_name,count,median_seconds [ASI09, PW.7]
protected_path_writes(since) -> path,session_id,verdict [CC6.1, ASI04]
self_rule_edits(since) -> path,session_id,diffstat [ASI06]
mcp_inventory() -> tool_name,first_seen,calls,error_rate [ASI04]
integrity() -> session_id,events,gaps,chain_ok,sealed [PS.1, PS.2]
coverage(path_glob,by) -> path,lines_total,lines_known,pct [PS.3]
hot_files(since) -> path,agent_name,mutations,intents,authors
conflicts(since) -> path,node_id,session_a,session_b,overlap_seconds [ASI08]
stale_writes(since) -> mutation_id,path,expected_hash,found_hash
survival(unit,cohort) -> contributor_type,t,at_risk,survival,ci_lo,ci_hi
rework(since) -> intent_id,lines,reworked,by_human_pct
acceptance(by,since,until) -> dim,proposed,accepted,changed,rejected,acceptance_pct [ASI09]
first_override(by,since,until) -> dim,changes,overridden,pct,median_hours [ASI09]
human_override(since) -> agent_name,ai_lines,overridden,pct [ASI09]
class_mix(intent) -> intent_id,change_class,mutations,lines [CC8.1]
refactor_violations(since) -> intent_id,mutation_id,evidence [PW.7]
intent_lead_time(since) -> intent_id,hours,sessions,reopens
intent_cost(since) -> intent_id,input_tokens,output_tokens,cost_microusd,usd_per_surviving_line
cost_by(dim,since) -> dim,cost_microusd,tokens
tool_failures(since) -> tool_name,error_type,calls,error_rate,p50_ms,p95_ms [ASI08]
loops(since) -> session_id,tool_name,args_hash,repeats [ASI08]
decisions_for(path) -> decision_id,title,status,supersedes_id
thin_decisions() -> decision_id,title,missing
lessons(since) -> lesson_id,intent_id,promoted_to,violations_after
untested_mutations(since) -> mutation_id,path,node_id [PW.7]
commit_sessions(range) -> vcs_revision,session_id,lines,match_method,confidence [PS.3]
ambiguous(range) -> vcs_revision,candidates,best_confidence
stack_owners(frames) -> frame,intent_id,agent_name,age_days [CC7.3]
delegation(session) -> parent,child,agent_type,mutations [ASI07]
context_effect(since) -> lesson_id,shown,followed
redactions(since) -> rule,count,segments [CC6.7]
owner_exposure(since) -> owner,agent_lines,approved_pct [CC8.1]
""".strip().splitlines()
FORM = re.compile(r"(\w+)\((.*)\) -> ([\w,]+)(?: \[(.+)\])?")


@pytest.mark.parametrize("signature", SIGNATURES, ids=lambda text: text.partition("(")[0])
def test_a_question_has_what_was_promised(signature):
    name, parameters, columns, control = FORM.fullmatch(signature).groups()
    question = question_files.find(name)
    wanted = columns.split(",")

    assert {parameter.name for parameter in question.parameters} >= set(filter(None, parameters.split(",")))
    assert list(question.columns[: len(wanted)]) == wanted
    assert set((control or "").split(", ")) <= set((question.control or "").replace("SSDF ", "").split(", "))


def test_a_question_may_be_asked_without_what_it_may_be_told():
    needed = {"path", "line", "node", "frames", "dim", "by", "kind", "session"}

    for question in question_files.questions().values():
        assert {parameter.name for parameter in question.parameters if not parameter.optional} <= needed


def test_the_list_tells_the_control(repo, cli):
    repo.start_ledger()

    rows = {row["name"]: row for row in json.loads(cli("sql", "--list", "--json").out)["rows"]}

    assert rows["out_of_scope_writes"]["control"] == "CC6.1, ASI02"
    assert rows["hot_files"]["control"] is None
