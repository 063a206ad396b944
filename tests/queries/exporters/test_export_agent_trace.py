"""Records that we write are valid Agent Trace, say what `blame` says, and come back to the same facts."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

from linetrail.ledger.log.store import Ledger
from linetrail.ledger.redact.redactor import scrub
from linetrail.ledger.repository import find
from linetrail.projections.lines.attribution import Attribution
from linetrail.projections.survival.agent_lines import Authored, Stretch
from linetrail.queries.exporters.agent_trace import records
from linetrail.queries.importers.older.dialects import read
from tests.examples import examples

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]


@pytest.fixture(scope="session")
def validator(shared):
    """Return what holds a record against the schema of both dialects, URIs and times included."""
    schema = json.loads((shared / "reference" / "agent-trace.schema.json").read_text())
    return Draft202012Validator(schema, format_checker=FormatChecker())


def exported(cli, *options, cwd=None):
    answer = cli("export", "agent-trace", *options, cwd=cwd)
    assert answer.status == 0, answer.err
    return [json.loads(line) for line in answer.out.splitlines()]


GOLDEN = Path(__file__).resolve().parents[2] / "fixtures" / "exports"


def test_the_records_of_the_demo(cli, tmp_path, golden, validator):
    """The whole answer, to be looked at when it changes."""
    cli("demo", cwd=tmp_path)

    answer = cli("export", "agent-trace", cwd=tmp_path / "linetrail-demo")

    assert all(validator.is_valid(json.loads(line)) for line in answer.out.splitlines())
    golden(GOLDEN / "agent-trace.jsonl", answer.out)


@pytest.fixture
def history(repo, agent):
    """Return two commits: one of an agent, one in which an agent changed a person's line."""
    session = agent("session 1/é")
    session.write("a.py", "one = 1\ntwo = 2\n")
    session.write("b.py", "beta = 1\n")
    first = repo.commit("agent", {"c.py": "value = compute(first, second)\n"})
    session.edit("c.py", "first, second", "first, third")
    return first, repo.commit("mixed")


def test_a_record_has_the_lines_that_a_commit_got_from_an_agent(repo, history, cli):
    record, mixed = exported(cli)

    created = [event.id for event in repo.events("mutation.observed")]
    assert record["version"] == "0.1.0"
    assert record["vcs"] == {"type": "git", "revision": history[0]}
    assert record["tool"] == {"name": "claude-code"}
    assert [file["path"] for file in record["files"]] == ["a.py", "b.py"]
    (conversation,) = record["files"][0]["conversations"]
    assert conversation["url"] == "urn:session:session%201%2F%C3%A9"
    assert conversation["contributor"] == {"type": "ai", "model_id": "anthropic/claude-model-x"}
    digest = hashlib.sha256(b"one = 1\ntwo = 2\n").hexdigest()
    assert conversation["ranges"] == [{"start_line": 1, "end_line": 2, "content_hash": f"sha256:{digest}"}]
    assert record["metadata"]["dev.linetrail"]["evidence"] == ["observed"]
    assert set(record["metadata"]["dev.linetrail"]["events"]) <= set(created)
    assert mixed["vcs"]["revision"] == history[1]
    (changed,) = mixed["files"][0]["conversations"][0]["ranges"]
    assert changed["contributor"] == {"type": "mixed", "model_id": "anthropic/claude-model-x"}


def test_the_rule_of_the_specification_finds_the_record_of_a_line(repo, history, cli):
    """Git names the commit behind a line; its record has the file, and a range with the line."""
    found = exported(cli)
    repo.commit("later", {"a.py": "zero = 0\none = 1\ntwo = 2\n"})

    told = repo.git("blame", "--porcelain", "-L3,3", "a.py").split()

    (record,) = [record for record in found if record["vcs"]["revision"] == told[0]]
    (file,) = [file for file in record["files"] if file["path"] == "a.py"]
    ranges = [each for one in file["conversations"] for each in one["ranges"]]
    assert any(each["start_line"] <= int(told[1]) <= each["end_line"] for each in ranges)


def test_each_intent_has_a_record_of_its_own(repo, agent, cli):
    session = agent()
    repo.write(
        ".orchestration/active_intents.yaml",
        "active_intents:\n"
        + "".join(
            f"  - id: {name}\n    name: x\n    status: IN_PROGRESS\n    owned_scope: ['**']\n"
            for name in ("INT-001", "INT-002")
        ),
    )
    for name in ("INT-001", "INT-002"):
        cli("select", name, "--switch")
        session.write(f"{name}.py", "one = 1\n")
    repo.commit()

    found = exported(cli)

    related = [record["files"][0]["conversations"][0]["related"] for record in found]
    assert related == [[{"type": "intent", "url": f"urn:intent:{name}"}] for name in ("INT-001", "INT-002")]
    assert len({record["id"] for record in found}) == 2


