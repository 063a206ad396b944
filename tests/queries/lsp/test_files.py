"""What an editor is told of a whole file: findings, who is at work on it, what may be done, where an id leads."""

import asyncio
import itertools
import json
import os
import socket
import time
from contextlib import closing
from urllib.parse import urlsplit

import pytest
from lsprotocol import types
from pygls import uris

from linetrail.ledger.repository import find
from linetrail.queries.lsp.audits import Audits
from linetrail.queries.lsp.features import WATCHED

pytestmark = pytest.mark.slow
FILE = "billing/invoice.py"
INTENTS = """\
active_intents:
  - id: INT-001
    name: Rotate tokens
    status: IN_PROGRESS
    owned_scope: [src/**]
  - id: INT-002
    name: Pay by card
    status: IN_PROGRESS
    owned_scope:
      - pay/**
"""


@pytest.fixture
def registry(repo, editor):
    """Return an editor and the registry in it, with this text."""
    repo.start_ledger()

    def write(text=INTENTS, saved=INTENTS):
        file = repo.write(".orchestration/active_intents.yaml", saved)
        used = editor()
        return used, used.open(file, text, "yaml")

    return write


def test_the_findings_of_the_audit_stand_in_the_file(editor, shop, cli):
    used = editor()

    found = used.diagnostics(used.open(shop / FILE))

    told = [row for row in cli("-C", str(shop), "audit", "--json").rows if row["path"] == FILE]
    assert [(one.code, one.range.start.line + 1) for one in found] == [(row["rule"], row["line"]) for row in told]
    assert all(one.source == "linetrail" for one in found)


@pytest.mark.in_turn
def test_findings_are_sent_to_an_editor_that_does_not_ask(editor, shop):
    used = editor(preset="emacs")
    uri = used.open(shop / FILE)

    used.run(used.client.wait_for_notification("textDocument/publishDiagnostics"))

    assert "LT001" in {one.code for one in used.client.diagnostics[uri]}


@pytest.mark.in_turn
def test_one_audit_of_a_repository_runs_at_a_time_however_often_an_agent_writes(repo, agent, cli):
    repo.start_ledger()
    agent().write("a.py", "x = 1\n")
    moments, most, audits = itertools.count(), [], Audits()

    async def moment():
        return next(moments)

    async def ask():
        asked = [asyncio.create_task(audits.findings(find(str(repo.path)), moment)) for _ in range(6)]
        while not all(one.done() for one in asked):
            most.append(len(_audits_of_this_process()))
            await asyncio.sleep(0.01)
        return [one.result() for one in asked]

    found = asyncio.run(ask())

    assert max(most) == 1
    assert [json.loads(json.dumps(rows)) for rows in found] == [cli("audit", "--json").rows] * 6
    assert next(moments) == 12  # each looked twice, and waited for no more


@pytest.mark.in_turn
def test_an_audit_whose_editor_is_gone_leaves_no_process_behind(repo, agent, tmp_path, monkeypatch):
    repo.start_ledger()
    agent().write("a.py", "x = 1\n")
    repository, started = find(str(repo.path)), tmp_path / "started"
    slow = tmp_path / "bin/git"
    slow.parent.mkdir()
    slow.write_text(f'#!/bin/sh\necho $$ > "{started}.new" && mv "{started}.new" "{started}" && exec sleep 600\n')
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")

    async def moment():
        return None

    async def leave():
        asked = asyncio.create_task(Audits().findings(repository, moment))
        await asyncio.to_thread(_wait_for, started)
        asked.cancel()

    asyncio.run(leave())

    for _ in range(1000):
        if b"sleep" not in _command_line(started.read_text().strip()):
            return
        time.sleep(0.05)
    pytest.fail("git is at work still")


@pytest.mark.in_turn
def test_no_answer_writes_what_an_editor_is_asked_to_watch(editor, repo, agent):
    repo.start_ledger()
    repo.write(".orchestration/active_intents.yaml", INTENTS)
    agent().write("a.py", "x = 1\n")
    repo.commit()
    used = editor()
    before = _watched(repo.path)

    uri = used.open(repo.path / "a.py")
    used.hover(uri, 1)
    used.diagnostics(uri)
    used.actions(uri, 1, 1)

    assert _watched(repo.path) == before
    assert len(before) >= 3


