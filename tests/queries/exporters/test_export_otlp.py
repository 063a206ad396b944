"""Traces and logs are what a collector reads, have OpenTelemetry's names, and are the same in every export."""

import base64
import json
import re
from importlib.metadata import version

import pytest
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from linetrail.queries.exporters.otlp import otlp
from tests.story import BEGINNING, MINUTE, Story

pytestmark = pytest.mark.in_turn

SCHEMA_URL = "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev"


@pytest.fixture
def told(repo):
    """Return a function that writes a story into the ledger."""
    repo.start_ledger()
    story = Story()

    def run(tell):
        tell(story)
        story.written(repo.path)

    return run


@pytest.fixture
def exported(cli):
    """Return a function that exports, and returns the spans and the log records."""

    def run(*options):
        answer = cli("export", "otlp", *options)
        assert (answer.status, answer.err) == (0, "")
        requests = [json.loads(line) for line in answer.out.splitlines()]
        spans = [span for each in requests if "resourceSpans" in each for span in spans_of(each)]
        return spans, [record for each in requests if "resourceLogs" in each for record in records_of(each)]

    return run


def spans_of(request):
    ((scoped,),) = [resource["scopeSpans"] for resource in request["resourceSpans"]]
    return scoped["spans"]


def records_of(request):
    ((scoped,),) = [resource["scopeLogs"] for resource in request["resourceLogs"]]
    return scoped["logRecords"]


def said(told):
    """Return the attributes of a span or a log record as plain values."""
    return {each["key"]: next(iter(each["value"].values())) for each in told["attributes"]}


def named(spans, name):
    (found,) = [span for span in spans if span["name"] == name]
    return found


def a_session(story):
    story.tell("session.started", {"source": "startup", "permission_mode": "default"})
    story.tell("prompt.submitted", {"prompt_id": "p1", "excerpt": "tidy the secret plan", "length": 20})
    call = {"tool_call_id": "toolu_1", "tool_name": "Edit", "operation": "edit"}
    story.tell("tool.requested", call | {"targets": [{"path": "a.py", "role": "write"}], "prompt_id": "p1"})
    gate = {"verdict": "allow", "code": "OK", "source": "linetrail", "reason": "a.py is in scope"}
    story.tell("gate.decided", {"tool_call_id": "toolu_1", "tool_name": "Edit"} | gate)
    story.tell("mutation.observed", {"tool_call_id": "toolu_1", "tool_name": "Edit"}, edits={"a.py": "one\ntwo\n"})
    story.tell("tool.completed", call | {"duration_ms": 12})
    usage = {"message_id": "m1", "request_id": "r1", "usage_key": "m1:r1", "model_id": "anthropic/claude-opus-5"}
    tokens = {"output_tokens": 7, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20}
    story.tell("usage.recorded", usage | {"input_tokens": 1} | tokens)
    story.tell("usage.recorded", usage | {"input_tokens": 3} | tokens)
    story.tell("session.ended", {"reason": "exit"})


@pytest.mark.slow
def test_a_session_is_a_trace_of_its_agent(told, exported):
    told(a_session)

    spans, _ = exported()

    session = named(spans, "invoke_agent claude-code")
    assert "parentSpanId" not in session
    assert {span["traceId"] for span in spans} == {session["traceId"]}
    assert said(session) == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "claude-code",
        "gen_ai.agent.version": "1.0",
        "gen_ai.conversation.id": "s1",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "claude-opus-5",
        "vcs.ref.head.name": "main",
        "linetrail.session.end_reason": "exit",
    }
    assert session["startTimeUnixNano"] == str(BEGINNING + MINUTE)
    assert session["endTimeUnixNano"] == str(BEGINNING + 9 * MINUTE)


def test_a_tool_call_is_a_child_from_its_request_to_its_end(told, exported):
    told(a_session)

    spans, _ = exported()

    call = named(spans, "execute_tool Edit")
    assert call["parentSpanId"] == named(spans, "invoke_agent claude-code")["spanId"]
    assert (call["kind"], call["status"]) == (1, {})
    assert (call["startTimeUnixNano"], call["endTimeUnixNano"]) == (
        str(BEGINNING + 3 * MINUTE),
        str(BEGINNING + 6 * MINUTE),
    )
    told_of_it = said(call)
    assert told_of_it["gen_ai.tool.name"] == "Edit"
    assert told_of_it["gen_ai.tool.call.id"] == "toolu_1"
    assert told_of_it["prompt.id"] == "p1"
    assert told_of_it["linetrail.tool.duration_ms"] == "12"
    assert told_of_it["linetrail.verdict"] == "allow"