def test_records_are_valid(history, cli, validator):
    for record in exported(cli):
        assert [error.message for error in validator.iter_errors(record)] == []


def test_a_fresh_clone_gives_the_same_records(repo, history, cli, tmp_path):
    here = exported(cli)
    cli("seal")
    repo.commit("seal")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", repo.path, clone], check=True)

    assert exported(cli, cwd=clone) == here


def test_our_records_come_back_to_the_same_facts(repo, history, cli, tmp_path):
    cli("export", "agent-trace", "--out", "out.jsonl")
    sent = exported(cli)
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", repo.path, clone], check=True)
    shutil.rmtree(clone / ".orchestration")
    (clone / ".orchestration").mkdir()
    shutil.copy(repo.path / "out.jsonl", clone)

    cli("import", "agent-trace", "out.jsonl", cwd=clone)

    events = [entry.event for entry in Ledger(find(str(clone))).read()]
    assert [event.vcs.revision for event in events] == list(history)
    assert {event.session_id for event in events} == {"session 1/é"}
    assert {(event.agent.name, event.agent.model_id) for event in events} == {
        ("claude-code", "anthropic/claude-model-x")
    }
    said = [
        (file["path"], one["start_line"], one["end_line"], one["content_hash"], one["contributor"])
        for event in events
        for file in event.data["files"]
        for one in file["said"]["ranges"]
    ]
    told = [
        (
            file["path"],
            one["start_line"],
            one["end_line"],
            one["content_hash"],
            one.get("contributor", {"type": "ai"})["type"],
        )
        for record in sent
        for file in record["files"]
        for each in file["conversations"]
        for one in each["ranges"]
    ]
    assert said == told
    assert exported(cli, cwd=clone) == sent


SPEC = {
    "version": "0.1.0",
    "id": "550e8400-e29b-41d4-a716-446655440000",
    "timestamp": "2026-01-23T14:30:00+01:00",
    "vcs": {"type": "git", "revision": "a" * 40},
    "files": [
        {
            "path": "src/app.ts",
            "conversations": [
                {
                    "url": "https://api.example.com/v1/conversations/12345",
                    "contributor": {"type": "ai", "model_id": "anthropic/claude-opus-4-5"},
                    "ranges": [{"start_line": 42, "end_line": 67, "content_hash": "murmur3:9f2e8a1b"}],
                }
            ],
        }
    ],
    "metadata": {"confidence": 0.95},
}
SEED = {
    "id": "7d4a8f0e-3b52-4f0e-9d0a-6d5a3b1c2e4f",
    "timestamp": "2026-02-16T12:00:00Z",
    "vcs": {"revision_id": "b" * 40},
    "intent_id": "INT-001",
    "files": [{"relative_path": "a.ts", "conversations": [{"url": "s", "ranges": [{"start_line": 1, "end_line": 9}]}]}],
}
COMMAND = {"timestamp": "2026-02-16T12:03:00Z", "intent_id": "INT-002", "command": "npm test", "exit_code": 1}
NO_FILE = SPEC | {"files": [{"path": ".sessions", "conversations": []}]}


def test_records_that_were_imported_leave_byte_for_byte(repo, cli, validator):
    repo.start_ledger()
    lines = [json.dumps(SPEC), json.dumps(SEED, indent=None, separators=(" ,", ": ")), f"\t{json.dumps(COMMAND)} \r"]
    lines.append(json.dumps(NO_FILE).replace("0.95", "9.5e-1"))
    repo.write("agent_trace.jsonl", "\n".join(lines))
    cli("import", "agent-trace", "agent_trace.jsonl")

    answer = cli("export", "agent-trace", "--out", "out.jsonl")

    assert (answer.status, answer.err) == (0, "4 records written to out.jsonl\n")
    assert (repo.path / "out.jsonl").read_bytes() == "".join(f"{line}\n" for line in lines).encode()
    for line in (lines[0], lines[1], lines[3]):
        assert validator.is_valid(json.loads(line))


def test_a_record_longer_than_an_event_leaves_whole(repo, cli):
    repo.start_ledger()
    long = json.dumps(SPEC | {"metadata": {"text": 'ü"' * 60_000}}, ensure_ascii=False)
    repo.write("agent_trace.jsonl", f"{long}\n{json.dumps(SEED)}\n")
    cli("import", "agent-trace", "agent_trace.jsonl")

    cli("export", "agent-trace", "--out", "out.jsonl")

    assert (repo.path / "out.jsonl").read_text() == f"{long}\n{json.dumps(SEED)}\n"


