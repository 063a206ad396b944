"""The published contract holds for what the hooks really write, and refuses what it should."""

import json
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linetrail.ledger.event.event import FIELDS, GENESIS, TYPES, Event, derived_id, rfc3339, to_line
from linetrail.ledger.event.schema import DATA, Envelope, json_schema, problems
from linetrail.ledger.hook.loop import handle
from linetrail.ledger.observe.mutation import snapshot, transition
from tests.examples import examples
from tools.make_schema import documents

pytestmark = pytest.mark.in_turn

PAYLOADS = sorted((Path(__file__).parents[2] / "payloads" / "claude-code").glob("*.json"))
NOW = 1_760_000_000_000_000_000
PROMPT = {"excerpt": "do it", "sha256": f"sha256:{'0' * 64}", "length": 5}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=8), inner, max_size=2),
    max_leaves=5,
)


def an_event(event_type="prompt.submitted", data=None, **fields):
    event = Event(
        id=derived_id(NOW, event_type),
        timestamp=rfc3339(NOW),
        type=event_type,
        session_id="s1",
        agent=None,
        contributor="human",
        intent_id=None,
        vcs=None,
        data=PROMPT if data is None else data,
    )
    return event._replace(**fields)


def problems_of(event):
    return problems(to_line(event, 1, GENESIS))


def test_every_type_has_a_model():
    assert set(DATA) == TYPES


def test_the_envelope_has_the_fields_of_a_line_in_their_order():
    assert tuple(Envelope.model_fields) == FIELDS


@pytest.mark.slow
def test_what_is_generated_is_up_to_date():
    for path, text in documents().items():
        assert Path(path).read_text(encoding="utf-8") == text, "run `just schema`"


@pytest.mark.slow
def test_the_json_schema_names_every_type():
    assert set(json_schema()["discriminator"]["mapping"]) == TYPES


@pytest.mark.daily(1)
@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda path: path.stem)
def test_what_the_hook_writes_for_a_payload_is_valid(repo, hook, payload):
    repo.commit(files={"src/billing/invoice.py": "def total(lines):\n    return sum(l.amount for l in lines)\n"})
    repo.start_ledger()
    text = payload.read_text(encoding="utf-8").replace("/home/dev/project", str(repo.path))

    done = hook(text.encode())

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert repo.lines()
    assert [problems(line) for line in repo.lines()] == [[]] * len(repo.lines())


def test_what_a_session_of_edits_writes_is_valid(repo, hook):
    repo.commit(files={"a.py": "one\ntwo\nthree\n"})
    repo.start_ledger()
    call = {"session_id": "s1", "cwd": str(repo.path), "tool_name": "Write", "tool_use_id": "t1"}
    call["tool_input"] = {"file_path": str(repo.path / "a.py"), "content": "one\n2\nthree\n"}

    hook({"hook_event_name": "PreToolUse", **call})
    repo.write("a.py", "one\n2\nthree\n")
    hook({"hook_event_name": "PostToolUse", **call, "tool_response": {"type": "update"}})

    assert [event.type for event in repo.events()] == ["tool.requested", "mutation.observed", "tool.completed"]
    assert [problems(line) for line in repo.lines()] == [[], [], []]


@pytest.mark.slow
def test_what_the_hook_writes_for_a_hostile_payload_is_valid(repo, hook, shared):
    repo.start_ledger()

    for payload in sorted((shared / "fixtures" / "hooks" / "bad").glob("*.json")):
        done = hook(payload.read_bytes())
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), payload.name

    assert repo.lines()
    assert not [found for line in repo.lines() for found in problems(line)]


def test_the_bundled_ledger_is_valid():
    bundle = files("linetrail.queries.demonstration").joinpath("demo.zip").read_bytes()
    lines = ZipFile(BytesIO(bundle)).read("worktree/.orchestration/agent_trace.jsonl").splitlines(keepends=True)

    assert [problems(line) for line in lines] == [[]] * len(lines)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("ledger")
    (path / ".orchestration").mkdir()
    return path


