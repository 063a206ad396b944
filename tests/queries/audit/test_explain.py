"""`linetrail explain`, and the page that is made of the same words."""

from pathlib import Path

import pytest

from linetrail.queries.audit import rulebook
from linetrail.queries.audit.gate_codes import meanings
from tools.make_rules import document

PAGE = Path(__file__).parents[3] / "docs" / "rules.md"


def test_the_page_of_rules_is_what_their_files_say(golden):
    golden(PAGE, document(rulebook.rules().values()))


@pytest.mark.parametrize("name", ["LT001", "lt001", "out_of_scope_write", "out-of-scope-write", "Out of scope write"])
def test_a_rule_is_found_however_it_is_written(cli, name):
    answer = cli("explain", name)

    assert answer.status == 0
    assert answer.out.startswith("LT001 out of scope write (high)\n")


@pytest.mark.parametrize("rule", rulebook.rules().values(), ids=lambda rule: rule.id)
def test_every_rule_says_what_why_control_example_remedy_and_how_to_except(cli, rule):
    told = cli("explain", rule.id).out

    assert all(f"\n{name} " in told for name in ("finds", "why", "control", "example", "next", "except"))
    assert "{" not in told.replace(f"{{{rule.id}: off}}", "").replace("{DANGEROUS_COMMAND: ask}", "")


@pytest.mark.parametrize("code", meanings())
def test_every_code_of_the_gate_is_explained(cli, code):
    answer = cli("explain", code.lower())

    assert answer.status == 0
    assert answer.out.startswith(f"{code}\n\nsays ")
    assert "{" not in answer.out.replace("`tools: {safe: [TOOL]}`", "")


def test_without_a_name_all_are_listed_the_worst_first(cli):
    lines = cli("explain").out.splitlines()

    assert len(lines) == 1 + len(rulebook.rules())
    assert lines[1].startswith("LT001  high")


def test_a_name_that_is_none_is_answered_with_one_that_is(cli):
    answer = cli("explain", "OUT_OF_SCOP")

    assert answer.status == 2
    assert "LT001" in answer.err or "OUT_OF_SCOPE" in answer.err


def test_the_list_is_a_document(cli):
    assert [row["rule"] for row in cli("explain", "--json").rows] == list(rulebook.rules())
