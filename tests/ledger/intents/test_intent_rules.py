"""The linter of the registry: every rule with its code, its level, its line and the way out."""

import inspect
import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linetrail.ledger.intents import links, rules
from linetrail.ledger.intents import registry as reader
from linetrail.ledger.intents.overlaps import overlap
from linetrail.ledger.intents.registry import scan
from linetrail.ledger.intents.rules import errors, lint, moment
from linetrail.queries.render import intents
from tests.examples import examples
from tests.registries import CAMEL, FIRST, SECOND
from tools.make_schema import CODES

FINE = {
    "id": "INT-001",
    "name": "Totals",
    "status": "DRAFT",
    "owned_scope": "[src/**]",
    "constraints": "[whole cents]",
    "acceptance_criteria": "[all tests pass]",
}


def registry(*intents):
    """Write intents that are fine but for what is told; None takes a field out."""
    lines = ["active_intents:"]
    for number, told in enumerate(intents, 1):
        fields = FINE | {"id": f"INT-{number:03}"} | told
        kept = [f"{name}: {value}" for name, value in fields.items() if value is not None]
        lines += [f"  {'- ' if not at else '  '}{line}" for at, line in enumerate(kept)]
    return "\n".join(lines) + "\n"


def found(text):
    return [
        (problem.level, problem.code, problem.intent_id, problem.field, problem.line)
        for problem in lint(scan(text.encode()))
    ]


@pytest.mark.parametrize("text", [FIRST, SECOND, registry({})], ids=["first variant", "second variant", "one intent"])
def test_nothing_is_wrong_with_what_is_fine(text):
    assert found(text) == []


def test_what_the_third_registry_leaves_out_is_only_recommended():
    assert {problem[:2] for problem in found(CAMEL)} == {
        ("warning", "MISSING_CONSTRAINTS"),
        ("warning", "MISSING_ACCEPTANCE_CRITERIA"),
    }


