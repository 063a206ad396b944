"""Older ledgers, in one tracked file, come over exactly: once, in order, whatever git and crashes did to them."""

import json
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linetrail.ledger.event.schema import problems
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from tests.examples import examples

SPEC = {
    "version": "0.1.0",
    "id": "550e8400-e29b-41d4-a716-446655440000",
    "timestamp": "2026-01-23T14:30:00+01:00",
    "vcs": {"type": "git", "revision": "a" * 40},
    "tool": {"name": "cursor", "version": "2.4.0"},
    "files": [
        {
            "path": "src/app.ts",
            "conversations": [
                {
                    "url": "https://api.example.com/v1/conversations/12345",
                    "contributor": {"type": "ai", "model_id": "anthropic/claude-opus-4-5"},
                    "ranges": [
                        {"start_line": 42, "end_line": 67, "content_hash": "murmur3:9f2e8a1b"},
                        {"start_line": 70, "end_line": 71, "contributor": {"type": "mixed"}},
                    ],
                    "related": [{"type": "intent", "url": "urn:intent:INT-007"}],
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
    "files": [
        {
            "relative_path": "src/auth/middleware.ts",
            "conversations": [
                {
                    "url": "session_log_id",
                    "contributor": {"entity_type": "AI", "model_identifier": "claude-3-5-sonnet"},
                    "ranges": [{"start_line": 15, "end_line": 45, "content_hash": "sha256:a8f5f167f44f4964e6c998de"}],
                    "related": [{"type": "specification", "value": "REQ-001"}],
                }
            ],
        }
    ],
}
SEED_WITH_STATES = {
    "id": "660e8400-e29b-41d4-a716-446655440000",
    "timestamp": "2026-02-16T12:01:00Z",
    "vcs": {"revision_id": "abc123def456", "branch": "feature/jwt-auth", "dirty": True},
    "intent_id": "INT-001",
    "mutation_class": "INTENT_EVOLUTION",
    "files": [
        {
            "relative_path": "src/auth/jwt.ts",
            "operation": "create",
            "before_hash": None,
            "after_hash": f"sha256:{'c' * 64}",
            "line_ranges": [
                {"start_line": 1, "end_line": 9, "content_hash": "sha256:c7", "ast_node_type": "FunctionDeclaration"}
            ],
        }
    ],
    "conversation": {
        "session_id": "session-uuid",
        "message_index": 42,
        "model": "claude-3-5-sonnet-20241022",
        "contributor_type": "AI",
    },
    "metadata": {"tool_used": "write_file", "execution_time_ms": 150},
}
SEED_FLAT = {
    "id": "770e8400-e29b-41d4-a716-446655440000",
    "timestamp": "2026-02-16T12:02:00Z",
    "intent_id": "INT-002",
    "operation": "WRITE",
    "file_path": "src/a.ts",
    "content_hash": f"sha256:{'d' * 64}",
    "classification": "AST_REFACTOR",
    "related": [{"type": "specification", "value": "INT-002"}],
}
SEED_COMMAND = {
    "intent_id": "INT-002",
    "command": "npm test",
    "cwd": "/home/dev/project",
    "exit_code": 1,
    "output_hash": f"sha256:{'e' * 64}",
    "timestamp": "2026-02-16T12:03:00Z",
}
ALL = [SPEC, SEED, SEED_WITH_STATES, SEED_FLAT, SEED_COMMAND]


def line(record):
    return json.dumps(record).encode()


def text(*records):
    return b"".join(line(record) + b"\n" for record in records)


@pytest.fixture
def brought(repo, cli, ledger):
    """Return a function that writes an old ledger, imports it and returns its row."""

    def run(content, *options, path="agent_trace.jsonl", status=0):
        repo.write(path, content)
        answer = cli("import", "agent-trace", path, "--json", *options)
        assert answer.status == status, answer.err
        (row,) = answer.rows
        assert [found for stored in repo.lines() for found in problems(stored)] == []
        return row

    return run


def received(events):
    """Return the file that the events of an import are made of: what was received, in order."""
    content, last = b"", {"line": 0}
    for event in events:
        if event.data.get("raw") is None:
            continue
        place = event.data["received"]
        # A line that no event has was empty.
        content += b"\n" * (place["line"] - max(last["line"], 1))
        content += event.data["raw"].encode(event.data["dialect"] if event.data["dialect"] == "latin-1" else "utf-8")
        last = place
    return content if last.get("unended") else content + b"\n"


def counts(row):
    return row["read"], row["imported"], row["duplicates"], row["rejected"]


def test_the_facts_of_a_specification_record(repo, brought):
    row = brought(text(SPEC))

    (event,) = repo.events()
    assert (row["source"], *counts(row)) == ("agent-trace", 1, 1, 0, 0)
    assert (event.type, event.timestamp, event.contributor) == (
        "mutation.observed",
        "2026-01-23T13:30:00.000000Z",
        "unknown",  # two kinds had a hand in it; the ranges say which
    )
    assert (event.agent.name, event.agent.version, event.agent.model_id) == (
        "cursor",
        "2.4.0",
        "anthropic/claude-opus-4-5",
    )
    assert (event.vcs.revision, event.intent_id) == ("a" * 40, "INT-007")
    assert event.session_id == "https://api.example.com/v1/conversations/12345"
    (file,) = event.data["files"]
    assert (event.data["via"], event.data["dialect"], event.data["raw"]) == ("import", "spec", json.dumps(SPEC))
    assert (file["path"], file["op"], file["hunks"], file["omitted"]) == ("src/app.ts", "modify", None, "not seen")
    assert [(one["start_line"], one["end_line"], one["contributor"]) for one in file["said"]["ranges"]] == [
        (42, 67, "ai"),
        (70, 71, "mixed"),
    ]
    assert file["said"]["ranges"][0]["content_hash"] == "murmur3:9f2e8a1b"


def test_a_file_with_more_ranges_than_an_event_holds_is_spread_over_several(repo, brought):
    ranges = [{"start_line": at, "end_line": at} for at in range(1, 9_502)]
    file = {"path": "src/app.ts", "after_hash": "sha256:c7", "conversations": [{"ranges": ranges}]}
    record = SPEC | {"files": [file]}

    row = brought(text(record))

    files = [file for event in repo.events() for file in event.data.get("files", ())]
    assert counts(row) == (1, 1, 0, 0)
    assert {file["path"] for file in files} == {"src/app.ts"}
    assert [(file["part"], file["parts"]) for file in files] == [(at, len(files)) for at in range(1, len(files) + 1)]
    assert {file["said"]["after_hash"] for file in files} == {"sha256:c7"}
    assert [one["start_line"] for file in files for one in file["said"]["ranges"]] == list(range(1, 9_502))


def test_the_facts_of_a_seed_record(repo, brought):
    brought(text(SEED))

    (event,) = repo.events()
    assert (event.contributor, event.session_id, event.intent_id) == ("ai", "session_log_id", "REQ-001")
    assert (event.agent.name, event.agent.model_id) == ("unknown", "claude-3-5-sonnet")
    assert (event.data["dialect"], event.data["files"][0]["path"]) == ("seed", "src/auth/middleware.ts")


def test_the_facts_of_a_seed_record_with_hashes_of_both_states(repo, brought):
    brought(text(SEED_WITH_STATES))

    (event,) = repo.events()
    assert (event.contributor, event.session_id, event.intent_id) == ("ai", "session-uuid", "INT-001")
    assert (event.vcs.revision, event.vcs.branch, event.vcs.dirty) == (None, "feature/jwt-auth", True)
    assert (event.data["declared_class"], event.data["tool_name"]) == ("INTENT_EVOLUTION", "write_file")
    (file,) = event.data["files"]
    assert (file["op"], file["after_hash"], file["said"]["after_hash"]) == ("add", None, f"sha256:{'c' * 64}")
    assert file["said"]["ranges"][0]["node_type"] == "FunctionDeclaration"


def test_the_facts_of_flat_seed_records(repo, brought):
    brought(text(SEED_FLAT, SEED_COMMAND))

    write, asked, ended = repo.events()
    assert (write.data["declared_class"], write.data["files"][0]["said"]["after_hash"]) == (
        "AST_REFACTOR",
        f"sha256:{'d' * 64}",
    )
    assert (asked.type, asked.data["command"], asked.intent_id) == ("tool.requested", "npm test", "INT-002")
    assert (ended.type, ended.data["exit_code"], ended.data["output_sha256"]) == (
        "tool.completed",
        1,
        f"sha256:{'e' * 64}",
    )
    assert asked.data["tool_call_id"] == ended.data["tool_call_id"]


@pytest.mark.daily(2)
@pytest.mark.promise("M2")
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(text(*ALL), id="as written"),
        pytest.param(text(*ALL)[:-1], id="no last newline"),
        pytest.param(b"\n" + text(*ALL) + b"\n\n" + text(SPEC | {"id": "x"}), id="empty lines"),
        pytest.param(b"\xef\xbb\xbf" + text(*ALL), id="byte order mark"),
        pytest.param(text(*ALL).replace(b"\n", b"\r\n"), id="crlf"),
        pytest.param(line(SPEC) + line(SEED) + b"\n" + text(SEED_FLAT), id="glued"),
        pytest.param(line(SPEC) + b" \t" + line(SEED) + b"  \n" + text(SEED_FLAT), id="glued with space"),
        pytest.param(
            b"<<<<<<< HEAD\n" + text(SPEC) + b"=======\n" + text(SEED) + b">>>>>>> topic\n" + text(SEED_FLAT),
            id="conflict markers",
        ),
        pytest.param(text(SPEC) + line(SEED)[:60] + b"\n" + text(SEED_FLAT), id="half a line"),
        pytest.param(text(SPEC) + line(SEED)[:60], id="half a line at the end"),
        pytest.param(text(SPEC) + b'{"note": "caf\xe9"}\n' + text(SEED), id="not UTF-8"),
        pytest.param(text(SPEC) + b"[1]\nnull\n\x00\x00\n" + text(SEED), id="no objects"),
        pytest.param(
            text(SPEC | {"metadata": {"note": "\u2028 \ud83d\ude00 é " * 5000}}, SEED), id="longer than an event"
        ),
        pytest.param(text(SPEC) + b"x" * 200_000 + b"\n" + text(SEED), id="garbage longer than an event"),
        pytest.param(text(SPEC | {"files": SPEC["files"] * 900}), id="more files than an event holds"),
    ],
)
def test_the_ledger_alone_gives_the_file_back_byte_for_byte(repo, brought, content):
    brought(content)

    assert received(repo.events()) == content


def test_importing_twice_imports_nothing_the_second_time(repo, brought):
    content = text(*ALL) + b"half\n=======\n=======\n" + b'{"b": "\xff"}\n'
    first = brought(content)
    before = repo.lines()

    second = brought(content)

    assert counts(first) == (9, 5, 0, 4)
    assert counts(second) == (9, 0, 5, 4)
    assert repo.lines() == before


def test_what_is_sealed_is_not_imported_again(repo, cli, brought):
    content = text(*ALL) + b"half\n"
    brought(content)
    ledger = Ledger(find(str(repo.path)))
    ledger.seal()

    assert counts(brought(content)) == (6, 0, 5, 1)
    assert ledger.head().seq == 0
    assert received(repo.events()) == content


@pytest.mark.slow
def test_a_file_that_grew_and_was_moved_gives_only_what_is_new(repo, brought):
    brought(text(SPEC)[:-1])

    row = brought(text(SPEC, SEED), path=".orchestration/agent_trace.old.jsonl")

    assert counts(row) == (2, 1, 1, 0)


@pytest.mark.slow
def test_a_record_that_a_union_merge_repeated_is_one_event(repo, brought):
    row = brought(text(SPEC, SEED, SPEC) + line(SEED) + b"\r\n")

    assert counts(row) == (4, 2, 2, 0)
    assert len(repo.events()) == 2


@pytest.mark.slow
def test_a_dry_run_writes_nothing(repo, brought):
    row = brought(text(SPEC, SEED), "--dry-run")

    assert counts(row) == (2, 2, 0, 0)
    assert not repo.lines()


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"<<<<<<< HEAD", "git conflict marker"),
        (b'{"id": "x", "times', "cut short"),
        (b'{"id": "x"', "cut short"),
        (b"\xff", "not UTF-8 at byte 0"),
        (b'{"files": [], "files": []}', "not JSON: a key occurs twice"),
        (b'{"files": [NaN]}', "not JSON: NaN is no number"),
        (b"[" * 100_000, "nested too deeply"),
        (b"7", "not a JSON object"),
        (b'{"trace": 1}', "neither of the specification nor of the seed dialect"),
        (b'{"v":1,"id":"a","seq":1,"prev":"0","data":{}}', "an event of linetrail, not of an older ledger"),
    ],
)
def test_a_line_that_cannot_be_used_is_named_with_the_reason(brought, bad, reason):
    row = brought(text(SPEC) + bad + b"\n\n" + text(SEED))

    assert counts(row) == (4, 2, 0, 1)
    assert row["reasons"] == {f"line 2: {reason}": 1}