@pytest.mark.in_turn
def test_a_registry_that_cannot_be_read_is_in_nobody_s_way(editor, repo):
    repo.start_ledger()
    repo.write(".orchestration/active_intents.yaml", "#" * (5 << 20))
    repo.commit("a", {"a.py": "x = 1\n"})
    used = editor()

    assert "Record a decision about line 1" in {one.title for one in used.actions(used.open(repo.path / "a.py"), 1, 1)}


def test_a_file_in_the_scope_of_a_session_at_work_says_so(editor, repo, agent, cli):
    repo.start_ledger()
    repo.write(".orchestration/active_intents.yaml", INTENTS)
    repo.commit("a", {"src/a.py": "x = 1\n", "b.py": "x = 1\n"})
    agent("session-at-work").prompt("rotate them")
    cli("select", "INT-001", "--session", "session-at-work")
    used = editor()

    held = [one for one in used.diagnostics(used.open(repo.path / "src/a.py")) if one.code == "scope-held"]

    assert "is at work on INT-001, whose scope has this file" in held[0].message
    assert "scope-held" not in {one.code for one in used.diagnostics(used.open(repo.path / "b.py"))}


def test_a_file_is_taken_into_a_scope_by_an_edit_that_nobody_saved_yet(editor, repo):
    repo.start_ledger()
    repo.write(".orchestration/active_intents.yaml", INTENTS)
    repo.commit("a", {"src/a.py": "x = 1\n"})
    used = editor()
    edited = INTENTS.replace("Pay by card", "Pay by invoice")
    file = repo.path / ".orchestration/active_intents.yaml"
    used.open(file, edited, "yaml")

    chosen = {one.title: one for one in used.actions(used.open(repo.path / "src/a.py"), 1, 1)}

    (change,) = chosen["Take src/a.py into the scope of INT-002"].edit.changes[uris.from_fs_path(str(file))]
    assert _applied(edited, [change]) == edited + "      - src/a.py\n"
    assert "Take src/a.py into the scope of INT-001" not in chosen


def test_a_decision_is_recorded_about_the_lines_that_are_chosen(editor, repo, cli):
    repo.start_ledger()
    repo.commit("a", {"src/a.py": "x = 1\ny = 2\n"})
    used = editor()
    uri = used.open(repo.path / "src/a.py")
    (offered,) = [one for one in used.actions(uri, 1, 3) if "decision" in one.title]
    place = {"uri": uri, "first": 1, "last": 2}

    told = {**place, "title": "Count from one", "why": "people do"}
    used.ask("workspace_execute_command", types.ExecuteCommandParams("linetrail.recordDecision", [told]))

    assert offered.title == "Record a decision about lines 1-2"
    (row,) = cli("decisions", "--json").rows
    assert (row["title"], row["rationale"], row["lines"]) == ("Count from one", "people do", ["src/a.py:1-2"])


def test_a_person_corrects_who_wrote_the_lines_that_are_chosen_saved_or_not(editor, repo, agent, cli):
    repo.start_ledger()
    agent().write("a.py", "x = 1\ny = 2\n")
    used = editor()
    uri = used.open(repo.path / "a.py", "# new\nx = 1\ny = 2\n")
    (offered,) = [one for one in used.actions(uri, 3, 3) if one.title.startswith("Correct")]

    told = {"uri": uri, "first": 3, "last": 3, "by": "human", "reason": "typed"}
    used.ask("workspace_execute_command", types.ExecuteCommandParams("linetrail.correct", [told]))

    assert offered.title == "Correct: a person wrote line 3"
    assert [row["contributor_type"] for row in cli("blame", "a.py", "--json").rows] == ["ai", "human"]
    assert "**amended** written by a person, not by an agent" in used.hover(uri, 3)


@pytest.mark.in_turn
def test_an_editor_that_cannot_ask_for_words_is_told_the_command(editor, repo):
    repo.start_ledger()
    repo.commit("a", {"a b.py": "x = 1\n"})
    used = editor()
    place = {"uri": used.open(repo.path / "a b.py"), "first": 1, "last": 1}

    used.ask("workspace_execute_command", types.ExecuteCommandParams("linetrail.recordDecision", [place]))

    (said,) = [one.message for one in used.client.messages if "record-decision" in one.message]
    assert "--lines 'a b.py:1-1'" in said


