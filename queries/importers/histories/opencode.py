"""Sessions of OpenCode as ``opencode export`` writes them: one document with what the session is and its messages.

Confirmed by the documents of versions 1.2.17 to 1.2.26 in checkpoints of Entire (dayhaysoos/nimbus), which are such
exports: messages with parts, a call and its result in one part, both texts of each file that a patch changed. Calls of
`edit` and `write` are read by the types of 1.18.33, as the hooks are. A subagent has a session of its own that names
the one above it. Not read: the database in which newer versions keep all sessions, and the folders of older ones.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from linetrail.ledger.adapters import opencode as hooks
from linetrail.ledger.event.signal import Signal
from linetrail.ledger.repository import Repository
from linetrail.queries.importers import discovery
from linetrail.queries.importers.histories import documents, files
from linetrail.queries.importers.histories.calls import (
    asked,
    ended,
    epoch_ns,
    made_name,
    mapping,
    name_of,
    patch_in,
    patched,
    path_of,
    prompted,
)
from linetrail.queries.importers.histories.calls import listed as objects
from linetrail.queries.importers.histories.history import History
from linetrail.queries.importers.steps import Change, Step, Talk, Usage
from linetrail.queries.importers.survey import place
from linetrail.queries.importers.transcript import Counts, Pending

NAME = hooks.NAME
NAMED_CALLS = True

_HEAD_BYTES = 4 * 1024 * 1024
_INFO = re.compile(r'\s*\{\s*"info"\s*:\s*')
# What Entire writes in place of whatever may be a secret; it takes many names for one.
_TAKEN_OUT = "REDACTED"
# what a part says of a call that has ended -> whether it failed
_ENDS = {"completed": False, "error": True}


def listed(paths: Iterable[str]) -> list[str]:
    return discovery.below(paths, (".json",))


def kept(_repository: Repository) -> list[str]:
    """Return nothing: exports lie where somebody put them."""
    return []


def histories(path: str, _repository: Repository, _folder: str) -> Iterator[History]:
    info = _info(path)
    with open(path, "rb") as file:
        _, touched = place(file)
    talk, is_main = _talk(info)

    def read(counts: Counts, start: int) -> Iterator[Pending]:
        return documents.objects(path, counts, start, _time, member="messages")

    start = epoch_ns(mapping(info.get("time")).get("created")) or files.changed_ns(path)
    own = talk and (talk.agent_id or talk.session_id)
    yield History(
        Counts(path), start, path_of(info.get("directory")), touched, read, Session(talk, is_main=is_main), own
    )


class Session:
    """One session as far as it was read."""

    def __init__(self, talk: Talk | None, *, is_main: bool) -> None:
        self._talk = talk
        self._is_main = is_main

    def read(self, record: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
        info, talk = mapping(record.get("info")), self._talk
        role = info.get("role")
        if talk is None or role not in ("user", "assistant"):
            counts.skip("no session" if talk is None else "no message")
            return
        name = _named(info.get("id")) or made_name(talk.session_id, str(time), str(role))
        model = mapping(info.get("model")) or info
        talk = self._talk = talk._replace(model_id=_model(model) or talk.model_id)
        if role == "user":
            yield from self._typed(talk, name, record, time)
            return
        for part in objects(record.get("parts")):
            yield from _part(talk, part, time, counts)
        tokens = mapping(info.get("tokens"))
        if isinstance(tokens.get("input"), int):
            yield Step(_ended(info) or time, talk, name, usage=_usage(name, talk.model_id, tokens))

    def _typed(self, talk: Talk, name: str, record: Mapping[str, Any], time: int) -> Iterator[Step]:
        """Yield what a person typed: what opens the session of a subagent is another agent's word."""
        parts = [part for part in objects(record.get("parts")) if part.get("synthetic") is not True]
        text = "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))
        self._talk = talk = talk._replace(prompt_id=name)
        if text and self._is_main:
            yield Step(time, talk, name, prompted(talk, text))