def a_payload(**always):
    texts = st.text(max_size=20) | json_values
    names = st.sampled_from(["Write", "Edit", "MultiEdit", "NotebookEdit", "Bash", "Read", "Agent", "mcp__a__b"])
    inputs = st.dictionaries(
        st.sampled_from(["file_path", "notebook_path", "content", "old_string", "new_string", "edits", "command"]),
        texts,
    )
    responses = st.dictionaries(
        st.sampled_from(["type", "originalFile", "userModified", "stdout", "interrupted", "staged"]), texts
    )
    return st.fixed_dictionaries(
        {name: st.just(value) for name, value in always.items()},
        optional={
            "session_id": texts,
            "prompt_id": texts,
            "agent_id": texts,
            "permission_mode": texts,
            "transcript_path": texts,
            "model": texts,
            "prompt": texts,
            "source": texts,
            "error": texts,
            "duration_ms": json_values,
            "is_interrupt": json_values,
            "tool_name": names | texts,
            "tool_use_id": texts,
            "tool_input": inputs | json_values,
            "tool_response": responses | json_values,
        },
    )


@pytest.mark.daily(1)
@pytest.mark.parametrize(
    "event",
    [
        "SessionStart",
        "SessionEnd",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PermissionRequest",
        "PermissionDenied",
        "SomethingNew",
    ],
)
@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_no_payload_makes_the_hook_write_what_is_not_valid(folder, event, data):
    ledger = folder / ".orchestration" / "agent_trace.jsonl"
    before = ledger.stat().st_size if ledger.exists() else 0
    payload = data.draw(a_payload(hook_event_name=event, cwd=str(folder)))

    handle("claude-code", json.dumps(payload).encode(), event=None, cwd=str(folder), now=lambda: NOW)

    written = ledger.read_bytes()[before:].splitlines(keepends=True) if ledger.exists() else []
    assert not [found for line in written for found in problems(line)]


contents = (
    st.none() | st.binary(max_size=60) | st.lists(st.sampled_from([b"a", b"b = 1", b"", b"\tc", b"}"])).map(b"\n".join)
)


@given(contents, contents.filter(lambda content: content is not None))
def test_every_transition_and_snapshot_is_valid(before, after):
    for entries in (transition("a.py", before, after), snapshot("a.py", after), transition("a.py", after, None)):
        event = an_event("mutation.observed", {"via": "tool", "files": entries})

        assert problems_of(event) == []


@pytest.mark.parametrize(
    ("event", "where"),
    [
        pytest.param(an_event(data={**PROMPT, "mood": "good"}), "data.mood", id="a field too many"),
        pytest.param(an_event(data={"excerpt": "x"}), "data.length", id="a field missing"),
        pytest.param(an_event(data={**PROMPT, "length": "5"}), "data.length", id="a number in quotes"),
        pytest.param(an_event(data={**PROMPT, "length": True}), "data.length", id="a truth value for a number"),
        pytest.param(an_event(data={**PROMPT, "length": -1}), "data.length", id="a negative count"),
        pytest.param(an_event(data={**PROMPT, "excerpt": "x" * 201}), "data.excerpt", id="an excerpt too long"),
        pytest.param(an_event(data={**PROMPT, "sha256": "0" * 64}), "data.sha256", id="a hash without its algorithm"),
        pytest.param(an_event(data={**PROMPT, "sha256": f"sha256:{'A' * 64}"}), "data.sha256", id="a hash in capitals"),
        pytest.param(an_event(id="1"), "id", id="an id that is no UUID"),
        pytest.param(an_event(timestamp="2026-01-05T09:00:00Z"), "timestamp", id="a time without microseconds"),
        pytest.param(an_event(timestamp="2026-01-05T09:00:00.000000Z\n"), "timestamp", id="a time with a line feed"),
        pytest.param(an_event("intent.cleared", {"by": "nobody"}), "data.by", id="a word that is not listed"),
        pytest.param(
            an_event("mutation.observed", {"via": "tool", "files": [{"path": "a", "op": "modify"}]}),
            "data.files.0",
            id="neither hunks nor a reason",
        ),
    ],
)
def test_what_the_contract_does_not_say_is_a_problem(event, where):
    assert [problem.partition(":")[0] for problem in problems_of(event)] == [where]
