"""Tasks of Cline and of Roo Code: a folder ``tasks/<id>`` with the conversation and what the editor showed of it.

Confirmed by cline/cline at 21cb8d25 (`apps/vscode/src/shared/ExtensionMessage.ts`, `shared/messages/content.ts`,
`core/storage/disk.ts`, `core/prompts/responses.ts`) and by RooCodeInc/Roo-Code at cb836567 (`message.ts` and
`history.ts` of `packages/types/src`, `src/core/task-persistence/apiMessages.ts`, `src/core/tools`). The conversation
has the calls and, in newer versions, times; the editor's messages always have times, what people typed, and tokens.
Calls were tags in the text before they were blocks. Not read: the sessions of the newer command line of Cline.
"""

import heapq
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from linetrail.ledger.adapters.adapter import MCP_TOOL, UNKNOWN_TOOL, tool
from linetrail.ledger.errors import UsageError
from linetrail.ledger.event.signal import Signal
from linetrail.ledger.repository import Repository
from linetrail.queries.importers import discovery
from linetrail.queries.importers.histories import blocks, documents, files
from linetrail.queries.importers.histories.calls import (
    Call,
    document,
    ended,
    epoch_ns,
    made_name,
    mapping,
    name_of,
    path_of,
    prompted,
    texts,
)
from linetrail.queries.importers.histories.calls import listed as objects
from linetrail.queries.importers.histories.history import History
from linetrail.queries.importers.steps import Step, Talk, Usage
from linetrail.queries.importers.transcript import Counts, Pending

CONVERSATION, SHOWN = "api_conversation_history.json", "ui_messages.json"
_OLD_SHOWN = "claude_messages.json"
_HISTORY_ITEM = "history_item.json"
_HEAD_BYTES = 4 * 1024 * 1024
_CWD = re.compile(rb"# Current (?:Working|Workspace) Directory \(((?:[^()\\]|\\.|\([^()]{0,200}\)){1,4096})\) Files")
_TOUCHED = re.compile(rb'(?:<path>|"(?:path|absolutePath|file_path)": ?")([^"\\<>]{1,4096})')
_MODEL = re.compile(r"<model>([^<]{1,200})</model>")
_RESULT = re.compile(r"\[(\w+)[^\]]*\] Result:")
_MAX_TOUCHED = 40
# A conversation shows a list of calls; the editor's folders are those of VS Code and its relatives.
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")


class Tasks(NamedTuple):
    """The tasks of one extension; `folder` is what the editor calls it."""

    NAME: str
    folder: str
    NAMED_CALLS: bool = False

    def listed(self, paths: Iterable[str]) -> list[str]:
        """Return the folders of the tasks that were named, by one of their files, or by a folder above them."""
        found: dict[str, None] = {}
        for path in paths:
            if os.path.isfile(path):
                found[os.path.dirname(path) or "."] = None
            elif os.path.isdir(path):
                found.update(dict.fromkeys(_tasks_below(path)))
            else:
                raise UsageError(f"no such file or folder: {path}")
        return list(found)

    def kept(self, repository: Repository) -> list[str]:
        roots = discovery.worktrees(repository)
        places = [os.path.join(folder, "globalStorage", self.folder) for folder in files.editor_folders(_EDITORS)]
        tasks = self.listed(place for place in places if os.path.isdir(place))
        return [task for task in tasks if discovery.is_inside(_cwd(task), roots)]

    def histories(self, path: str, _repository: Repository, _folder: str) -> Iterator[History]:
        shown = _shown(path)
        times = _Times(shown)
        start = times.first or files.changed_ns(path)

        def read(counts: Counts, start: int) -> Iterator[Pending]:
            return _records(path, shown, times, counts, start)

        cwd = _cwd(path)
        yield History(Counts(path), start, cwd, _touched(path), read, Task(self.NAME, os.path.basename(path), cwd))


