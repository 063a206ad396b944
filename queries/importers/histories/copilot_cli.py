"""Sessions of Copilot CLI: ``session-state/<id>/events.jsonl`` in its folder, and ``<id>.jsonl`` of older versions.

Nobody documents the events. Confirmed by what several public readers of them agree on, whose tests hold events as the
agent wrote them: ``session.start``, ``user.message``, ``tool.execution_start``, ``tool.execution_complete``,
``assistant.message`` with what was thought, and ``session.shutdown`` with the tokens of each model, which a resumed
session has again from its own start. Not confirmed: that the tokens of a resumed session do not count the earlier ones.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from linetrail.ledger.adapters import copilot_cli as hooks
from linetrail.ledger.event.signal import Signal
from linetrail.ledger.repository import Repository
from linetrail.queries.importers import discovery
from linetrail.queries.importers.histories import files
from linetrail.queries.importers.histories.calls import (
    Call,
    Calls,
    asked,
    ended,
    mapping,
    name_of,
    patch_in,
    patched,
    path_of,
    prompted,
    texts,
)
from linetrail.queries.importers.histories.history import History
from linetrail.queries.importers.steps import Change, Step, Talk, Usage
from linetrail.queries.importers.survey import recorded_cwd, survey
from linetrail.queries.importers.transcript import Counts, records
from linetrail.queries.setup.place import home

NAME = hooks.NAME
NAMED_CALLS = False

_TOUCHED = re.compile(rb'"path":\s?"((?:[^"\\]|\\.){1,4096})"')
_EXIT_CODE = re.compile(r"exit(?:ed with exit)? (?:code|status) (\d{1,3})>?\s*\Z")


def listed(paths: Iterable[str]) -> list[str]:
    return discovery.below(paths, (".jsonl",))


def kept(repository: Repository) -> list[str]:
    folder = home().path(".copilot/session-state")
    roots = discovery.worktrees(repository)
    found = listed([folder]) if os.path.isdir(folder) else []
    return [path for path in found if discovery.is_inside(recorded_cwd(path), roots)]


def histories(path: str, _repository: Repository, _folder: str) -> Iterator[History]:
    found = survey(path, _TOUCHED)
    yield History(
        Counts(path), found.start or files.changed_ns(path), found.cwd, found.touched, partial(records, path), Session()
    )


class Session:
    """One session as far as it was read."""

    def __init__(self) -> None:
        self._talk: Talk | None = None
        self._calls = Calls()

    def read(self, record: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
        kind, data = name_of(record.get("type")), mapping(record.get("data"))
        if kind in ("session.start", "session.resume"):
            self._begun(data)
            return
        talk = self._talk
        if talk is None:
            counts.skip("before the session began")
        elif kind == "session.model_change":
            self._talk = talk._replace(model_id=name_of(data.get("newModel")) or talk.model_id)
        elif kind == "user.message":
            yield from self._typed(talk, name_of(record.get("id")) or str(time), data, time)
        elif kind == "assistant.message":
            yield from _said(talk, name_of(record.get("id")) or str(time), data, time)
        elif kind == "tool.execution_start":
            yield from self._called(talk, data, time, counts)
        elif kind == "tool.execution_complete":
            yield from self._answered(talk, data, time, counts)
        elif kind == "session.shutdown":
            yield from _ended(talk, data, time)
        else:
            counts.skip(f"type {kind}")

    def _begun(self, data: Mapping[str, Any]) -> None:
        about = mapping(data.get("context"))
        known = self._talk or Talk(name_of(data.get("sessionId")) or "")
        self._talk = known._replace(
            cwd=path_of(about.get("cwd")) or known.cwd,
            version=name_of(data.get("copilotVersion")) or known.version,
            branch=name_of(about.get("branch")) or known.branch,
            revision=name_of(about.get("headCommit")) or known.revision,
            model_id=name_of(data.get("selectedModel")) or known.model_id,
        )
        if not known.session_id:
            self._talk = None

    def _typed(self, talk: Talk, name: str, data: Mapping[str, Any], time: int) -> Iterator[Step]:
        text = data.get("content")
        if isinstance(text, str) and text:
            self._talk = talk._replace(prompt_id=name)
            yield Step(time, self._talk, name, prompted(self._talk, text))

    def _called(self, talk: Talk, data: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
        call_id, name = name_of(data.get("toolCallId")), name_of(data.get("toolName"))
        if call_id is None or name is None:
            counts.skip("call without a name")
            return
        payload = {"toolName": name, "toolArgs": data.get("arguments"), "cwd": talk.cwd}
        signal = asked(hooks.read, "preToolUse", talk, payload)
        if signal.tool is not None:
            signal = signal._replace(model_id=talk.model_id, tool=signal.tool._replace(call_id=call_id))
            self._calls.put(Call(signal, tuple(_changes(signal))))
            yield Step(time, talk, call_id, signal)

    def _answered(self, talk: Talk, data: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
        call_id = name_of(data.get("toolCallId"))
        call = call_id and self._calls.get(call_id)
        if not call_id or not call or call.signal.tool is None:
            counts.skip("result of an unknown call")
            return
        output = data.get("result")
        shown = texts(mapping(output).get("content", output))
        error = mapping(data.get("error")).get("message")
        failed = (error if isinstance(error, str) and error else shown or "failed")[:4000]
        found = _EXIT_CODE.search(shown[-200:]) if call.signal.tool.operation == "shell" else None
        is_done = data.get("success") is True
        signal = ended(
            call.signal, output=output, error=None if is_done else failed, exit_code=int(found[1]) if found else None
        )
        yield Step(time, talk, call_id, signal, call.changes if is_done else ())


def _said(talk: Talk, name: str, data: Mapping[str, Any], time: int) -> Iterator[Step]:
    thought, answer = data.get("reasoningText"), data.get("content")
    if isinstance(thought, str) and thought:
        yield Step(time, talk, name, thought=thought)
    if isinstance(answer, str) and answer:
        yield Step(time, talk, name, said=answer)


def _changes(signal: Signal) -> Iterator[Change]:
    """Yield what a call will do to files if it succeeds."""
    tool = signal.tool
    if tool is None or tool.operation not in ("write", "edit"):
        return
    patch = patch_in(texts(tool.input.get("patch", tool.input.get("input"))))
    path = next((path for path, _ in tool.targets), None)
    if patch:
        yield from patched(patch)
    elif path is not None and tool.proposal is not None:
        content = tool.proposal.content
        yield Change(path, after=content, edits=tool.proposal.edits, new=content is not None)


def _ended(talk: Talk, data: Mapping[str, Any], time: int) -> Iterator[Step]:
    """Yield the tokens of each model, and the end."""
    for model, about in mapping(data.get("modelMetrics")).items():
        usage = mapping(mapping(about).get("usage"))
        given, made, cached, kept_in_cache = map(
            usage.get, ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")
        )
        if isinstance(given, int):
            fresh = max(given - cached, 0) if isinstance(cached, int) else given
            key = f"{talk.session_id}:{data.get('sessionStartTime')}:{model}"[:400]
            yield Step(time, talk, key, usage=Usage(key, model[:256], fresh, made, cached, kept_in_cache))
    yield Step(
        time, talk, f"end {time}", Signal("session_end", "session.shutdown", talk.session_id, talk.cwd, text="complete")
    )
