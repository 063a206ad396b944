"""Older ledgers, in one tracked file, come over exactly: once, in order, whatever git and crashes did to them."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linetrail.ledger.event.schema import problems
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from tests.examples import examples
from tests.queries.old_records import (
    ALL,
    SEED,
    SEED_COMMAND,
    SEED_FLAT,
    SEED_WITH_STATES,
    SPEC,
    line,
    received,
    text,
)

pytestmark = pytest.mark.in_turn


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


@pytest.mark.slow
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