def _part(talk: Talk, part: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
    kind, text, at = part.get("type"), part.get("text"), epoch_ns(mapping(part.get("time")).get("start")) or time
    name = _named(part.get("id")) or str(at)
    if kind == "tool":
        yield from _called(talk, part, time, counts)
    elif kind == "reasoning" and isinstance(text, str) and text:
        yield Step(at, talk, name, thought=text)
    elif kind == "text" and isinstance(text, str) and text:
        yield Step(at, talk, name, said=text)


def _called(talk: Talk, part: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
    """Yield a call and how it ended; a call that was still running is told by no later form of it."""
    state = mapping(part.get("state"))
    failed, about, times = (
        _ENDS.get(str(state.get("status"))),
        mapping(state.get("metadata")),
        mapping(state.get("time")),
    )
    if failed is None:
        counts.skip("call that did not end")
        return
    given = json.dumps(state.get("input"), sort_keys=True)
    begun = epoch_ns(times.get("start")) or time
    call_id = _named(part.get("callID")) or made_name(talk.session_id, str(begun), str(part.get("tool")), given)
    call = {"tool": part.get("tool"), "callID": call_id, "sessionID": talk.session_id, "args": state.get("input")}
    signal = asked(hooks.read, "tool.execute.before", talk, {"input": call})
    yield Step(begun, talk, call_id, signal._replace(session_id=talk.session_id, model_id=talk.model_id))
    error = (state.get("error") or "failed") if failed else None
    done = ended(
        signal,
        output=None if failed else state.get("output"),
        error=None if error is None else str(error)[:4000],
        exit_code=about.get("exit"),
    )
    changes = () if failed else tuple(_changes(signal, about))
    yield Step(epoch_ns(times.get("end")) or begun, talk, call_id, done._replace(session_id=talk.session_id), changes)


def _changes(signal: Signal, about: Mapping[str, Any]) -> Iterator[Change]:
    """Yield what a call did to files: both texts where the result has them, else what was asked for."""
    tool = signal.tool
    if tool is None or tool.operation not in ("write", "edit"):
        return
    shown = objects(about.get("files")) or objects([about.get("filediff")])
    told = [change for one in shown for change in _shown(one)]
    patch = patch_in(str(tool.input.get("patchText") or ""))
    path = next((path for path, _ in tool.targets), None)
    if told:
        yield from told
    elif patch:
        yield from patched(patch)
    elif path is not None and tool.proposal is not None:
        new = about.get("exists") is False
        yield Change(path, after=tool.proposal.content, edits=tool.proposal.edits, new=new)


def _shown(one: Mapping[str, Any]) -> Iterator[Change]:
    """Yield what the result of a call shows of one file."""
    path, before, after = path_of(one.get("filePath") or one.get("file")), one.get("before"), one.get("after")
    moved = path_of(one.get("movePath"))
    if path is None or not isinstance(before, str) or not isinstance(after, str):
        return
    if one.get("type") == "delete":
        yield Change(path, before, gone=True)
    else:
        new = one.get("type") == "add"
        yield Change(moved or path, None if new else before, after, new=new, from_path=path if moved else None)


def _usage(name: str, model_id: str | None, tokens: Mapping[str, Any]) -> Usage:
    cache = mapping(tokens.get("cache"))
    made = [count for count in map(tokens.get, ("output", "reasoning")) if isinstance(count, int)]
    return Usage(name, model_id, tokens["input"], sum(made), cache.get("read"), cache.get("write"))


def _model(about: Mapping[str, Any]) -> str | None:
    provider, model = name_of(about.get("providerID")), name_of(about.get("modelID"))
    return f"{provider}/{model}"[:256] if provider and model else model


def _time(record: Mapping[str, Any]) -> int | None:
    return epoch_ns(mapping(mapping(record.get("info")).get("time")).get("created"))


def _ended(info: Mapping[str, Any]) -> int | None:
    return epoch_ns(mapping(info.get("time")).get("completed"))


def _talk(info: Mapping[str, Any]) -> tuple[Talk | None, bool]:
    """Return whose session this is, named as hooks name it, and whether a person spoke in it.

    A subagent's is told under the session above it. Where a checkpoint has that name taken out as if it were a secret,
    the session stands for itself.
    """
    above, begun = info.get("parentID"), mapping(info.get("time")).get("created")
    own = _named(info.get("id")) or (made_name(NAME, str(begun), str(info.get("slug"))) if begun else None)
    if own is None:
        return None, False
    version, cwd = name_of(info.get("version")), path_of(info.get("directory"))
    return Talk(_named(above) or own, cwd, version, agent_id=own if above else None), not above


def _named(value: Any) -> str | None:
    """Return a name, where a checkpoint still has it."""
    return None if value == _TAKEN_OUT else name_of(value)


def _info(path: str) -> Mapping[str, Any]:
    """Return what an export says of its session, which it begins with."""
    with open(path, "rb") as file:
        text = file.read(_HEAD_BYTES).decode(errors="replace")
    found = _INFO.match(text)
    try:
        return mapping(json.JSONDecoder().raw_decode(text, found.end())[0]) if found else {}
    except (ValueError, RecursionError):
        return {}