class Task:
    """One session as far as it was read."""

    def __init__(self, agent: str, task_id: str, cwd: str | None) -> None:
        self._agent = agent
        self._talk = Talk(task_id[:256], cwd)
        # calls of the last answer, by name and in order; those written as tags are answered in order
        self._calls: dict[str, tuple[Call, str, dict[str, Any]]] = {}
        self._begun = False
        self._number = 0

    def read(self, record: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
        """Yield what a message says, of the conversation or of the editor."""
        if "role" not in record:
            yield from self._seen(record, time, counts)
            return
        self._number += 1
        about = mapping(record.get("modelInfo"))
        model, provider = name_of(about.get("modelId")), name_of(about.get("providerId"))
        if model:
            self._learn(model if "/" in model or provider is None else f"{provider}/{model}")
        if record["role"] == "assistant":
            yield from self._said(record, time)
        elif record["role"] == "user":
            yield from self._answered(record, time)

    def _learn(self, model: str) -> None:
        self._talk = self._talk._replace(model_id=model)

    def _seen(self, shown: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
        kind, text = shown.get("say"), shown.get("text")
        first, self._begun = not self._begun, True
        if not isinstance(text, str) or not text or shown.get("partial") is True:
            return
        if kind in ("task", "user_feedback") or (first and kind == "text"):
            self._talk = self._talk._replace(prompt_id=f"{self._talk.session_id}-{time}"[:256])
            yield Step(time, self._talk, str(time), prompted(self._talk, text))
        elif kind == "reasoning":
            yield Step(time, self._talk, str(time), thought=text)
        elif kind == "api_req_started":
            yield from self._used(text, time)
        else:
            counts.skip(f"shown: {kind or shown.get('ask')}")

    def _used(self, text: str, time: int) -> Iterator[Step]:
        told = document(text)
        if isinstance(told.get("tokensIn"), int):
            tokens = (told.get(key) for key in ("tokensIn", "tokensOut", "cacheReads", "cacheWrites"))
            key = f"{self._talk.session_id}:{time // 1_000_000}"
            yield Step(time, self._talk, key, usage=Usage(key, self._talk.model_id, *tokens))

    def _said(self, record: Mapping[str, Any], time: int) -> Iterator[Step]:
        """Yield the calls of an answer: blocks, or tags in what it says."""
        self._calls = {}
        content = record.get("content")
        found = [
            (name_of(block.get("id")), name_of(block.get("name")), dict(mapping(block.get("input"))))
            for block in objects(content)
            if block.get("type") == "tool_use"
        ]
        answer = blocks.words(texts(content))
        if answer:
            yield Step(time, self._talk, str(self._number), said=answer)
        if not found:
            found = [(None, name, given) for name, given in blocks.calls(texts(content))]
        for at, (call_id, name, given) in enumerate(found):
            if name is None:
                continue
            signal = self._asked(call_id or made_name(self._talk.session_id, str(self._number), str(at)), name, given)
            if signal.tool is not None and signal.tool.call_id is not None:
                self._calls[signal.tool.call_id] = (
                    Call(signal._replace(tool=signal.tool._replace(input={}))),
                    name,
                    given,
                )
            yield Step(time, self._talk, str(at), signal)

    def _asked(self, call_id: str, name: str, given: dict[str, Any]) -> Signal:
        does = MCP_TOOL if name == blocks.MCP or name.startswith("mcp") else blocks.TOOLS.get(name, UNKNOWN_TOOL)
        call = tool(name, does, given, call_id=call_id, command=given.get("command"))
        talk = self._talk
        return Signal(
            "pre_tool", "tool", talk.session_id, talk.cwd, model_id=talk.model_id, prompt_id=talk.prompt_id, tool=call
        )

    def _answered(self, record: Mapping[str, Any], time: int) -> Iterator[Step]:
        content = record.get("content")
        model = _MODEL.search(texts(content))
        if model:
            self._learn(model[1])
        for call_id, told in _results(content, list(self._calls)):
            found = self._calls.pop(call_id, None)
            if found is None:
                continue
            call, name, given = found
            came = blocks.result(told)
            signal = ended(call.signal, output=told, error=told[:4000] if came.failed else None)
            yield Step(
                time, self._talk, call_id, signal, () if came.failed else tuple(blocks.changes(name, given, came))
            )


class _Times:
    """When the messages of a conversation that have no times were said, from what the editor showed meanwhile."""

    def __init__(self, shown: str | None) -> None:
        # (how many messages there were, when that was first shown), ascending
        self._seen: list[tuple[int, int]] = []
        self.first = 0
        for pending in documents.objects(shown, Counts(shown), 0, time_of) if shown else ():
            self.first = self.first or pending.time
            index = pending.load().get("conversationHistoryIndex")
            if isinstance(index, int) and (not self._seen or index > self._seen[-1][0]):
                self._seen.append((index, pending.time))
        self._next = 0

    def of(self, number: int) -> int:
        """Return the time of a message; they are asked for in order. 0 where it is not told."""
        while self._next + 1 < len(self._seen) and self._seen[self._next][0] < number - 1:
            self._next += 1
        return self._seen[self._next][1] if self._seen else 0


def time_of(record: Mapping[str, Any]) -> int | None:
    """Return the time of a message."""
    return epoch_ns(record.get("ts"))


def _records(task: str, shown: str | None, times: _Times, counts: Counts, start: int) -> Iterator[Pending]:
    """Merge what was said with what was shown: of equal times, what was shown comes first."""
    both = [documents.objects(shown, counts, start, time_of)] if shown else []
    conversation = os.path.join(task, CONVERSATION)
    if os.path.isfile(conversation):
        both.append(_timed(documents.objects(conversation, counts, 0, time_of), times, start))
    return heapq.merge(*both, key=lambda pending: pending.time)


def _timed(said: Iterator[Pending], times: _Times, start: int) -> Iterator[Pending]:
    """Give messages that tell no time the one at which the editor showed something of them; none goes back."""
    for number, pending in enumerate(said):
        start = max(start, pending.time or times.of(number))
        yield pending._replace(time=start)


def _results(content: Any, waiting: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the calls that a message answers, and what it says; of tags, in the order of the calls."""
    told: list[list[str]] = []
    for block in objects(content):
        if block.get("type") == "tool_result":
            yield str(block.get("tool_use_id")), texts(block.get("content"))
        elif isinstance(block.get("text"), str) and not block["text"].startswith("<environment_details>"):
            if _RESULT.match(block["text"]):
                told.append([])
            if told:
                told[-1].append(block["text"])
    if isinstance(content, str) and _RESULT.match(content):
        told.append([content])
    for call_id, parts in zip(waiting, told, strict=False):
        yield call_id, "\n".join(parts)


def _tasks_below(folder: str) -> Iterator[str]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        if not {CONVERSATION, SHOWN, _OLD_SHOWN}.isdisjoint(names):
            yield parent


def _shown(task: str) -> str | None:
    paths = (os.path.join(task, name) for name in (SHOWN, _OLD_SHOWN))
    return next((path for path in paths if os.path.isfile(path)), None)


def _cwd(task: str) -> str | None:
    """Return the folder that a task ran in: told with its first message, or kept beside it."""
    found = _CWD.search(_head(os.path.join(task, CONVERSATION)))
    if found:
        return _unescaped(found[1])
    item = document(_head(os.path.join(task, _HISTORY_ITEM)))
    return path_of(item.get("workspace")) or path_of(item.get("cwdOnTaskInitialization"))


def _touched(task: str) -> frozenset[str]:
    found = _TOUCHED.finditer(_head(os.path.join(task, CONVERSATION)))
    return frozenset(path for _, one in zip(range(_MAX_TOUCHED), found, strict=False) if (path := _unescaped(one[1])))


def _head(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(_HEAD_BYTES)
    except OSError:
        return b""


def _unescaped(text: bytes) -> str | None:
    try:
        return path_of(json.loads(b'"' + text + b'"'))
    except ValueError:
        return None


CLINE = Tasks("cline", "saoudrizwan.claude-dev")
ROO = Tasks("roo", "rooveterinaryinc.roo-cline")
