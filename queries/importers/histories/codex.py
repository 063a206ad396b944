"""Rollouts of Codex: ``rollout-*.jsonl`` under ``sessions/YYYY/MM/DD`` and ``archived_sessions``, or compressed.

Confirmed by openai/codex: the layout and ``.jsonl.zst`` by `codex-rs/rollout/src` (`list.rs`, `compression.rs`), which
records are kept by `policy.rs` there, their fields by `codex-rs/protocol/src/protocol.rs` (`RolloutLine`,
`SessionMeta`, `TurnContextItem`, `TokenUsageInfo`, `PatchApplyEndEvent`) and `models.rs` (`ResponseItem`). Before
September 2025 a line was the item itself, without a time. A session that was forked repeats the calls of the other one
under their names.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from linetrail.ledger.adapters import codex as hooks
from linetrail.ledger.observe import hunks
from linetrail.ledger.repository import Repository
from linetrail.queries.importers import discovery
from linetrail.queries.importers.histories import files
from linetrail.queries.importers.histories.calls import (
    Call,
    Calls,
    asked,
    document,
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
NAMED_CALLS = True

_TOUCHED = re.compile(rb'\*\*\* (?:Add|Update|Delete) File: ([^"\\]{1,4096})')
_SHELLS = frozenset({"shell", "shell_command", "exec_command", "local_shell", "container.exec", "unified_exec"})
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_RESULTS = frozenset({"function_call_output", "custom_tool_call_output"})
_EXIT_CODE = re.compile(r"(?:^Exit code: |exited with code )(-?\d{1,5})", re.MULTILINE)
# What the client says in a person's place, in sessions before prompts had records of their own.
_NOT_TYPED = re.compile(r"\s*(?:<(?:environment_context|user_instructions|turn_aborted)|# AGENTS\.md instructions)")


def listed(paths: Iterable[str]) -> list[str]:
    """Return the rollouts that were named, and those in folders that were; of two forms of one, the plain one."""
    found = discovery.below(paths, (".jsonl", ".jsonl.zst"))
    plain = set(found)
    return [path for path in found if path.removesuffix(".zst") == path or path.removesuffix(".zst") not in plain]


def kept(repository: Repository) -> list[str]:
    """Return the rollouts that ran in this repository, and those that are compressed."""
    folders = [home().path(f".codex/{name}") for name in ("sessions", "archived_sessions")]
    found = listed(folder for folder in folders if os.path.isdir(folder))
    roots = discovery.worktrees(repository)
    return [path for path in found if path.endswith(".zst") or discovery.is_inside(recorded_cwd(path), roots)]


def histories(path: str, _repository: Repository, folder: str) -> Iterator[History]:
    plain = files.plain(path, folder)
    found = survey(plain, _TOUCHED)
    start = found.start or files.changed_ns(path)
    yield History(Counts(path), start, found.cwd, found.touched, partial(records, plain), Rollout())


class Rollout:
    """One session as far as it was read."""

    def __init__(self) -> None:
        self._talk: Talk | None = None
        self._calls = Calls()
        # prompts have records of their own; in older sessions a message is all there is
        self._old = False
        self._provider = "openai"

    def read(self, record: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
        kind, payload = name_of(record.get("type")), mapping(record.get("payload"))
        if "payload" not in record:
            yield from self._headless(record, time, counts)
        elif kind == "session_meta":
            self._begun(payload)
        elif kind == "turn_context":
            self._turned(payload)
        elif self._talk is None:
            counts.skip("before the session began")
        elif kind == "response_item":
            yield from self._item(self._talk, payload, time, counts)
        elif kind == "event_msg":
            yield from self._event(self._talk, payload, time, counts)
        else:
            counts.skip(f"type {kind}")

    def _headless(self, record: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
        """Read a line of the first form: the session, or an item."""
        if self._talk is None and name_of(record.get("id")) and "type" not in record:
            self._old = True
            self._begun(record)
        elif self._talk is not None and record.get("type"):
            yield from self._item(self._talk, record, time, counts)
        else:
            counts.skip("no item")

    def _begun(self, payload: Mapping[str, Any]) -> None:
        """Learn the session from its first head; those behind it are of the session that it was forked from."""
        session_id = name_of(payload.get("id"))
        if self._talk is not None or session_id is None:
            return
        git = mapping(payload.get("git"))
        self._provider = name_of(payload.get("model_provider")) or self._provider
        self._talk = Talk(
            session_id,
            cwd=path_of(payload.get("cwd")),
            version=name_of(payload.get("cli_version")),
            branch=name_of(git.get("branch")),
            revision=name_of(git.get("commit_hash")),
            parent_id=_parent(payload) or name_of(payload.get("forked_from_id")),
        )

    def _turned(self, payload: Mapping[str, Any]) -> None:
        if self._talk is not None:
            model = name_of(payload.get("model"))
            self._talk = self._talk._replace(
                cwd=path_of(payload.get("cwd")) or self._talk.cwd,
                model_id=self._model(model) if model else self._talk.model_id,
                permission_mode=name_of(payload.get("approval_policy")),
                prompt_id=name_of(payload.get("turn_id")) or self._talk.prompt_id,
            )

    def _model(self, model: str) -> str:
        return model if "/" in model else f"{self._provider}/{model}"

    def _item(self, talk: Talk, item: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
        kind = name_of(item.get("type"))
        if kind in _CALLS:
            yield from self._called(talk, item, time, counts)
        elif kind in _RESULTS:
            yield from self._answered(talk, item, time, counts)
        elif kind == "reasoning":
            summary = texts(item.get("summary")) or texts(item.get("content"))
            if summary:
                yield Step(time, talk, f"reasoning {summary[:200]}", thought=summary)
        elif kind == "message" and item.get("role") == "assistant":
            text = texts(item.get("content"))
            if text:
                yield Step(time, talk, f"{time} {text[:200]}", said=text)
        elif kind == "message" and self._old and item.get("role") == "user":
            text = texts(item.get("content"))
            if text and not _NOT_TYPED.match(text):
                yield Step(time, talk, f"{time} {text[:200]}", prompted(talk, text))
        elif kind != "message":
            counts.skip(f"type {kind}")

    def _event(self, talk: Talk, event: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
        kind, message = event.get("type"), event.get("message")
        if kind == "user_message" and isinstance(message, str) and not _NOT_TYPED.match(message):
            yield Step(time, talk, f"{time} {message[:200]}", prompted(talk, message))
        elif kind == "token_count":
            yield from _used(talk, mapping(event.get("info")), time)
        elif kind == "patch_apply_end":
            self._patched(event)
        else:
            counts.skip(f"event {kind}")

    def _called(self, talk: Talk, item: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
        call_id = name_of(item.get("call_id")) or name_of(item.get("id"))
        tool, given, patch = _asked(item)
        if call_id is None or tool is None:
            counts.skip("call without a name")
            return
        signal = asked(hooks.read, "PreToolUse", talk, {"tool_name": tool, "tool_input": given, "tool_use_id": call_id})
        signal = signal._replace(model_id=talk.model_id)
        self._calls.put(Call(signal, tuple(patched(patch))))
        yield Step(time, talk, call_id, signal)

    def _answered(self, talk: Talk, item: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
        call_id = name_of(item.get("call_id"))
        call = call_id and self._calls.get(call_id)
        if not call_id or not call:
            counts.skip("result of an unknown call")
            return
        output, exit_code, seconds = _result(item.get("output"))
        failed = bool(exit_code) or mapping(item.get("output")).get("success") is False
        failed = failed or "verification failed" in output[:200] or item.get("status") == "failed"
        duration = seconds * 1000 if isinstance(seconds, int | float) else None
        signal = ended(
            call.signal,
            output=output,
            error=(output[:4000] or "failed") if failed else None,
            duration_ms=duration,
            exit_code=exit_code,
        )
        yield Step(time, talk, call_id, signal, () if failed else call.changes)

    def _patched(self, event: Mapping[str, Any]) -> None:
        """Learn what a patch did from the record of its end, which knows more than the call."""
        call = self._calls.get(name_of(event.get("call_id")) or "")
        if call is not None and event.get("success") is not False:
            told = [_told(path, mapping(change)) for path, change in mapping(event.get("changes")).items()]
            if told and all(told):
                self._calls.put(call._replace(changes=tuple(change for change in told if change)))


def _parent(payload: Mapping[str, Any]) -> str | None:
    """Return the session that started this one as its subagent."""
    spawned = mapping(mapping(mapping(payload.get("source")).get("subagent")).get("thread_spawn"))
    return name_of(payload.get("parent_thread_id")) or name_of(spawned.get("parent_thread_id"))


def _asked(item: Mapping[str, Any]) -> tuple[str | None, dict[str, Any], str]:
    """Return a call's tool as hooks name it, what it was given, and the patch in it."""
    name = name_of(item.get("name"))
    if item.get("type") == "local_shell_call":
        command = _command(mapping(item.get("action")).get("command"))
        return "Bash", {"command": command}, patch_in(command)
    if item.get("type") == "custom_tool_call":
        text = texts(item.get("input"))
        return name, {"command": text} if name == "apply_patch" else {"input": text}, patch_in(text)
    given = dict(document(item.get("arguments")))
    if name == "apply_patch":
        patch = texts(given.get("input")) or _command(given.get("command"))
        return name, {"command": patch}, patch_in(patch)
    if name in _SHELLS:
        command = _command(given.get("command", given.get("cmd")))
        is_patch = isinstance(given.get("command"), list) and given["command"][:1] == ["apply_patch"]
        return "apply_patch" if is_patch else "Bash", {"command": command}, patch_in(command)
    server = name_of(item.get("namespace"))
    return f"{server}__{name}" if server and name and not name.startswith(server) else name, given, ""