def test_an_answer_is_told_once_with_all_its_tokens(told, exported):
    """The last record of an answer counts; cached tokens are among those that OpenTelemetry calls input."""
    told(a_session)

    spans, _ = exported()

    chat = said(named(spans, "chat claude-opus-5"))
    assert chat["gen_ai.usage.input_tokens"] == "123"
    assert chat["gen_ai.usage.output_tokens"] == "7"
    assert chat["gen_ai.usage.cache_read.input_tokens"] == "100"
    assert chat["gen_ai.usage.cache_creation.input_tokens"] == "20"
    assert chat["gen_ai.response.id"] == "m1"


@pytest.mark.slow
def test_changes_and_verdicts_are_log_records_on_the_span_of_their_call(told, exported):
    told(a_session)

    spans, records = exported()

    call = named(spans, "execute_tool Edit")
    by_name = {record["eventName"]: record for record in records}
    for name in ("linetrail.mutation.observed", "linetrail.gate.decided"):
        assert (by_name[name]["traceId"], by_name[name]["spanId"]) == (call["traceId"], call["spanId"])
    change = said(by_name["linetrail.mutation.observed"])
    assert (change["linetrail.mutation.path"], change["linetrail.mutation.lines_added"]) == ("a.py", "2")
    assert change["linetrail.mutation.post_hash"].startswith("sha256:")
    assert said(by_name["linetrail.gate.decided"])["linetrail.verdict"] == "allow"
    assert "spanId" not in by_name["linetrail.prompt.submitted"]


@pytest.mark.slow
def test_no_words_of_people_or_agents_leave_unless_asked_for(told, cli):
    told(a_session)

    assert "secret plan" not in cli("export", "otlp").out
    assert "is in scope" not in cli("export", "otlp").out
    with_content = cli("export", "otlp", "--content").out
    assert "tidy the secret plan" in with_content
    assert "gen_ai.tool.call.arguments" in with_content


@pytest.mark.slow
def test_a_missing_end_is_flagged_and_not_made_up(told, exported):
    def tell(story):
        story.tell("session.started", {"source": "startup"})
        call = {"tool_call_id": "toolu_1", "tool_name": "Bash", "operation": "shell"}
        story.tell("tool.requested", call | {"command": "make"})
        story.tell("tool.failed", {"tool_call_id": "toolu_2", "tool_name": "Bash", "operation": "shell"})

    told(tell)

    spans, _ = exported()

    session, failed, running = spans
    assert said(session)["linetrail.end_missing"] is True
    assert session["endTimeUnixNano"] == str(BEGINNING + 3 * MINUTE), "when it was seen last"
    assert said(running)["linetrail.end_missing"] is True
    assert running["endTimeUnixNano"] == running["startTimeUnixNano"]
    assert (said(failed)["linetrail.start_missing"], failed["status"]["code"]) == (True, 2)
    assert said(failed)["error.type"] == "_OTHER"


@pytest.mark.slow
def test_a_refusal_is_a_warning(told, exported):
    def tell(story):
        gate = {"tool_call_id": "toolu_1", "tool_name": "Bash", "verdict": "deny", "code": "SCOPE"}
        story.tell("gate.decided", gate | {"source": "linetrail"})

    told(tell)

    _, (record,) = exported()

    assert (record["severityText"], record["severityNumber"]) == ("WARN", 13)


def test_a_session_of_a_subagent_is_linked_to_the_one_that_started_it(told, exported):
    def tell(story):
        story.tell("session.started", {"source": "startup"})
        story.tell("session.started", {"source": "startup", "parent_session_id": "s1"}, session="s2")

    told(tell)

    (parent, child), _ = exported()

    assert child["links"] == [{"traceId": parent["traceId"], "spanId": parent["spanId"]}]


@pytest.mark.slow
def test_what_belongs_to_no_session_belongs_to_no_trace(told, exported):
    told(lambda story: story.tell("commit.observed", {"revision": "b" * 40}, session=None, agent=None))

    _, (record,) = exported()

    assert "traceId" not in record
    assert said(record)["vcs.ref.head.revision"] == "b" * 40


@pytest.mark.slow
def test_every_request_is_one_that_a_collector_reads(told, cli):
    told(a_session)

    for line in cli("export", "otlp", "--content").out.splitlines():
        request = json.loads(line)
        kind = ExportTraceServiceRequest if "resourceSpans" in request else ExportLogsServiceRequest
        ParseDict(with_binary_ids(request), kind())
        assert has_strings_for_long_numbers(request)


def with_binary_ids(value):
    """Return a request as protobuf's own JSON has it: OTLP differs from that in its ids alone."""
    if isinstance(value, dict):
        return {
            key: base64.b64encode(bytes.fromhex(item)).decode()
            if key in {"traceId", "spanId", "parentSpanId"}
            else with_binary_ids(item)
            for key, item in value.items()
        }
    return [with_binary_ids(item) for item in value] if isinstance(value, list) else value