ERROR, WARNING = "error", "warning"
NOW = "2026-03-01T09:00:00Z"


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        # 1: the id
        pytest.param({"id": "int-1"}, (ERROR, "INVALID_ID_FORMAT", "int-1", "id", 2), id="id in small letters"),
        pytest.param({"id": "INT-01"}, (ERROR, "INVALID_ID_FORMAT", "INT-01", "id", 2), id="id of two digits"),
        pytest.param(
            {"id": "INT-\u0660\u0660\u0661"},
            (ERROR, "INVALID_ID_FORMAT", "INT-\u0660\u0660\u0661", "id", 2),
            id="other digits",
        ),
        pytest.param({"id": None}, (ERROR, "INVALID_ID_FORMAT", None, "id", 2), id="no id"),
        pytest.param({"name": None}, (WARNING, "MISSING_NAME", "INT-001", "name", 2), id="no name"),
        # 2: the status
        pytest.param(
            {"status": "done"}, (ERROR, "INVALID_STATUS", "INT-001", "status", 4), id="status in small letters"
        ),
        pytest.param({"status": "ACTIVE"}, (ERROR, "INVALID_STATUS", "INT-001", "status", 4), id="no such status"),
        pytest.param({"status": None}, (ERROR, "INVALID_STATUS", "INT-001", "status", 2), id="no status"),
        pytest.param(
            {"status": "BLOCKED"},
            (WARNING, "MISSING_BLOCKED_REASON", "INT-001", "blocked_reason", 2),
            id="blocked without a reason",
        ),
        pytest.param(
            {"priority": "high"}, (ERROR, "INVALID_PRIORITY", "INT-001", "priority", 8), id="no such priority"
        ),
        # 3: the scope
        pytest.param({"owned_scope": "[]"}, (ERROR, "EMPTY_SCOPE", "INT-001", "owned_scope", 5), id="empty scope"),
        pytest.param({"owned_scope": None}, (ERROR, "EMPTY_SCOPE", "INT-001", "owned_scope", 2), id="no scope"),
        pytest.param(
            {"owned_scope": "[a,\n     'src/[x']"},
            (ERROR, "INVALID_GLOB", "INT-001", "owned_scope", 6),
            id="open bracket",
        ),
        pytest.param({"owned_scope": "[../x]"}, (ERROR, "INVALID_GLOB", "INT-001", "owned_scope", 5), id="climbing"),
        pytest.param({"owned_scope": "['']"}, (ERROR, "INVALID_GLOB", "INT-001", "owned_scope", 5), id="empty pattern"),
        pytest.param({"owned_scope": "[/etc]"}, (WARNING, "ABSOLUTE_PATH", "INT-001", "owned_scope", 5), id="absolute"),
        pytest.param(
            {"owned_scope": "['a/{b,c}']"}, (WARNING, "INVALID_GLOB", "INT-001", "owned_scope", 5), id="alternatives"
        ),
        pytest.param(
            {"owned_scope": "src"}, (ERROR, "INVALID_TYPE", "INT-001", "owned_scope", 5), id="text for a list"
        ),
        # 4 and 5: constraints and criteria
        pytest.param(
            {"constraints": "[]"}, (WARNING, "MISSING_CONSTRAINTS", "INT-001", "constraints", 6), id="no constraints"
        ),
        pytest.param(
            {"constraints": "[a,\n     {type: nonsense}]"},
            (ERROR, "INVALID_CONSTRAINT", "INT-001", "constraints", 7),
            id="a constraint that cannot be checked",
        ),
        pytest.param(
            {"acceptance_criteria": None},
            (WARNING, "MISSING_ACCEPTANCE_CRITERIA", "INT-001", "acceptance_criteria", 2),
            id="no criteria",
        ),
        # 6: times
        pytest.param(
            {"created_at": NOW}, (WARNING, "MISSING_TIMESTAMP", "INT-001", "updated_at", 2), id="one time of two"
        ),
        pytest.param(
            {"owned_scope": "[src/**, 2026]"}, (ERROR, "INVALID_GLOB", "INT-001", "owned_scope", 5), id="a number"
        ),
        pytest.param(
            {"created_at": "yesterday", "updated_at": NOW},
            (ERROR, "INVALID_TIMESTAMP_FORMAT", "INT-001", "created_at", 8),
            id="no time",
        ),
        pytest.param(
            {"created_at": "2026-01-05", "updated_at": NOW},
            (ERROR, "INVALID_TIMESTAMP_FORMAT", "INT-001", "created_at", 8),
            id="a day",
        ),
        pytest.param(
            {"created_at": NOW, "updated_at": "2026-02-29T09:00:00Z"},
            (ERROR, "INVALID_TIMESTAMP_FORMAT", "INT-001", "updated_at", 9),
            id="a day that never was",
        ),
        pytest.param(
            {"created_at": "2026-01-05T09:00:00", "updated_at": NOW},
            (WARNING, "INVALID_TIMESTAMP_FORMAT", "INT-001", "created_at", 8),
            id="no time zone",
        ),
        pytest.param(
            {"created_at": "2026-01-05T09:00:00Z", "updated_at": "2026-01-05T09:30:00+01:00"},
            (WARNING, "INVALID_TIMESTAMP", "INT-001", "updated_at", 9),
            id="updated before it was created",
        ),
        # 7: dependencies and parents
        pytest.param(
            {"dependencies": "\n    - INT-009"},
            (ERROR, "INVALID_DEPENDENCY", "INT-001", "dependencies", 9),
            id="not here",
        ),
        pytest.param(
            {"dependencies": "[INT-001]"}, (ERROR, "CIRCULAR_DEPENDENCY", "INT-001", "dependencies", 8), id="on itself"
        ),
        pytest.param(
            {"parent_intent": "INT-9"}, (ERROR, "INVALID_PARENT", "INT-001", "parent_intent", 8), id="no parent"
        ),
        pytest.param(
            {"parentIntent": "INT-001"}, (ERROR, "CIRCULAR_PARENT", "INT-001", "parent_intent", 8), id="its own parent"
        ),
        # what linetrail does not know, and what could be read in two ways
        pytest.param({"colour": "red"}, (WARNING, "UNKNOWN_FIELD", "INT-001", "colour", 8), id="unknown field"),
        pytest.param({"scope": "[b]"}, (ERROR, "DUPLICATE_KEY", "INT-001", "owned_scope", 8), id="both spellings"),
    ],
)
def test_one_mistake_is_one_finding_in_its_line(fields, problem):
    assert found(registry(fields)) == [problem]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("", (ERROR, "MISSING_ACTIVE_INTENTS", None, "active_intents", 1), id="empty"),
        pytest.param("version: 1\n", (ERROR, "MISSING_ACTIVE_INTENTS", None, "active_intents", 1), id="no root"),
        pytest.param("- a\n", (ERROR, "MISSING_ACTIVE_INTENTS", None, "active_intents", 1), id="a list"),
        pytest.param("intents:\n", (ERROR, "MISSING_ACTIVE_INTENTS", None, "intents", 1), id="nothing in it"),
        pytest.param("intents:\n  a: b\n", (ERROR, "MISSING_ACTIVE_INTENTS", None, "intents", 2), id="no list"),
        pytest.param("intents: []\nelse: 1\n", (WARNING, "UNKNOWN_FIELD", None, "else", 2), id="unknown key"),
        pytest.param("a: b\n c: d\n", (ERROR, "YAML_PARSE_ERROR", None, None, 2), id="no YAML"),
        pytest.param("intents: [&a x]\n", (ERROR, "YAML_PARSE_ERROR", None, None, 1), id="anchor"),
        pytest.param("intents: []\n\tx: 1", (ERROR, "YAML_PARSE_ERROR", None, None, 2), id="tab"),
    ],
)
def test_a_mistake_of_the_whole_file_is_one_finding(text, problem):
    assert found(text) == [problem]