@pytest.mark.slow
def test_a_line_too_long_to_be_held_is_counted_and_the_rest_is_read(repo, brought):
    row = brought(text(SPEC) + b'{"files": "' + b"x" * (17 * 1024 * 1024) + b'"}\n' + text(SEED))

    assert counts(row) == (3, 2, 0, 1)
    assert row["reasons"] == {"line 2: longer than 16777216 bytes": 1}


@pytest.mark.slow
def test_a_file_without_any_record_leaves_no_trace_and_is_a_finding(repo, brought):
    row = brought(b"not\na ledger\n", status=1)

    assert counts(row) == (2, 0, 0, 2)
    assert not repo.lines()


@pytest.mark.slow
def test_secrets_do_not_come_over_and_the_line_says_so(repo, brought):
    secret = "ghp_" + "a1B2c3D4e5" * 4
    record = SEED_COMMAND | {"command": f"curl -H 'Authorization: token {secret[:40]}' x"}

    brought(text(record))

    asked = repo.events()[0]
    assert secret[:40].encode() not in b"".join(repo.lines())
    assert asked.data["received"]["redacted"]


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("path", "stored"),
    [
        ("./src//a.py", "src/a.py"),
        ("src\\win\\a.py", "src/win/a.py"),
        ("../elsewhere/a.py", "outside:a.py"),
        ("C:\\code\\a.py", "outside:a.py"),
        ("/somewhere/else/a.py", "outside:a.py"),
    ],
)
def test_a_path_is_spelled_as_the_ledger_does(repo, brought, path, stored):
    brought(text(SEED_FLAT | {"file_path": path}))

    assert [file["path"] for event in repo.events() for file in event.data["files"]] == [stored]


