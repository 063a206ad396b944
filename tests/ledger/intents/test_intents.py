"""Reading active_intents.yaml: both spellings, and the line of every mistake."""

import pytest

from linetrail.ledger.errors import IntentError
from linetrail.ledger.intents import registry_file
from linetrail.ledger.intents.intent import Intent, compact, state_of
from linetrail.ledger.repository import Repository

REGISTRY = """\
# what we are at
active_intents:
  - id: INT-001
    name: Round totals
    status: IN_PROGRESS
    owned_scope:
      - src/billing/**
      - "tests/billing/**"   # with its tests
    constraints: [integers only]
  - id: INT-002
    name: "Old: export"
    status: DONE
"""


@pytest.fixture
def read(tmp_path):
    def read(content):
        folder = tmp_path / ".orchestration"
        folder.mkdir(exist_ok=True)
        raw = content if isinstance(content, bytes) else content.encode()
        (folder / "active_intents.yaml").write_bytes(raw)
        return registry_file.read(Repository(str(tmp_path), None, None))

    return read


def test_intents_come_in_the_order_of_the_file_with_their_lines(read):
    first, second = read(REGISTRY)

    assert first[:5] == ("INT-001", "Round totals", "IN_PROGRESS", ("src/billing/**", "tests/billing/**"), 3)
    assert second[:5] == ("INT-002", "Old: export", "DONE", (), 10)


@pytest.mark.parametrize("root", ["active_intents", "intents"])
@pytest.mark.parametrize("scope", ["owned_scope", "ownedScope", "scope"])
def test_both_documented_spellings_are_read(read, root, scope):
    assert read(f"{root}: [{{id: INT-1, {scope}: ['a/**']}}]")[0].scope == ("a/**",)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("", id="empty"),
        pytest.param("# only a comment\n", id="comment"),
        pytest.param("active_intents:\n", id="null"),
        pytest.param("active_intents: []\n", id="empty list"),
    ],
)
def test_a_registry_may_be_empty(read, content):
    assert read(content) == []


def test_no_file_is_no_intent(tmp_path):
    assert registry_file.read(Repository(str(tmp_path), None, None)) == []


def test_no_type_is_guessed(read):
    (intent,) = read("intents: [{id: 007, name: no, status: 2026-01-05}]")

    assert (intent.id, intent.name, intent.status) == ("007", "no", "2026-01-05")


def test_what_is_missing_gets_a_plain_default(read):
    (intent,) = read("intents: [{id: INT-9}]")

    assert (intent.name, intent.status, intent.scope) == ("INT-9", "DRAFT", ())


@pytest.mark.parametrize(
    ("status", "closed"),
    [
        ("DRAFT", False),
        ("PENDING", False),
        ("IN_PROGRESS", False),
        ("BLOCKED", True),
        ("DONE", True),
        ("COMPLETED", True),
        ("ABORTED", True),
    ],
)
def test_both_vocabularies_of_status_say_what_is_closed(read, status, closed):
    assert read(f"intents: [{{id: INT-1, status: {status}}}]")[0].closed is closed


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("intents:\n  - id: [\n", r":3: not YAML", id="not YAML"),
        pytest.param("intents:\n- id: a\n  name: &x b\n", r":3: anchors", id="anchor"),
        pytest.param("a: &a [x]\nb: *a\n", r":1: anchors", id="alias"),
        pytest.param("intents:\n- !!python/object:os.system {}\n", r":2: the tag", id="tag"),
        pytest.param("intents: " + "[" * 50, r":1: nested deeper than 20", id="deep"),
        pytest.param("[]\n", r":1: expected `key: value`", id="a list for a root"),
        pytest.param("other: 1\n", r":1: neither `active_intents` nor `intents`", id="no root key"),
        pytest.param("intents:\n  id: x\n", r":2: expected a list", id="a map for a list"),
        pytest.param("intents:\n- id: a\n- name: b\n", r":3: an intent without an id", id="no id"),
        pytest.param("intents:\n- id: a\n- id: a\n", r":3: a is here twice, first in line 2", id="same id"),
        pytest.param("intents:\n- id: a\n  id: b\n", r":3: `id` is here twice", id="same key"),
        pytest.param("intents:\n- id: a\n  [b]: c\n", r":3: expected text for a key", id="a list for a key"),
        pytest.param("intents:\n- id: " + "9" * 101, r":2: an id longer than 100", id="long id"),
        pytest.param("intents: []\nactive_intents: []\n", r":1: .* are both here", id="two roots"),
        pytest.param("intents: []\n---\nintents: []\n", r":2: not YAML: but found another", id="two documents"),
        pytest.param(b"intents:\n- \xff\n", r"yaml:2: not YAML: not UTF-8", id="not UTF-8"),
        pytest.param("intents: []".encode("utf-16"), r"yaml:1: not YAML: not UTF-8", id="UTF-16"),
        pytest.param("intents: [" + "{id: a}," * 10_001 + "]", r":1: more than 10,000 intents", id="too many"),
        pytest.param(b"a" * 4_200_000, r"larger than 4 MB", id="too large"),
    ],
)
def test_a_mistake_is_named_with_its_line(read, content, message):
    with pytest.raises(IntentError, match=message):
        read(content)


