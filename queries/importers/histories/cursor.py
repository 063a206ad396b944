"""Conversations of Cursor: rows of ``state.vscdb``, and transcripts of its command line.

Nobody documents the rows. Confirmed by what several readers of them agree on: `docs/cursor/storage-reference.md` of
michaeldhood/chatrxiv (``composerData:``, ``bubbleId:``, times), `specs/006-edit-file-v2-support` of
maksy5310/cursor-helper (arguments and results are JSON inside strings), and tests of public readers that hold rows as
Cursor writes them (``composer.content.``, the whole text of a file). Not confirmed: whether a call has the same name
here as in hooks. Transcripts (``agent-transcripts/<id>/<id>.jsonl``) tell no times and no results; such a session is
read once, as of when its file was last written, and not where the ledger or the rows have it.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from linetrail.ledger.adapters import cursor as hooks
from linetrail.ledger.adapters.adapter import part
from linetrail.ledger.repository import Repository
from linetrail.queries.importers import discovery
from linetrail.queries.importers.histories import cursor_calls, cursor_rows, files
from linetrail.queries.importers.histories.calls import epoch_ns, made_name, mapping, name_of, path_of, prompted, texts
from linetrail.queries.importers.histories.calls import listed as objects
from linetrail.queries.importers.histories.history import History
from linetrail.queries.importers.steps import Step, Talk, Usage
from linetrail.queries.importers.survey import survey
from linetrail.queries.importers.transcript import Counts, records, unix_ns
from linetrail.queries.setup.place import home

NAME = hooks.NAME
NAMED_CALLS = True

DATABASE = "state.vscdb"
_USER, _ASSISTANT = 1, 2
_TOUCHED = re.compile(
    rb'(?:relativeWorkspacePath|targetFile|target_file|file_path|fsPath|"path)\\*": ?\\*"([^"\\]{1,4096})'
)
_MAX_TOUCHED = 40
_QUERY, _QUERY_END = "<user_query>", "</user_query>"


class Row(NamedTuple):
    """A row that waits for its turn: a bubble is one thing that was said or done."""

    time: int
    size: int
    rows: cursor_rows.Rows
    key: str

    def load(self) -> dict[str, Any]:
        """Return the bubble, and the whole texts that the result of its call names."""
        found = dict(self.rows.document(self.key))
        result = part(mapping(found.get("toolFormerData")), "result")
        for side in ("before", "after"):
            name = result.get(f"{side}ContentId")
            found[side] = self.rows.text(name) if isinstance(name, str) else None
        return found


def listed(paths: Iterable[str]) -> list[str]:
    return discovery.below(paths, (DATABASE, ".jsonl"))


def kept(repository: Repository) -> list[str]:
    """Return the database that all projects share, and this repository's transcripts."""
    shared = [os.path.join(folder, "globalStorage", DATABASE) for folder in files.editor_folders(("Cursor",))]
    projects = home().path(".cursor/projects")
    own = [os.path.join(projects, _slug(root), "agent-transcripts") for root in discovery.worktrees(repository)]
    return listed([*filter(os.path.isfile, shared), *filter(os.path.isdir, own)])


def histories(path: str, repository: Repository, folder: str) -> Iterator[History]:
    if path.endswith(".jsonl"):
        yield _transcript(path, repository)
        return
    rows = cursor_rows.Rows(path, folder)
    for composer_id in rows.composers():
        yield _composer(path, rows, composer_id)


def _composer(path: str, rows: cursor_rows.Rows, composer_id: str) -> History:
    data = rows.document(f"{cursor_rows.COMPOSER}{composer_id}")
    names = (name_of(head.get("bubbleId")) for head in objects(data.get("fullConversationHeadersOnly")))
    keys = [f"{cursor_rows.BUBBLE}{composer_id}:{name}" for name in names if name]
    cwd = path_of(mapping(mapping(data.get("workspaceIdentifier")).get("uri")).get("fsPath"))
    cwd = cwd or path_of(data.get("currentDir"))
    touched: set[str] = set()
    for key in keys if cwd is None else ():
        bubble = rows.raw(key)
        cwd = cwd or (_workspace(rows.document(key)) if b"workspaceUris" in bubble else None)
        touched.update(path.decode(errors="replace") for path in _TOUCHED.findall(bubble))
        if cwd is not None or len(touched) >= _MAX_TOUCHED:
            break

    def read(counts: Counts, start: int) -> Iterator[Row]:
        time = start
        for key in keys:
            counts.read += 1
            bubble = rows.document(key)
            time = max(time, _time(bubble))
            yield Row(time, len(bubble), rows, key)

    model = _model(mapping(data.get("modelConfig")))
    talk = Talk(composer_id, cwd, model_id=model, branch=name_of(data.get("createdOnBranch")))
    start = epoch_ns(data.get("createdAt")) or files.changed_ns(path)
    return History(Counts(f"{path}#{composer_id}"), start, cwd, frozenset(touched), read, Composer(talk), composer_id)


