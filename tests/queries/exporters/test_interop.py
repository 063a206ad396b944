"""The tables of docs/interop.md are run: each field, in payloads as tools send them, is here what the row says."""

import hashlib
import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from linetrail.ledger.hook.loop import handle
from linetrail.ledger.repository import find
from linetrail.projections.git.credits import found
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.importers.notes.authorship import AGENTS
from tests.story import Story

pytestmark = pytest.mark.in_turn

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "interop.md").read_text(encoding="utf-8")
PAYLOADS = ROOT / "tests" / "payloads" / "claude-code"
EXPORTS = ROOT / "tests" / "fixtures" / "exports"
HOME = "/home/dev/project"
TRAILERS = "Trailers of commits"
# In the order in which an agent would send them.
SENT = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse-Bash",
    "PostToolUse-Write-update",
    "PostToolUseFailure-Edit",
    "SubagentStart",
)


class Row(NamedTuple):
    """One line of a table: where a field is, and what it is here."""

    section: str
    document: str
    field: str
    ours: str
    how: str


def tables(page: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each row of each table with its section and the heading of the table."""
    section, heading = "", []
    for line in page.splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))] if line.startswith("|") else []
        if not cells:
            heading = []
        elif not heading:
            heading = cells
        elif not set(line) <= set("|-"):
            yield section, heading, cells


def rows() -> list[Row]:
    return [
        Row(section, *(cell.strip("`") if "urn:" not in cell else cell for cell in cells))
        for section, heading, cells in tables(PAGE)
        if heading[1:3] == ["field", "ours"]
    ]


ROWS = rows()


def values(document: object, path: str) -> list[object]:
    """Return what stands at a path: `a.b` is a field of a field, `[]` each of a list, `{}` each value of an object."""
    found = [document]
    for name, mark in re.findall(r'("[^"]+"|[\w-]+)(\[\]|\{\})?', path):
        found = [one[key] for one in found if isinstance(one, Mapping) and (key := name.strip('"')) in one]
        if mark == "[]":
            found = [item for one in found for item in one]
        elif mark == "{}":
            found = [item for one in found for item in one.values()]
    return [one for one in found if one is not None]


def moment(text: str) -> str:
    return datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M:%S.%f")


def nanoseconds(text: str) -> str:
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(text) // 1000)).strftime(
        "%Y-%m-%d %H:%M:%S.%f"
    )


# how a value becomes ours
HOW = {
    "as it is": lambda value, ours: value in ours,
    "with its provider": lambda value, ours: any(one.endswith(f"/{value}") for one in ours),
    "as a path in the repository": lambda value, ours: os.path.relpath(value, HOME) in ours,
    "its last part": lambda value, ours: os.path.basename(value) in ours,
    "its SHA-256": lambda value, ours: f"sha256:{hashlib.sha256(value.encode()).hexdigest()}" in ours,
    "the same moment": lambda value, ours: moment(value) in {moment(one) for one in ours},
    "in nanoseconds": lambda value, ours: nanoseconds(value) in {moment(one) for one in ours},
    "before a colon": lambda value, ours: any(one.split(":")[0] == value for one in ours),
    "behind a colon": lambda value, ours: any(one.split(":")[1] == value for one in ours),
    "before a slash": lambda value, ours: any(one.split("/")[0] == value for one in ours),
    "behind a slash": lambda value, ours: any(one.split("/")[1] == value for one in ours),
    "behind `urn:session:`": lambda value, ours: value.removeprefix("urn:session:") in ours,
    "behind `urn:intent:`": lambda value, ours: value.removeprefix("urn:intent:") in ours,
    "as we call it": lambda value, ours: AGENTS.get(value, value) in ours,
    "inside": lambda value, ours: any(value in one for one in ours),
}


class World:
    """A repository, and the documents of another tool that went in or came out; `names` are those of the table."""

    def __init__(self, repository: Path, documents: Mapping[str, list[object]]) -> None:
        self._tables = open_tables(find(str(repository)))
        self._documents = documents
        self._ledger = b"".join(path.read_bytes() for path in sorted(repository.rglob(".orchestration/**/*.jsonl")))

    def holds(self, row: Row) -> bool:
        told = [str(value) for document in self._documents[row.document] for value in values(document, row.field)]
        assert told, "the payloads do not have this field"
        if row.ours == "nowhere":
            return all(json.dumps(value)[1:-1].encode() not in self._ledger for value in told)
        view, _, column = row.ours.partition(": ") if ": " in row.ours else row.ours.partition(".")
        asked = self._tables.ask(f"select distinct cast(x as varchar) from (select {column} as x from {view})").rows
        return all(HOW[row.how](value, {one for (one,) in asked if one is not None}) for value in told)

    def close(self) -> None:
        self._tables.close()


def hooks(repo, cli, folder, payloads=PAYLOADS):
    """Send payloads as an agent does, from a repository at another place than the one they speak of."""
    repo.start_ledger()
    repo.write("src/billing/invoice.py", "def total(lines):\n    return sum(l.amount for l in lines)\n")
    sent = {}
    for name in SENT:
        text = (payloads / f"{name}.json").read_text(encoding="utf-8")
        sent[name] = [json.loads(text)]
        if name == "PostToolUse-Write-update":
            before = sent[name][0] | {"hook_event_name": "PreToolUse"}
            post(repo, json.dumps(before))
            repo.write("src/billing/invoice.py", before["tool_input"]["content"])
        post(repo, text)
    return World(repo.path, sent)


def post(repo, text):
    handle("claude-code", text.replace(HOME, str(repo.path)).encode(), event=None, cwd=str(repo.path), now=time.time_ns)


def transcripts(repo, cli, folder):
    repo.start_ledger()
    usage = {"input_tokens": 3, "output_tokens": 7, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20}
    message = {"id": "msg_1", "model": "claude-model-x", "role": "assistant", "content": [], "usage": usage}
    common = {"cwd": str(repo.path), "sessionId": "session-1", "version": "2.1.45", "gitBranch": "main"}
    records = [
        {"type": "user", "message": {"role": "user", "content": "Round the totals"}},
        {"type": "assistant", "message": message | {"usage": usage | {"output_tokens": 1}}, "requestId": "req_1"},
        {"type": "assistant", "message": message, "requestId": "req_1"},
        {"type": "file-history-snapshot", "snapshot": {"text": "the whole content of a file"}},
    ]
    told = [
        {"uuid": f"{at:036}", "timestamp": f"2026-01-05T10:00:0{at}.000Z"} | common | record
        for at, record in enumerate(records)
    ]
    file = folder / "session-1.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in told))
    assert cli("import", "claude-code", str(file)).status == 0
    del told[1]  # the last record of an answer is the one that counts
    return World(
        repo.path, {kind: [one for one in told if one["type"] == kind] for kind in {one["type"] for one in told}}
    )


def agent_trace_in(repo, cli, folder):
    repo.start_ledger()
    assert cli("import", "agent-trace", str(EXPORTS / "agent-trace.jsonl")).status == 0
    return World(repo.path, {"record": lines(EXPORTS / "agent-trace.jsonl")})


def agent_trace_out(repo, cli, folder):
    demo = unpacked(cli, folder)
    return World(
        demo, {"record": [json.loads(line) for line in cli("export", "agent-trace", cwd=demo).out.splitlines()]}
    )


def notes(repo, cli, folder):
    """Take notes as git-ai's format has them, named after their commits."""
    repo.start_ledger()
    told = []
    for each in lines(EXPORTS / "gitai-notes.jsonl"):
        (folder / each["revision"]).write_text(each["note"])
        above, _, below = each["note"].partition("---\n")
        told.append({"commit": each["revision"], "metadata": json.loads(below), "lines": list(entries(above))})
    assert cli("import", "gitai-notes", *(str(folder / each["commit"]) for each in told)).status == 0
    return World(repo.path, {"note": told})


def entries(text):
    path = ""
    for line in text.splitlines():
        if not line.startswith("  "):
            path = line
            continue
        key, ranges = line.split()
        for one in ranges.split(","):
            first, _, last = one.partition("-")
            yield {"path": path, "key": key, "first": first, "last": last or first}


def traces(repo, cli, folder):
    repo.start_ledger()
    story = Story()
    story.tell("session.started", {"source": "startup"})
    story.tell("intent.selected", {"intent_id": "INT-001", "name": "Round", "status": "IN_PROGRESS", "scope": ["**"]})
    story.tell("prompt.submitted", {"prompt_id": "p1", "excerpt": "round", "length": 5})
    call = {"tool_call_id": "toolu_1", "tool_name": "Bash", "operation": "shell"}
    story.tell("tool.requested", call | {"prompt_id": "p1", "command": "make"}, intent="INT-001")
    gate = {"tool_call_id": "toolu_1", "tool_name": "Bash", "verdict": "allow", "code": "OK", "source": "linetrail"}
    story.tell("gate.decided", gate)
    story.tell("mutation.observed", {"tool_call_id": "toolu_1", "tool_name": "Bash"}, edits={"a.py": "one\ntwo\n"})
    story.tell("tool.completed", call | {"duration_ms": 12, "exit_code": 0})
    story.tell("decision.recorded", {"decision_id": "D-1", "title": "Round half up", "status": "accepted"})
    tokens = {"input_tokens": 3, "output_tokens": 7, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20}
    usage = {"usage_key": "m1:r1", "message_id": "m1", "request_id": "r1", "model_id": "anthropic/claude-opus-5"}
    story.tell("usage.recorded", usage | tokens)
    story.tell("session.ended", {"reason": "exit"})
    story.written(repo.path)
    told: dict[str, list[object]] = {}
    for line in cli("export", "otlp").out.splitlines():
        for kind, one in spans_and_records(json.loads(line)):
            said = {each["key"]: next(iter(each["value"].values())) for each in one["attributes"]}
            told.setdefault(kind, []).append(one | {f"{key}": value for key, value in said.items()})
    return World(repo.path, told)


def spans_and_records(request):
    for resource in request.get("resourceSpans", []):
        for span in resource["scopeSpans"][0]["spans"]:
            yield span["name"].split()[0], span
    for resource in request.get("resourceLogs", []):
        for record in resource["scopeLogs"][0]["logRecords"]:
            yield record["eventName"].removeprefix("linetrail."), record


def statement(repo, cli, folder):
    demo = unpacked(cli, folder)
    return World(demo, {"statement": [json.loads(cli("export", "in-toto", cwd=demo).out)]})


def unpacked(cli, folder):
    cli("demo", cwd=folder)
    return folder / "linetrail-demo"


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# section of the page -> how its world comes about
WORLDS = {
    "Hooks of Claude Code": hooks,
    "Transcripts of Claude Code": transcripts,
    "Agent Trace, in": agent_trace_in,
    "Agent Trace, out": agent_trace_out,
    "Notes of git-ai": notes,
    "OpenTelemetry": traces,
    "Statements of in-toto": statement,
}


def wrong(world, section):
    """Return the rows of a section that are not so, as they stand in the table."""
    told = [row for row in ROWS if row.section == section]
    failed = [" | ".join(row[1:]) for row in told if not world.holds(attributes(row))]
    world.close()
    return failed


def attributes(row):
    """Return a row with a field that is one name, dots and all, where it is an attribute."""
    is_name = row.section == "OpenTelemetry" and "." in row.field
    return row._replace(field=f'"{row.field}"') if is_name else row


def test_every_table_of_the_page_is_run():
    assert {row.section for row in ROWS} == set(WORLDS)
    assert {row.how for row in ROWS} <= {"", *HOW}


@pytest.mark.slow
@pytest.mark.parametrize("section", WORLDS)
def test_every_row_of_a_table_is_so(repo, cli, tmp_path, section):
    (tmp_path / "given").mkdir()

    assert wrong(WORLDS[section](repo, cli, tmp_path / "given"), section) == []


@pytest.mark.slow
def test_rows_about_hooks_hold_for_the_shared_payloads(repo, cli, tmp_path, shared):
    world = hooks(repo, cli, tmp_path, shared / "fixtures" / "hooks" / "claude-code")

    assert wrong(world, "Hooks of Claude Code") == []


@pytest.mark.slow
def test_a_row_that_is_not_so_is_found(repo, cli, tmp_path):
    world = hooks(repo, cli, tmp_path)
    row = Row("", "PreToolUse-Bash", "tool_name", "v_tool_calls.command", "as it is")

    assert not world.holds(row)
    assert not world.holds(row._replace(ours="nowhere"))
    with pytest.raises(AssertionError, match="do not have this field"):
        world.holds(row._replace(field="tool_nam"))
    world.close()


@pytest.mark.parametrize(
    "cells", [cells for section, _, cells in tables(PAGE) if section == TRAILERS], ids=lambda cells: cells[0]
)
def test_trailers_credit_whom_the_page_says(cells):
    said, agent, model = (cell.strip("`") for cell in cells)
    raw = f"author Ana <ana@example.org> 1 +0000\n\nfix\n\n{said}\n".encode()

    credited = [(credit.agent_name, credit.model_id or "") for credit in found(raw)]

    assert credited == ([(agent, model)] if agent else [])