@pytest.mark.parametrize(
    ("fields", "flaw"),
    [
        pytest.param("scope: [{b: c}]", "INVALID_TYPE: expected text in `owned_scope`", id="a map for a pattern"),
        pytest.param("constraints: use bcrypt", "INVALID_TYPE: expected a list", id="text for a list"),
        pytest.param("name: [a]", "INVALID_TYPE: expected text for `name`", id="a list for text"),
        pytest.param("scope: [a], owned_scope: [b]", "DUPLICATE_KEY: `owned_scope` and `scope`", id="both spellings"),
        pytest.param("status: Done", "INVALID_STATUS: Done is no status", id="status in lower case"),
        pytest.param("scope: []", "EMPTY_SCOPE: INT-002 owns no files", id="no scope"),
    ],
)
def test_a_mistake_in_one_intent_is_a_flaw_of_it_and_of_no_other(read, fields, flaw):
    rest = "".join(f", {part}" for part in ("status: DRAFT", "scope: [a/**]") if part.split(":")[0] not in fields)

    fine, flawed = read(f"intents: [{{id: INT-001, status: DRAFT, scope: ['a/**']}}, {{id: INT-002, {fields}{rest}}}]")

    assert fine.flaws == ()
    assert [found.startswith(flaw) for found in flawed.flaws] == [True]


def test_every_documented_field_is_read(read):
    (intent,) = read(
        """\
        intents:
          - id: INT-007
            name: Rotate keys
            description: Keys are rotated
            status: COMPLETED
            owner: platform
            priority: HIGH
            ownedScope: [keys/**]
            constraints:
              - No downtime
              - {type: file_size, max_lines: 500}
            acceptanceCriteria: [An old key is refused]
            dependencies: [INT-001]
            parentIntent: INT-002
            references: [docs/keys.md]
            blockedReason: null
            createdAt: 2026-01-05T09:00:00Z
            updatedAt: "2026-01-06T09:00:00Z"
            forkedFrom: INT-003
            mergedInto: INT-004
            metadata: {ticket: 12}
        """
    )

    assert intent._replace(flaws=()) == Intent(
        id="INT-007",
        name="Rotate keys",
        status="DONE",
        scope=("keys/**",),
        line=2,
        written="COMPLETED",
        description="Keys are rotated",
        owner="platform",
        priority="HIGH",
        constraints=("No downtime",),
        rules=({"type": "file_size", "max_lines": 500},),
        criteria=("An old key is refused",),
        dependencies=("INT-001",),
        parent="INT-002",
        references=("docs/keys.md",),
        created_at="2026-01-05T09:00:00Z",
        updated_at="2026-01-06T09:00:00Z",
        forked_from="INT-003",
        merged_into="INT-004",
        metadata={"ticket": 12},
    )


def test_a_state_is_short_enough_for_an_event_and_still_tells_two_intents_apart():
    long = tuple(str(number) + "\x01" * 1000 for number in range(60))
    fields = ("scope", "constraints", "criteria", "dependencies", "references")
    intent = Intent("INT-001", "n", "DRAFT", long, 1)._replace(**dict.fromkeys(fields, long))

    state, other = (state_of(one) for one in (intent, intent._replace(criteria=(*long[:-1], "else"))))

    assert len(compact([state, state])) < 60_000
    assert state != other
    assert state | {"acceptance_criteria": None} == other | {"acceptance_criteria": None}


def test_a_bomb_of_aliases_is_refused_before_it_grows(read):
    layers = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 10))

    with pytest.raises(IntentError, match="anchors and aliases"):
        read(f"l0: &l0 [x]\n{layers}\n")


def test_an_unknown_intent_names_those_there_are(tmp_path, read):
    read(REGISTRY)

    with pytest.raises(IntentError, match=r"no intent INT-7 .*available: INT-001, INT-002"):
        registry_file.require(Repository(str(tmp_path), None, None), "INT-7")