def test_everything_is_found_at_once():
    text = registry({"status": "x"}, {"id": "INT-001", "owned_scope": "[]"}, {"id": "INT-001"}, {"dependencies": "[z]"})

    assert [problem[1] for problem in found(text)] == [
        "INVALID_STATUS",
        "DUPLICATE_ID",
        "EMPTY_SCOPE",
        "DUPLICATE_ID",
        "INVALID_DEPENDENCY",
    ]


def test_a_dependency_may_stand_further_down():
    assert found(registry({"dependencies": "[INT-002]"}, {})) == []


def test_a_circle_is_told_once_with_the_way_round():
    text = registry(
        {"dependencies": "[INT-002]"}, {"dependencies": "[INT-003]"}, {"dependencies": "[INT-001, INT-002]"}
    )

    (problem,) = errors(scan(text.encode()))

    assert (problem.code, problem.intent_id, problem.line) == ("CIRCULAR_DEPENDENCY", "INT-001", 8)
    assert "INT-001 → INT-002 → INT-003 → INT-001" in problem.message


@pytest.mark.slow
def test_a_circle_through_a_thousand_intents_does_not_take_the_linter_down():
    text = registry(*({"dependencies": f"[INT-{number % 1500 + 1:03}]"} for number in range(1, 1501)))

    (problem,) = errors(scan(text.encode()))

    assert problem.code == "CIRCULAR_DEPENDENCY"
    assert len(problem.message) < 200


@pytest.mark.parametrize(
    ("status", "warned"),
    [("DRAFT", True), ("BLOCKED", True), ("IN_PROGRESS", True), ("DONE", False), ("COMPLETED", False)],
)
def test_who_is_in_progress_before_what_it_depends_on_is_done_is_warned(status, warned):
    other = {"status": status, "blocked_reason": "x", "owned_scope": "[other/**]"}

    codes = [problem[1] for problem in found(registry({"status": "IN_PROGRESS", "dependencies": "[INT-002]"}, other))]

    assert codes == ["DEPENDENCY_NOT_DONE"] * warned


def test_what_was_merged_is_done_when_what_goes_on_with_it_is():
    waiting = {"status": "IN_PROGRESS", "dependencies": "[INT-002]"}
    merged = {"status": "ABORTED", "merged_into": "INT-003"}

    assert found(registry(waiting, merged, {"status": "DONE"})) == []