@pytest.mark.slow
def test_what_happened_to_no_file_is_no_change_of_one(repo, brought):
    ranges = [{"ranges": [{"start_line": 1, "end_line": 1}]}]
    brought(text(SPEC | {"files": [{"path": ".shell-history", "conversations": ranges}]}))

    (event,) = repo.events()
    assert (event.type, event.data["signal"]) == ("agent.signalled", "shell-history")


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("tool", "path", "operation", "targets"),
    [
        ("read_file", "src/a.ts", "read", [{"path": "src/a.ts", "role": "read"}]),
        ("select_active_intent", "unknown", "other", []),
        ("execute_command", "unknown", "shell", []),
    ],
)
def test_a_tool_that_writes_nothing_changed_no_file(repo, brought, tool, path, operation, targets):
    file = SEED["files"][0] | {"relative_path": path}
    brought(text(SEED | {"files": [file], "toolName": tool, "mutationClass": "UNKNOWN", "result": "success"}))

    asked, ended = repo.events()
    assert (asked.type, asked.data["operation"], asked.data["targets"]) == ("tool.requested", operation, targets)
    assert (ended.type, ended.data["tool_name"]) == ("tool.completed", tool)


@pytest.mark.slow
def test_a_command_in_the_history_of_a_shell_is_a_command(repo, brought):
    file = {"path": ".shell-history", "conversations": [{"ranges": [{"start_line": 1, "end_line": 1}]}]}
    brought(text(SPEC | {"files": [file], "metadata": {"command": "npx tsc --noEmit"}}))

    assert [event.data.get("command") for event in repo.events()] == ["npx tsc --noEmit", None]