@pytest.mark.in_turn
def test_the_page_is_shown_and_ends_with_a_server_that_is_killed(editor, repo):
    repo.start_ledger()
    repo.commit("a", {"a.py": "x = 1\n"})
    used = editor(repo.path)  # of its own, for it is killed
    place = {"uri": used.open(repo.path / "a.py"), "first": 1, "last": 1}

    used.ask("workspace_execute_command", types.ExecuteCommandParams("linetrail.openPage", [place]))
    (shown,) = [one.uri for one in used.client.shown_documents]
    with closing(_connected(shown)):
        pass  # somebody listens
    used.kill()

    for _ in range(1000):
        try:
            _connected(shown).close()
        except ConnectionRefusedError:
            return
        time.sleep(0.05)
    pytest.fail("the page is served still")


def test_an_id_leads_to_the_registry_and_to_every_line_that_was_written_for_it(editor, shop, cli):
    used = editor()
    file = shop / ".orchestration/active_intents.yaml"
    uri = used.open(file, language="yaml")
    asked = used.at(types.ReferenceParams, uri, 17, 12, context=types.ReferenceContext(include_declaration=True))

    found = used.ask("text_document_references", asked)

    seen = {(uris.to_fs_path(one.uri), line) for one in found for line in _lines(one.range)}
    told = set()
    for path in ("billing/invoice.py", "billing/export.py", "tests/test_export.py"):
        rows = cli("-C", str(shop), "blame", path, "--json").rows
        told |= {(str(shop / path), row["line_no"]) for row in rows if row["intent_id"] == "INT-003"}
    assert seen == told
    defined = used.ask("text_document_definition", used.at(types.DefinitionParams, uri, 17, 12))
    assert (uris.to_fs_path(defined.uri), defined.range.start.line) == (str(file), 16)


def test_ids_in_any_text_are_links(editor, shop):
    used = editor()
    uri = used.open(shop / "billing/vat.py", "# 😀 see INT-003 and INT-999\n")

    (link,) = used.ask("text_document_document_link", types.DocumentLinkParams(types.TextDocumentIdentifier(uri)))

    assert (link.range.start.character, link.range.end.character) == (11, 18)  # Neovim counts bytes
    assert link.target.endswith("active_intents.yaml#L17")


def test_intents_decisions_and_sessions_are_symbols_of_the_workspace(editor, shop):
    used = editor(shop)

    found = {one.name for one in used.ask("workspace_symbol", types.WorkspaceSymbolParams(""))}
    some = [one.name for one in used.ask("workspace_symbol", types.WorkspaceSymbolParams("whole cents"))]

    assert {"INT-003 Export invoices as CSV", "D-3 Call it unit_price everywhere"} <= found
    assert any(one.startswith("claude-code ") for one in found)
    assert some == ["D-2 Amounts in the export are whole cents"]


def test_sessions_and_their_subagents_are_a_hierarchy_of_calls(editor, repo, agent, hook):
    repo.start_ledger()
    agent("parent-session").write("a.py", "x = 1\n")
    fields = {"session_id": "parent-session", "cwd": str(repo.path), "agent_id": "sub-1", "agent_type": "Explore"}
    call = {"tool_name": "Bash", "tool_use_id": "t9", "tool_input": {"command": "ls"}, **fields}
    hook({"hook_event_name": "PreToolUse", **call})
    used = editor()
    uri = used.open(repo.path / "a.py")

    (item,) = used.ask("text_document_prepare_call_hierarchy", used.at(types.CallHierarchyPrepareParams, uri, 1))
    started = used.ask("call_hierarchy_outgoing_calls", types.CallHierarchyOutgoingCallsParams(item))

    assert item.name == "claude-code parent-s"
    assert [one.to.name for one in started] == ["Explore sub-1"]


def test_the_registry_is_checked_while_it_is_typed(registry, repo, cli):
    used, uri = registry(INTENTS.replace("status: IN_PROGRESS", "status: IN_PROGESS", 1))

    found = used.diagnostics(uri)

    repo.write(".orchestration/active_intents.yaml", INTENTS.replace("status: IN_PROGRESS", "status: IN_PROGESS", 1))
    told = [(row["code"], row["line"]) for row in cli("intents", "lint", "--json").rows]
    assert [(one.code, one.range.start.line + 1) for one in found] == told
    assert ("INVALID_STATUS", 4) in told


def test_problems_of_the_registry_are_mended_by_edits(registry):
    text = INTENTS.replace("status: IN_PROGRESS", "status: IN_PROGESS", 1)
    used, uri = registry(text)

    offered = {one.title: one.edit.changes[uri] for one in used.actions(uri, 1, 1)}

    assert _applied(text, offered["Write IN_PROGRESS"]) == INTENTS
    assert "Begin `acceptance_criteria`" in offered