def has_strings_for_long_numbers(value):
    """Times and whole numbers are text: not every reader has 64 bits."""
    if isinstance(value, dict):
        return all(
            isinstance(item, str)
            if key.endswith("UnixNano") or key == "intValue"
            else has_strings_for_long_numbers(item)
            for key, item in value.items()
        )
    return all(map(has_strings_for_long_numbers, value)) if isinstance(value, list) else True


@pytest.mark.slow
def test_ids_are_lower_case_hexadecimal_of_the_right_length(told, exported):
    told(a_session)

    spans, records = exported()

    for each in [*spans, *records]:
        assert re.fullmatch("[0-9a-f]{32}", each["traceId"])
        assert re.fullmatch("[0-9a-f]{16}", each.get("spanId", "0" * 16))


@pytest.mark.slow
def test_the_version_of_the_conventions_is_stamped_and_documented(told, cli):
    told(a_session)

    requests = [json.loads(line) for line in cli("export", "otlp").out.splitlines()]

    for request in requests:
        (resource,) = request.get("resourceSpans") or request["resourceLogs"]
        (scoped,) = resource.get("scopeSpans") or resource["scopeLogs"]
        assert resource["schemaUrl"] == scoped["schemaUrl"] == otlp.SCHEMA_URL == SCHEMA_URL
        assert scoped["scope"] == {"name": "linetrail", "version": version("linetrail")}


@pytest.mark.slow
def test_exporting_again_gives_the_same_bytes(told, cli, tmp_path, repo):
    told(a_session)
    first = cli("export", "otlp", "--out", str(tmp_path / "one.jsonl"))
    clone = tmp_path / "clone"
    cli("seal")
    repo.git("add", "--all", "--force", ".orchestration/segments")
    repo.commit("ledger")
    repo.git("clone", "--quiet", str(repo.path), str(clone))

    second = cli("export", "otlp", "--out", str(tmp_path / "two.jsonl"), cwd=clone)

    assert (first.err, second.err) == (
        f"2 requests written to {tmp_path}/one.jsonl\n",
        f"2 requests written to {tmp_path}/two.jsonl\n",
    )
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


@pytest.mark.slow
def test_a_session_is_found_by_its_first_characters(told, exported, cli):
    def tell(story):
        for session in ("abc-1", "abd-2"):
            story.tell("session.started", {"source": "startup"}, session=session)

    told(tell)

    (span,), _ = exported("--session", "abd")

    assert said(span)["gen_ai.conversation.id"] == "abd-2"
    several, none = cli("export", "otlp", "--session", "ab").err, cli("export", "otlp", "--session", "x").err
    assert several == "error: more than one session begins with ab\nnext: linetrail help export\n"
    assert none == "error: no session begins with x\nnext: linetrail help export\n"


@pytest.mark.slow
def test_since_leaves_out_what_was_over_before(told, exported):
    def tell(story):
        story.tell("prompt.submitted", {"excerpt": "early", "length": 5}, session="old")
        story.tell("prompt.submitted", {"excerpt": "late", "length": 4}, session="new")

    told(tell)

    spans, records = exported("--since", "2026-01-05T09:02:00Z")

    assert [said(span)["gen_ai.conversation.id"] for span in spans] == ["new"]
    assert [said(record)["linetrail.prompt.length"] for record in records] == ["4"]


@pytest.mark.slow
def test_requests_are_cut_into_batches(told, cli, monkeypatch):
    monkeypatch.setattr(otlp, "BATCH", 2)
    monkeypatch.setattr(otlp, "WINDOW", 3)
    told(lambda story: [story.call("Read", "read", "a.py") for _ in range(5)])

    sizes = [len(spans_of(json.loads(line))) for line in cli("export", "otlp").out.splitlines()]

    assert sizes == [2, 2, 2]


@pytest.mark.slow
def test_hostile_text_stays_data(told, cli):
    def tell(story):
        story.tell("session.started", {"source": "startup"}, session="s\u202e\u2028\x1b]0;x\x07")
        story.tell("decision.recorded", {"decision_id": "D-1", "title": "\x9b31m\u0000", "status": "accepted"})

    told(tell)

    out = cli("export", "otlp").out

    assert out.isascii()
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", out)


@pytest.mark.slow
def test_an_empty_ledger_has_nothing_to_tell(repo, cli):
    repo.start_ledger()

    answer = cli("export", "otlp")

    assert (answer.status, answer.out, answer.err) == (0, "", "")


@pytest.mark.slow
def test_a_dry_run_counts_and_writes_nothing(told, cli, tmp_path):
    told(a_session)

    answer = cli("export", "otlp", "--dry-run", "--out", str(tmp_path / "no.jsonl"))

    assert (answer.out, answer.err) == ("", f"2 requests would be written to {tmp_path}/no.jsonl\n")
    assert not (tmp_path / "no.jsonl").exists()


@pytest.mark.slow
def test_without_a_ledger_it_says_what_to_do(repo, cli):
    answer = cli("export", "otlp")

    assert answer.status == 2
    assert "next: linetrail init" in answer.err