@pytest.mark.parametrize(
    ("first", "second", "example"),
    [
        pytest.param("src/**", "src/billing/*.py", "src/billing/", id="one within the other"),
        pytest.param("src/*/a.py", "src/b/*.py", "src/b/a.py", id="crossing"),
        pytest.param("**/*.md", "docs/**", "docs/", id="anywhere"),
        pytest.param("src/*.py", "src/*/*.py", None, id="another level"),
        pytest.param("src/a.py", "src/b.py", None, id="two files"),
        pytest.param("src/abc/**", "src/ab/**", None, id="names that begin alike"),
    ],
)
def test_scopes_overlap_where_a_file_belongs_to_both(first, second, example):
    text = registry(
        {"status": "IN_PROGRESS", "owned_scope": f"['{first}']"},
        {"status": "IN_PROGRESS", "owned_scope": f"['{second}']"},
    )

    problems = lint(scan(text.encode()))

    assert [(p.level, p.code, p.intent_id, p.line) for p in problems] == [
        ("warning", "SCOPE_OVERLAP", "INT-002", 11)
    ] * bool(example)
    assert all(example in problem.message and "INT-001" in problem.message for problem in problems)


@pytest.mark.parametrize(
    "second",
    [
        pytest.param({"status": "DRAFT"}, id="not in progress"),
        pytest.param({"status": "IN_PROGRESS", "parent_intent": "INT-001"}, id="a part of it"),
    ],
)
def test_some_overlaps_are_as_they_should_be(second):
    assert found(registry({"status": "IN_PROGRESS"}, second)) == []


PATTERNS = st.sampled_from(
    ["a", "a/", "./a/b", "a/**", "a/*/c", "**/c", "[ab]/c", "a/b/c", "b/**", "a?/c", "!a/b", "ab/c", "a//b", "*", "**"]
)


@settings(max_examples=examples(60))
@given(st.lists(st.lists(PATTERNS, min_size=1, max_size=2), min_size=2, max_size=4))
def test_no_overlap_is_missed_for_looking_only_where_folders_meet(scopes):
    text = registry(*({"status": "IN_PROGRESS", "owned_scope": str(scope)} for scope in scopes))

    found = {
        problem.message.split(" both")[0] for problem in lint(scan(text.encode())) if problem.code == "SCOPE_OVERLAP"
    }

    wanted = {
        f"INT-{second + 1:03} and INT-{first + 1:03}"
        for first, second in itertools.combinations(range(len(scopes)), 2)
        if overlap(scopes[first], scopes[second])
    }
    assert found == wanted


def test_many_intents_are_many_and_compared_where_they_can_meet():
    text = registry(*({"status": "IN_PROGRESS", "owned_scope": f"[m{number}/**]"} for number in range(1001)))

    assert [problem[:2] for problem in found(text)] == [("warning", "TOO_MANY_INTENTS")]


@pytest.mark.slow
def test_a_circle_through_ten_thousand_intents_is_one_finding():
    last = 10_000
    chain = ({"dependencies": f"[INT-{number % last + 1:03}]"} for number in range(1, last + 1))

    problems = lint(scan(registry(*chain).encode()))

    assert [problem.code for problem in problems] == ["CIRCULAR_DEPENDENCY", "TOO_MANY_INTENTS"]
    assert "10,000 intents, more than 1,000" in problems[1].message


def test_overlaps_end_where_nobody_would_read_them():
    text = registry(*({"status": "IN_PROGRESS"} for _ in range(300)))

    assert len(found(text)) == 201


def test_a_warning_stops_nothing_but_a_path_that_owns_nothing():
    text = registry({"constraints": "[]", "name": None}, {"owned_scope": "[/abs/**]"})

    assert [problem.code for problem in errors(scan(text.encode()))] == ["ABSOLUTE_PATH"]


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2026-01-05T09:00:00Z", "2026-01-05T10:30:00+01:30"),
        ("2026-01-05T09:00:00Z", "2026-01-04T23:00:00-10:00"),
        ("2026-01-05T09:00:00Z", "2026-01-05T09:00:00.000Z"),
    ],
)
def test_times_are_compared_across_time_zones(text, same):
    assert moment(text) == moment(same)


def test_every_code_that_is_given_is_documented():
    modules = (links, rules, reader, intents)
    given = {
        word
        for module in modules
        for word in inspect.getsource(module).replace("'", '"').split('"')
        if re.fullmatch("[A-Z]+(_[A-Z]+)+", word) and word != "IN_PROGRESS"
    }

    assert given | {"ABSOLUTE_PATH", "REOPENED"} == set(CODES)