@pytest.mark.parametrize(
    ("line", "before", "expected"),
    [
        pytest.param(4, "    status: ", "BLOCKED", id="a status"),
        pytest.param(4, "    pri", "priority", id="a key"),
        pytest.param(4, "    parent_intent: ", "INT-002", id="an intent"),
        pytest.param(11, "      - pay/", "pay/card.py", id="a file"),
        pytest.param(11, "      - ", "pay/**", id="a folder"),
    ],
)
def test_what_fits_is_suggested(registry, repo, line, before, expected):
    repo.commit("a", {"pay/card.py": "x = 1\n"})
    lines = INTENTS.splitlines()
    lines[line - 1 : line] = [before]
    used, uri = registry("\n".join([*lines, ""]))

    assert expected in used.complete(uri, line, len(before) + 1)


def test_a_key_says_what_it_means(registry):
    used, uri = registry()

    assert "may be written for it" in used.hover(uri, 5, 6)
    assert "Rotate tokens" in used.hover(uri, 2, 12)


def test_an_id_behind_signs_of_several_bytes_is_known(registry):
    text = INTENTS.replace("Rotate tokens", "😀 before INT-002")
    used, uri = registry(text, text)

    assert "Pay by card" in used.hover(uri, 3, 25)  # Neovim counts bytes


def test_an_intent_is_renamed_wherever_the_registry_names_it(registry):
    text = f"{INTENTS}    dependencies: [INT-001]  # INT-001 first\n"
    used, uri = registry(text, text)

    asked = used.at(types.RenameParams, uri, 2, 12, new_name="INT-100")
    edits = used.ask("text_document_rename", asked).changes[uri]

    assert _applied(text, edits) == text.replace("id: INT-001", "id: INT-100").replace("[INT-001]", "[INT-100]")


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        pytest.param("INT-2", "three digits", id="no id"),
        pytest.param("INT-002", "already", id="taken"),
        pytest.param("INT-100", "for INT-001; it stays", id="the ledger has events for it"),
    ],
)
def test_a_rename_that_would_break_something_is_refused(registry, cli, agent, name, reason):
    used, uri = registry()
    if name == "INT-100":
        cli("select", "INT-001")
        agent().write("a.py", "x = 1\n")

    with pytest.raises(Exception, match=reason):
        used.ask("text_document_rename", used.at(types.RenameParams, uri, 2, 12, new_name=name))


@pytest.mark.parametrize(
    ("name", "text", "line", "message"),
    [
        pytest.param("config.yaml", "enforce: warn\nbreaker:\n  treshold: 3\n", 3, "treshold", id="settings"),
        pytest.param("policy.yaml", "fail_on: high\nrules:\n  LT999: off\n", 3, "LT999", id="the policy of the audit"),
    ],
)
def test_settings_are_checked_while_they_are_typed(editor, repo, name, text, line, message):
    repo.start_ledger()
    used = editor()
    uri = used.open(repo.write(f".orchestration/{name}", ""), text, "yaml")

    (found,) = used.diagnostics(uri)

    assert (found.range.start.line + 1, message in found.message) == (line, True)


def test_settings_are_suggested(editor, repo):
    repo.start_ledger()
    used = editor()

    assert "enforce" in used.complete(used.open(repo.write(".orchestration/config.yaml", ""), "en", "yaml"), 1, 3)
    assert "fail_on" in used.complete(used.open(repo.write(".orchestration/policy.yaml", ""), "fa", "yaml"), 1, 3)


def _wait_for(file):
    while not file.exists():
        time.sleep(0.01)


def _connected(address):
    place = urlsplit(address)
    return socket.create_connection((place.hostname, place.port))


def _watched(folder):
    return {file: file.stat().st_mtime_ns for pattern in WATCHED for file in folder.glob(pattern)}


def _audits_of_this_process():
    """Return the processes of `linetrail audit` that this one has started and that run."""
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        children = file.read().split()
    return [one for one in children if b"\0audit\0" in _command_line(one)]


def _command_line(process):
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""  # it has ended meanwhile


def _lines(place):
    return range(place.start.line + 1, place.end.line + 1)


def _applied(text, edits):
    """Apply edits as an editor does, the last one first."""
    lines = text.splitlines(keepends=True)
    for one in sorted(edits, key=lambda edit: (edit.range.start.line, edit.range.start.character), reverse=True):
        start, end = (_offset(lines, place) for place in (one.range.start, one.range.end))
        text = text[:start] + one.new_text + text[end:]
    return text


def _offset(lines, place):
    return sum(map(len, lines[: place.line])) + place.character