def test_what_was_no_record_is_no_record_afterwards(repo, cli):
    repo.start_ledger()
    repo.write("agent_trace.jsonl", f"{json.dumps(SPEC)}\n{{torn\n{json.dumps(SEED)}\n")
    cli("import", "agent-trace", "agent_trace.jsonl")

    assert exported(cli) == [SPEC, SEED]


def test_a_range_leaves_imported_records_out(repo, history, cli):
    repo.write("agent_trace.jsonl", f"{json.dumps(SPEC)}\n")
    cli("import", "agent-trace", "agent_trace.jsonl")

    assert exported(cli)[0] == SPEC
    assert [record["vcs"]["revision"] for record in exported(cli, "--range", f"{history[0]}..HEAD")] == [history[1]]


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
RECORDS = st.sampled_from([SPEC, SEED, COMMAND, NO_FILE]).flatmap(
    lambda base: st.dictionaries(
        st.sampled_from(["id", "vcs", "tool", "metadata", "x", "intent_id"]), VALUES, max_size=3
    ).map(lambda more: base | more)
)

# What looks like a secret is taken out, and does not leave again.
LINES = RECORDS.map(json.dumps).filter(lambda line: scrub(line) == line)


@settings(max_examples=examples(5), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(LINES, min_size=1, max_size=5, unique=True))
def test_import_export_import_is_the_identity(tmp_path_factory, cli, lines):
    content = "".join(f"{line}\n" for line in lines).encode()
    folders = [tmp_path_factory.mktemp("ledger") for _ in range(2)]
    sent = content
    ledgers = []
    for folder in folders:
        subprocess.run(["git", "init", "--quiet", folder], check=True)
        (folder / ".orchestration").mkdir()
        (folder / "agent_trace.jsonl").write_bytes(sent)
        assert cli("import", "agent-trace", "agent_trace.jsonl", cwd=folder).status == 0
        assert cli("export", "agent-trace", "--out", "out.jsonl", cwd=folder).status == 0
        sent = (folder / "out.jsonl").read_bytes()
        ledgers.append([entry.event for entry in Ledger(find(str(folder))).read()])
        assert sent == content

    assert ledgers[0] == ledgers[1]


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).filter(
    lambda name: name.strip() and name.casefold() != "unknown"
)
BY = st.builds(
    Attribution,
    contributor_type=st.just("ai"),
    mixed=st.booleans(),
    agent_name=st.sampled_from(["claude-code", "cursor"]),
    model_id=st.none() | NAMES,
    session_id=st.none() | NAMES,
    intent_id=st.none() | st.sampled_from(["INT-001", "INT 2/x%"]),
    event_id=st.uuids().map(str),
    tool_call_id=st.none(),
    written_at=st.just("2026-01-05T09:01:00.000000Z"),
    vcs_revision=st.none(),
    author=st.none(),
    origin_event_id=st.none(),
    evidence=st.just("observed"),
    confidence=st.just(1.0),
)


@given(st.lists(BY, min_size=1, max_size=6))
def test_every_record_of_ours_is_valid_and_is_read_back_to_the_same_facts(validator, tmp_path_factory, told):
    folder = tmp_path_factory.getbasetemp() / "facts"
    (folder / ".git").mkdir(parents=True, exist_ok=True)
    (folder / ".git" / "HEAD").touch()
    repository = find(str(folder))
    stretches = [Stretch(3 * at + 1, (b"x", b"y"), by) for at, by in enumerate(told)]

    made = list(records(Authored("a" * 40, 1_767_603_600, {"src/a b.py": stretches})))

    found = []
    for record in made:
        assert [error.message for error in validator.iter_errors(record)] == []
        back = read(record, repository)
        (draft,) = back.drafts
        assert (back.vcs.revision, draft.data["files"][0]["path"]) == ("a" * 40, "src/a b.py")
        found += [
            (
                one["start_line"],
                one["end_line"],
                one["contributor"],
                one["model_id"],
                one["session_id"],
                back.agent.name,
                back.intent_id,
            )
            for one in draft.data["files"][0]["said"]["ranges"]
        ]
    assert sorted(found, key=lambda row: row[0]) == [
        (
            one.first,
            one.last,
            "mixed" if one.by.mixed else "ai",
            one.by.model_id,
            one.by.session_id,
            one.by.agent_name,
            one.by.intent_id,
        )
        for one in stretches
    ]
