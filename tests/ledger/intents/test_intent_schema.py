"""The published shape of the registry says the same as the reader of the registry."""

import json
from importlib.resources import files

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from linetrail.ledger.intents.registry import FIELDS, LISTS, ROOTS, TEXTS, scan
from linetrail.ledger.intents.rules import errors
from linetrail.ledger.intents.schema import Registry, json_schema
from linetrail.ledger.intents.yaml_text import flow
from tests.examples import examples
from tests.registries import FIRST, SECOND

# What only the intents together say.
LINKS = {"INVALID_DEPENDENCY", "CIRCULAR_DEPENDENCY", "INVALID_PARENT", "CIRCULAR_PARENT", "ABSOLUTE_PATH"}

texts = st.sampled_from(
    ["", "a", "INT-1", "DONE", "done", "HIGH", "2026-02-30T09:00:00Z", "/abs/**", "../x", "[a", "é"]
)
odd = texts | st.none() | st.lists(texts, max_size=2) | st.dictionaries(texts, texts | st.integers(0, 9), max_size=1)
lists = st.lists(texts, max_size=2) | st.none()
PROPER = dict.fromkeys(TEXTS, texts | st.none()) | dict.fromkeys(LISTS, lists) | {
    "id": st.sampled_from(["INT-001", "INT-002", "INT-0003", "INT-004", "INT-005"]),
    "status": st.sampled_from(["DRAFT", "IN_PROGRESS", "COMPLETED", "BLOCKED"]),
    "priority": st.sampled_from(["LOW", "CRITICAL", None]),
    "created_at": st.sampled_from(["2026-01-05T09:00:00Z", "2026-01-05T09:00:00.5+01:00", None]),
    "updated_at": st.just("2026-01-05T09:00:00"),
    "owned_scope": st.lists(st.sampled_from(["src/**", "*.py", "a", "/abs"]), min_size=1, max_size=2),
    "constraints": st.lists(texts | st.just({"type": "file_size", "max_lines": 5}), max_size=2) | st.none(),
    "metadata": odd,
}  # fmt: skip


@st.composite
def registries(draw):
    """Write a registry in which nothing is wrong, or one or two things may be."""
    intents = []
    for intent_id in draw(st.lists(PROPER["id"], max_size=3, unique=draw(st.integers(0, 5)) > 0)):
        fields = {field: draw(proper) for field, proper in PROPER.items() if draw(st.booleans())}
        fields |= {field: draw(PROPER[field]) for field in ("status", "owned_scope")} | {"id": intent_id}
        intents.append({draw(st.sampled_from(FIELDS[field])): value for field, value in fields.items()})
    for _ in range(draw(st.integers(0, 2)) if intents else 0):
        intent = draw(st.sampled_from(intents))
        changed = draw(st.sampled_from([*FIELDS, *intent]))
        if draw(st.booleans()):
            intent[changed] = draw(odd)
        else:
            intent.pop(changed, None)
    tree = {draw(st.sampled_from(ROOTS)): draw(odd) if draw(st.integers(0, 9)) == 9 else intents}
    return tree | ({draw(st.sampled_from([*ROOTS, "version", "else"])): draw(odd)} if draw(st.booleans()) else {})


@settings(max_examples=examples(150))
@given(registries())
def test_both_agree_on_what_is_well_formed(tree):
    found = [problem for problem in errors(scan(flow(tree, '"').encode())) if problem.code not in LINKS]

    try:
        Registry.model_validate(tree)
    except ValidationError as error:
        refused = error
    else:
        refused = None

    assert bool(found) is bool(refused), (found, refused)


@pytest.mark.parametrize("text", [FIRST, SECOND], ids=["first variant", "second variant"])
def test_an_editor_finds_nothing_wrong_with_the_documented_variants(text):
    jsonschema.validate(yaml.load(text, Loader=yaml.BaseLoader) | {"metadata": None}, json_schema())


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        pytest.param({"status": "Done"}, "status", id="status"),
        pytest.param({"owned_scope": []}, "owned_scope", id="no scope"),
        pytest.param({"id": "INT-1"}, "id", id="id"),
        pytest.param({"priority": "high"}, "priority", id="priority"),
        pytest.param({"acceptanceCriteria": "x"}, "acceptanceCriteria", id="camel case"),
    ],
)
def test_an_editor_marks_what_the_linter_would(fields, place):
    intent = {"id": "INT-001", "status": "DRAFT", "owned_scope": ["a"]} | fields

    with pytest.raises(jsonschema.ValidationError) as caught:
        jsonschema.validate({"intents": [intent]}, json_schema())

    assert list(caught.value.absolute_path) == ["intents", 0, place]


def test_the_command_prints_the_schema_that_is_installed(cli):
    answer = cli("intents", "schema")

    assert answer.status == 0
    assert json.loads(answer.out) == json_schema()
    assert answer.out == files("linetrail.ledger.intents").joinpath("intents.schema.json").read_text(encoding="utf-8")