@pytest.mark.slow
def test_short_spellings_are_understood(repo, brought):
    flat = {"intent_id": "INT-1", "contributor": "AI", "content_hash": "c8", "filePath": "temp/a.tmp"}
    told = {"meta": {"mutation_class": "AST_REFACTOR"}}
    talk = SEED["files"][0]["conversations"][0] | told
    brought(
        text(flat | {"timestamp": SEED["timestamp"]}, SEED | {"files": [SEED["files"][0] | {"conversations": [talk]}]})
    )

    first, second = repo.events()
    assert (first.contributor, first.data["files"][0]["said"]["after_hash"]) == ("ai", "c8")
    assert second.data["declared_class"] == "AST_REFACTOR"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
names = ["id", "version", "timestamp", "vcs", "tool", "files", "metadata", "intent_id", "conversation"]
names += ["file_path", "command", "content_hash", "related"]
shapes = st.fixed_dictionaries({}, optional=dict.fromkeys(names, anything)).map(lambda told: SPEC | told)
files = st.fixed_dictionaries(
    {"path": st.text(max_size=8)}, optional={"conversations": st.lists(anything, max_size=2), "ranges": anything}
)


@pytest.mark.slow
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        shapes | shapes.map(lambda told: told | {"files": [told]}) | files.map(lambda one: SEED | {"files": [one]})
    )
)
def test_a_record_of_any_shape_comes_over_or_is_rejected(repo, brought, records):
    (repo.path / ".orchestration" / "agent_trace.jsonl").unlink(missing_ok=True)

    row = brought(text(SEED_COMMAND, *records))

    assert row["imported"] + row["duplicates"] + row["rejected"] == len(records) + 1