def _command(command: Any) -> str:
    """Return the text of a command; what only starts a shell, or the patch tool, is left out."""
    if isinstance(command, str):
        return command
    words = [word for word in command if isinstance(word, str)] if isinstance(command, list) else []
    started = len(words) == 3 and words[1] in ("-lc", "-c")
    return words[-1] if started or words[:1] == ["apply_patch"] else " ".join(words)


def _told(path: str, change: Mapping[str, Any]) -> Change | None:
    """Return one change of a patch as its end tells it."""
    content, diff, move = change.get("content"), change.get("unified_diff"), path_of(change.get("move_path"))
    if change.get("type") == "add" and isinstance(content, str):
        return Change(path, after=content, new=True)
    if change.get("type") == "delete" and isinstance(content, str):
        return Change(path, before=content, gone=True)
    if change.get("type") == "update" and isinstance(diff, str):
        return Change(move or path, hunks=hunks.unified(diff), from_path=path if move else None)
    return None


def _result(output: Any) -> tuple[str, int | None, Any]:
    """Return what a call put out, its exit code and how many seconds it took."""
    text = texts(mapping(output).get("content", output))
    if text.startswith('{"output"'):
        known = document(text)
        about = mapping(known.get("metadata"))
        code = about.get("exit_code")
        told = known.get("output")
        return (
            (told if isinstance(told, str) else text),
            code if type(code) is int else None,
            about.get("duration_seconds"),
        )
    found = _EXIT_CODE.search(text[:2000])
    return text, int(found[1]) if found else None, None


def _used(talk: Talk, info: Mapping[str, Any], time: int) -> Iterator[Step]:
    """Yield the tokens of one answer; the report is repeated until the next one, its total is what names it."""
    last, total = mapping(info.get("last_token_usage")), mapping(info.get("total_token_usage"))
    given, cached = last.get("input_tokens"), last.get("cached_input_tokens")
    if not isinstance(given, int) or not isinstance(total.get("total_tokens"), int):
        return
    cached = cached if isinstance(cached, int) else 0
    key = f"{talk.session_id}:{total['total_tokens']}"
    usage = Usage(key, talk.model_id, max(given - cached, 0), last.get("output_tokens"), cached)
    yield Step(time, talk, key, usage=usage)
