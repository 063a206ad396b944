"""What became of each intent: every state it was in, from what changes of the registry and choices told."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linetrail.ledger.intents.changes import changes
from linetrail.ledger.repository import find
from linetrail.projections.build import findings
from linetrail.projections.tables.tables import open_tables
from tests.conftest import Repo
from tests.examples import examples
from tests.story import Story

pytestmark = pytest.mark.slow

FULL = {
    "id": "INT-001",
    "name": "Totals",
    "status": "IN_PROGRESS",
    "scope": ["src/**"],
    "description": "Cents",
    "owner": "billing",
    "priority": "HIGH",
    "constraints": ["whole cents", '{"type":"file_size","max_lines":9}'],
    "acceptance_criteria": ["tests pass"],
    "dependencies": ["INT-002"],
    "parent_intent": "INT-003",
    "references": ["docs/cents.md"],
    "blocked_reason": "no keys",
    "forked_from": "INT-004",
    "merged_into": "INT-005",
}
BARE = {"id": "INT-001", "name": "Totals", "status": "DRAFT", "scope": []}
DIGEST = f"sha256:{'1' * 64}"


def tell(story, before, after, **options):
    """Tell the change of the registry from one state of an intent to another, as linetrail would."""
    old, new = ({} if state is None else {state["id"]: state} for state in (before, after))
    for kind, data in changes(old, new, DIGEST, "found", **options):
        story.tell(kind, data, session=None, agent=None, contributor="unknown", intent=data["intent_id"])


@pytest.fixture
def told(repo):
    """Return a function that writes what was told, and gives the rows of a view."""
    repo.start_ledger()

    def ask(story, view, until=None):
        story.written(repo.path)
        with open_tables(find(str(repo.path))) as tables:
            assert findings(tables) == []
            return list(tables.ask(f"select * from {view}").mappings())

    return ask


def test_every_field_is_there_as_it_was_told(told):
    story = Story()
    tell(story, None, FULL)

    (row,) = told(story, "v_intents")

    assert (row["title"], row["status"], row["scope"]) == ("Totals", "IN_PROGRESS", '["src/**"]')
    assert (row["description"], row["owner"], row["priority"]) == ("Cents", "billing", "HIGH")
    assert row["constraints"] == '["whole cents","{\\"type\\":\\"file_size\\",\\"max_lines\\":9}"]'
    assert (row["acceptance_criteria"], row["dependencies"]) == ('["tests pass"]', '["INT-002"]')
    assert (row["parent_intent"], row["reference_list"]) == ("INT-003", '["docs/cents.md"]')
    assert (row["blocked_reason"], row["forked_from"], row["merged_into"]) == ("no keys", "INT-004", "INT-005")
    assert (row["removed"], row["created_at"] is None) == (False, False)


def test_what_a_change_leaves_out_is_gone(told):
    story = Story()
    tell(story, None, FULL)
    tell(story, FULL, BARE)

    (row,) = told(story, "v_intents")

    assert (row["status"], row["scope"]) == ("DRAFT", "[]")
    details = ("description", "owner", "priority", "constraints", "dependencies", "parent_intent", "blocked_reason")
    assert {row[name] for name in details} == {None}


def test_a_choice_tells_three_fields_and_leaves_the_others(told):
    story = Story()
    tell(story, None, FULL)
    story.tell(
        "intent.selected", {"intent_id": "INT-001", "name": "Totals", "status": "IN_PROGRESS", "scope": ["src/**"]}
    )
    story.tell(
        "intent.selected", {"intent_id": "INT-001", "name": "Cents", "status": "IN_PROGRESS", "scope": ["src/**"]}
    )
    story.tell("intent.cleared", {"intent_id": "INT-001"})

    rows = told(story, "v_intent_history order by position")

    assert [(row["event_type"], row["title"], row["owner"]) for row in rows] == [
        ("intent.created", "Totals", "billing"),
        ("intent.selected", "Cents", "billing"),
    ]


def test_an_intent_that_left_the_registry_and_came_back_has_three_states(told):
    story = Story()
    tell(story, None, BARE)
    tell(story, BARE, None)
    tell(story, None, BARE)

    rows = told(story, "v_intent_history order by position")

    assert [(row["removed"], row["valid_to"] is None) for row in rows] == [(False, False), (True, False), (False, True)]


def test_what_is_told_again_is_no_new_state(told):
    story = Story()
    tell(story, None, FULL)
    story.tell("intent.changed", {"intent_id": "INT-001", "before": None, "after": FULL})

    assert len(told(story, "v_intent_history")) == 1


def test_each_state_names_who_told_it_and_how(told):
    story = Story()
    tell(story, None, BARE)
    data = {"intent_id": "INT-001", "before": BARE, "after": BARE | {"status": "DONE"}, "by": "command"}
    story.tell("intent.completed", data | {"verification_notes": "seen", "registry_digest": DIGEST})

    rows = told(story, "v_intent_history order by position")

    assert [(row["contributor_type"], row["agent_name"], row["told_by"]) for row in rows] == [
        ("unknown", None, "found"),
        ("ai", "claude-code", "command"),
    ]
    assert (rows[1]["verification_notes"], rows[1]["registry_hash"]) == ("seen", DIGEST)


states = st.none() | st.fixed_dictionaries(
    {"name": st.sampled_from("ab"), "status": st.sampled_from(["DRAFT", "DONE"]), "scope": st.just(["a"])},
    optional={"owner": st.sampled_from("xy"), "constraints": st.lists(st.sampled_from("pq"), max_size=2)},
)


@settings(max_examples=examples(4))
@given(st.lists(st.lists(states, min_size=1, max_size=6), min_size=8, max_size=12))
def test_the_last_state_is_the_present_one_whatever_came_before(tmp_path_factory, courses):
    repo = Repo(tmp_path_factory.mktemp("history") / "project")
    repo.start_ledger()
    story = Story()
    for number, course in enumerate(courses):
        before = None
        for state in course:
            after = state and {"id": f"INT-{number:03}"} | state
            tell(story, before, after)
            before = after
    story.written(repo.path)

    with open_tables(find(str(repo.path))) as tables:
        assert findings(tables) == []
        rows = {row["intent_id"]: row for row in tables.ask("select * from v_intents").mappings()}

    for number, course in enumerate(courses):
        row = rows.pop(f"INT-{number:03}", None)
        last = next((state for state in reversed(course) if state), None)
        if last is None:
            assert row is None
            continue
        assert (row["title"], row["status"], row["owner"]) == (last["name"], last["status"], last.get("owner"))
        assert json.loads(row["constraints"] or "[]") == last.get("constraints", [])
        assert row["removed"] is (course[-1] is None)
    assert rows == {}