@pytest.mark.slow
def test_blame_gives_no_line_to_a_record_and_presumes_no_person_after_it(repo, who, brought, uncommitted_ledger):
    repo.commit(files={"src/a.ts": "one\ntwo\n", "src/b.ts": "one\n"})
    assert who("src/a.ts") == ["human", "human"]

    brought(text(SEED_FLAT | {"timestamp": "2026-01-05T09:00:30Z"}))
    assert who("src/a.ts") == ["human", "human"]  # nobody is said to be an agent: contributor unknown

    brought(
        text(SEED | {"timestamp": "2026-01-05T09:00:30Z", "files": [SEED["files"][0] | {"relative_path": "src/a.ts"}]})
    )
    assert who("src/a.ts") == ["unknown", "unknown"]
    assert who("src/b.ts") == ["human"]


@pytest.mark.slow
def test_blame_presumes_as_before_what_is_older_than_the_record(repo, who, brought, uncommitted_ledger):
    repo.commit(files={"src/a.ts": "one\n"})

    brought(text(SEED | {"files": [SEED["files"][0] | {"relative_path": "src/a.ts"}]}))

    assert who("src/a.ts") == ["human"]


@pytest.mark.slow
def test_every_projection_takes_what_was_imported(cli, brought):
    brought(text(*ALL) + b"half\n")

    answer = cli("rebuild", "--full", "--json")

    assert answer.status == 0, answer.err
    assert cli("log", "--json").rows[0]["type"] == "payload.rejected"


# Where an older ledger stands in our own place


@pytest.fixture
def old_repo(repo):
    """Track an older ledger where the hooks of today write."""
    repo.commit(files={"a.py": "one\n", ".orchestration/agent_trace.jsonl": text(SPEC, SEED)})
    return repo


@pytest.fixture
def found(cli):
    """Return a function that runs doctor and returns what it says of older ledgers."""

    def ask():
        return [row for row in cli("doctor", "--json").rows if row["check"] == "old ledger"]

    return ask


def run(repo, cli, commands):
    """Run the commands that were recommended, as a person would paste them."""
    for command in commands.split(" && "):
        words = command.split(" ")
        if words[0] == "linetrail":
            assert cli(*words[1:]).status == 0
        else:
            subprocess.run(words, cwd=repo.path, check=True)


@pytest.mark.slow
@pytest.mark.promise("M2")
def test_doctor_names_a_tracked_ledger_in_our_place_and_the_commands_bring_it_over(old_repo, cli, hook, found):
    path = old_repo.path / ".orchestration" / "agent_trace.jsonl"
    cli("init", "--agent", "none")
    before = path.read_bytes()
    hook({"session_id": "s1", "cwd": str(old_repo.path), "hook_event_name": "UserPromptSubmit", "prompt": "hello"})
    assert path.read_bytes() == before

    (finding,) = found()
    assert (finding["level"], "tracked by git" in finding["message"]) == ("error", True)
    run(old_repo, cli, finding["next"])

    moved = old_repo.path / ".orchestration" / "agent_trace.old.jsonl"
    assert moved.read_bytes() == before
    assert received(old_repo.events("mutation.observed")) == before
    assert {event.type for event in old_repo.events()} >= {"prompt.submitted", "mutation.observed"}
    assert [(row["level"], row["next"]) for row in found()] == [("ok", None)]
    hook({"session_id": "s1", "cwd": str(old_repo.path), "hook_event_name": "UserPromptSubmit", "prompt": "again"})
    assert len(old_repo.events("prompt.submitted")) == 2
    assert cli("verify").status == 0


@pytest.mark.slow
def test_one_record_without_a_newline_is_not_taken_for_a_torn_line(repo, cli, hook):
    path = repo.write(".orchestration/agent_trace.jsonl", line(SPEC))

    hook({"session_id": "s1", "cwd": str(repo.path), "hook_event_name": "UserPromptSubmit", "prompt": "hello"})

    assert path.read_bytes() == line(SPEC)