class Composer:
    """One conversation as far as it was read."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk

    def read(self, record: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
        name, kind = name_of(record.get("bubbleId")), record.get("type")
        if name is None or kind not in (_USER, _ASSISTANT):
            counts.skip("no bubble")
        elif kind == _USER:
            text = record.get("text")
            if isinstance(text, str) and text:
                self._talk = self._talk._replace(prompt_id=name)
                yield Step(time, self._talk, name, prompted(self._talk, text))
        else:
            yield from self._answered(name, record, time, counts)

    def _answered(self, name: str, record: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
        model = _model(mapping(record.get("modelInfo")))
        self._talk = talk = self._talk._replace(model_id=model or self._talk.model_id)
        thought = mapping(record.get("thinking")).get("text")
        if isinstance(thought, str) and thought:
            yield Step(time, talk, name, thought=thought)
        answer = record.get("text")
        if isinstance(answer, str) and answer:
            yield Step(time, talk, name, said=answer)
        yield from cursor_calls.steps(talk, name, record, time, counts)
        tokens = mapping(record.get("tokenCount"))
        given, made = tokens.get("inputTokens"), tokens.get("outputTokens")
        if given or made:
            key = f"{talk.session_id}:{name}"
            yield Step(time, talk, key, usage=Usage(key, talk.model_id, given, made))


class Transcript:
    """A session of the command line: what was said, and which tools were asked for; how they ended is not told."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._number = 0

    def read(self, record: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
        self._number += 1
        role, content = record.get("role"), mapping(record.get("message")).get("content")
        if role == "user":
            text = _typed(texts(content))
            if text:
                yield Step(time, self._talk, str(self._number), prompted(self._talk, text))
        elif role == "assistant":
            if texts(content):
                yield Step(time, self._talk, str(self._number), said=texts(content))
            for at, block in enumerate(objects(content)):
                name = name_of(block.get("name"))
                if block.get("type") == "tool_use" and name is not None:
                    made = made_name(self._talk.session_id, str(self._number), str(at))
                    call_id = name_of(block.get("id")) or made
                    given = dict(mapping(block.get("input")))
                    yield Step(time, self._talk, call_id, cursor_calls.asked(self._talk, call_id, name, given))
        else:
            counts.skip(f"type {record.get('type') or role}")


def _transcript(path: str, repository: Repository) -> History:
    session_id = os.path.basename(path).removesuffix(".jsonl")[:256]
    project = os.path.basename(path.rpartition(f"{os.sep}agent-transcripts{os.sep}")[0])
    cwd = next((root for root in discovery.worktrees(repository) if _slug(root) == project), None)

    touched = survey(path, _TOUCHED).touched
    reader = Transcript(Talk(session_id, cwd))
    return History(
        Counts(path), files.changed_ns(path), cwd, touched, partial(records, path), reader, session_id, is_once=True
    )


def _typed(text: str) -> str:
    """Return what a person typed, without what the client put around it."""
    begin, end = text.find(_QUERY), text.rfind(_QUERY_END)
    return text[begin + len(_QUERY) : end].strip() if 0 <= begin < end else text


def _slug(path: str) -> str:
    """Return the name that Cursor gives to the folder of a folder's sessions.

    >>> _slug("/code/shop_v2")
    'code-shop-v2'
    """
    return re.sub("[^A-Za-z0-9]+", "-", path).strip("-")


def _model(told: Mapping[str, Any]) -> str | None:
    model = name_of(told.get("modelName"))
    return None if model == "default" else model


def _time(bubble: Mapping[str, Any]) -> int:
    """Return when a bubble came to be; 0 where that is not told, as in older versions."""
    sent = mapping(bubble.get("timingInfo")).get("clientRpcSendTime")
    told = bubble.get("createdAt")
    return unix_ns(told) or epoch_ns(told) or epoch_ns(sent) or 0


def _workspace(bubble: Mapping[str, Any]) -> str | None:
    """Return the folder that was open, from its address."""
    told = bubble.get("workspaceUris")
    for one in told if isinstance(told, list) else ():
        parts = urlsplit(one) if isinstance(one, str) else None
        if parts is not None and parts.scheme == "file":
            path = unquote(parts.path)
            return path_of(path[1:] if path[2:3] == ":" else path)
    return None