def test_init_names_a_tracked_ledger_and_changes_nothing_in_it(old_repo, cli):
    answer = cli("init", "--agent", "none")

    assert answer.status == 0
    assert "is an older ledger" in answer.err
    assert "git mv .orchestration/agent_trace.jsonl" in answer.err
    assert old_repo.git("status", "--porcelain", ".orchestration/agent_trace.jsonl") == ""


@pytest.mark.daily(2)
@pytest.mark.parametrize("source", ["agent-trace", "claude-code"])
def test_an_import_into_a_place_that_is_taken_names_the_commands(old_repo, cli, source):
    answer = cli("import", source, ".orchestration/agent_trace.jsonl")

    assert answer.status == 2
    assert "git mv .orchestration/agent_trace.jsonl .orchestration/agent_trace.old.jsonl" in answer.err


@pytest.mark.slow
@pytest.mark.promise("M2")
def test_doctor_names_what_merging_did(old_repo, cli, found):
    path = ".orchestration/agent_trace.jsonl"
    old_repo.commit(files={".gitattributes": "*.md text\n*.jsonl merge=union\n"})
    old_repo.git("checkout", "-q", "-b", "topic")
    old_repo.commit(files={path: text(SPEC, SEED, SEED_FLAT)[:-1]})
    old_repo.git("checkout", "-q", "main")
    old_repo.commit(files={path: text(SPEC, SEED, SEED_COMMAND)})
    old_repo.git("merge", "-q", "topic")

    messages = {row["message"]: row["next"] for row in found()}

    assert any("union driver" in message for message in messages)
    assert "take merge=union for .orchestration/agent_trace.jsonl out of .gitattributes (line 2)" in messages.values()


@pytest.mark.slow
@pytest.mark.promise("M2")
def test_a_conflict_that_nobody_resolved_comes_over_with_both_sides(old_repo, cli, found):
    path = ".orchestration/agent_trace.jsonl"
    cli("init", "--agent", "none")
    old_repo.git("checkout", "-q", "-b", "topic")
    old_repo.commit(files={path: text(SPEC, SEED, SEED_FLAT)})
    old_repo.git("checkout", "-q", "main")
    old_repo.commit(files={path: text(SPEC, SEED, SEED_COMMAND)[:-1]})
    with pytest.raises(subprocess.CalledProcessError):
        old_repo.git("merge", "-q", "topic")

    first, *rest = found()
    assert any("git conflict markers in line 3" in row["message"] for row in rest)
    run(old_repo, cli, first["next"])

    assert len(old_repo.events("mutation.observed")) == 3
    assert received(old_repo.events()) == (old_repo.path / ".orchestration" / "agent_trace.old.jsonl").read_bytes()


@pytest.mark.slow
def test_doctor_counts_what_is_not_imported_yet(repo, cli, ledger, found):
    repo.commit(files={"agent_trace.jsonl": text(SPEC, SEED), ".agent-trace/traces.jsonl": text(SEED_FLAT)[:-1]})

    rows = found()

    assert [(row["level"], row["next"]) for row in rows] == [
        ("warning", "linetrail import agent-trace agent_trace.jsonl"),
        ("warning", "linetrail import agent-trace .agent-trace/traces.jsonl"),
        ("warning", None),
    ]
    assert "no newline at the end" in rows[2]["message"]


@pytest.mark.slow
def test_without_a_path_the_older_ledgers_of_the_repository_are_read(repo, cli, ledger):
    repo.commit(files={"agent_trace.jsonl": text(SPEC), "sub/.orchestration/agent_trace.jsonl": text(SEED)})

    answer = cli("import", "agent-trace", "--json")

    assert [row["imported"] for row in answer.rows] == [1, 1]
    assert cli("import", "agent-trace").out == "2 ledgers, 2 lines: 0 records imported\nrecorded already: 2 records\n"


@pytest.mark.slow
def test_a_tail_of_ours_that_git_tracks_is_an_error_with_the_way_out(repo, cli, hook, found):
    cli("init", "--agent", "none")
    hook({"session_id": "s1", "cwd": str(repo.path), "hook_event_name": "UserPromptSubmit", "prompt": "hello"})
    repo.git("add", "--force", ".orchestration/agent_trace.jsonl")
    repo.git("commit", "-q", "-m", "ledger")

    (finding,) = found()
    assert finding["level"] == "error"
    subprocess.run(finding["next"], shell=True, cwd=repo.path, check=True)

    assert found() == []
    assert repo.lines()
