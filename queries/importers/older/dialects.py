"""Read one record of an older ledger: the Agent Trace specification's, or the dialect of intent-driven extensions.

Both say which lines of which files somebody wrote. The specification names a version; the other dialect, here called
`seed`, names an intent, and comes with conversations in each file, with one for the whole record, or flat, a file or a
command a record. Names differ a little from tool to tool, so each fact is looked for under all of its names.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

from linetrail.ledger.event.drafts import MAX_COMMAND, Draft
from linetrail.ledger.event.event import MAX_INT, Agent
from linetrail.ledger.redact.redactor import scrub
from linetrail.ledger.repository import Repository, Vcs, stored_path
from linetrail.queries.importers.transcript import unix_ns

SPEC, SEED = "spec", "seed"
# How a conversation and an intent are named where the specification wants a URI.
SESSION_URN, INTENT_URN = "urn:session:", "urn:intent:"
# The product, where a record names only its model.
UNKNOWN_AGENT = "unknown"
NOT_SEEN = "not seen"
# Files of which is written when something happened to none, by a hook of the specification and by extensions.
_NO_FILES = frozenset({".shell-history", ".sessions", ".unknown", "unknown"})
# Tools of extensions that trace every call, not only those that write.
_READERS = frozenset(
    {"read_file", "list_files", "search_files", "codebase_search", "list_code_definition_names", "fetch_instructions"}
)
_OTHERS = frozenset(
    {"select_active_intent", "get_active_intent", "list_active_intents", "complete_intent", "update_todo_list"}
    | {"ask_followup_question", "attempt_completion", "switch_mode", "new_task"}
)
_SHELL = "execute_command"
_FAILED = frozenset({"error", "failed", "failure"})
_CONTRIBUTORS = frozenset({"ai", "human", "mixed", "unknown"})
_OPERATIONS = {"add": "add", "create": "add", "delete": "delete", "remove": "delete"}
_INTENTS = frozenset({"intent", "specification"})
_BY = ("contributor_type", "contributor")
_META = ("meta", "metadata")
_MAX_TEXT = 300
_REVISION = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
_DIGEST = re.compile("sha256:[0-9a-f]{64}")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")

Fields = Mapping[str, Any]


class Record(NamedTuple):
    """What a record says, in the words of our events. `time` is None where it has none that can be read."""

    dialect: str
    time: int | None
    session_id: str | None
    agent: Agent | None
    contributor: str
    intent_id: str | None
    vcs: Vcs | None
    drafts: list[Draft]


class _Claim(NamedTuple):
    """Who wrote these ranges of a file, as one conversation says."""

    contributor: str
    model: str | None
    session: str | None
    ranges: Sequence[Fields]


def dialect(fields: Fields) -> str | None:
    """Name the dialect of a record; None when it is a record of neither."""
    if isinstance(fields.get("files"), list):
        return SPEC if "version" in fields else SEED
    return SEED if _name(fields, "file_path", "filePath") or _name(fields, "command") else None


def is_ours(fields: Fields) -> bool:
    """Return whether this is an event of linetrail, which is in a ledger already."""
    return {"v", "seq", "prev", "data"} <= fields.keys()


def read(fields: Fields, repository: Repository) -> Record | None:
    """Read a record; None when it is of no known dialect."""
    found = dialect(fields)
    if found is None:
        return None
    files = _dicts(fields.get("files")) if "files" in fields else [fields] if _path(fields) else []
    claims = [(file, list(_claims(fields, file))) for file in files]
    said = [claim for _, of_file in claims for claim in of_file]
    return Record(
        dialect=found,
        time=_time(fields),
        session_id=_only(claim.session for claim in said) or _session(fields),
        agent=_agent(fields, _only(claim.model for claim in said)),
        contributor=_contributor(said),
        intent_id=_intent(fields, files),
        vcs=_vcs(fields.get("vcs")),
        drafts=_drafts(fields, files, claims, _contributor(said), repository),
    )


def _drafts(
    fields: Fields,
    files: Sequence[Fields],
    claims: Sequence[tuple[Fields, Sequence[_Claim]]],
    contributor: str,
    repository: Repository,
) -> list[Draft]:
    meta = fields.get("metadata")
    told = (fields, meta) if isinstance(meta, dict) else (fields,)
    command = next(filter(None, (_name(part, "command", limit=MAX_COMMAND) for part in told)), None)
    placed = [
        (path, file, said)
        for file, said in claims
        if (path := _stored(_path(file), repository)) and path not in _NO_FILES
    ]
    tool = _tool_name(fields)
    if not placed and (command or tool == _SHELL):
        return _call(fields, tool or _SHELL, "shell", contributor, command=command)
    if tool is not None and tool in _READERS | _OTHERS:
        paths = [path for path, _, _ in placed]
        return _call(fields, tool, "read" if tool in _READERS else "other", contributor, paths)
    signal = next((path for file in files if (path := _path(file)) in _NO_FILES), None)
    if signal is not None and not placed:
        return [Draft("agent.signalled", "unknown", {"signal": signal.lstrip("."), "detail": None})]
    data = {
        "tool_call_id": _name(fields, "tool_use_id", "tool_call_id"),
        "tool_name": tool,
        "via": "import",
        "declared_class": _class(fields, files),
        "files": [_entry(fields, file, said, path) for path, file, said in placed],
    }
    return [Draft("mutation.observed", contributor, data)]


def _call(
    fields: Fields,
    tool: str,
    operation: str,
    contributor: str,
    paths: Sequence[str] = (),
    command: str | None = None,
) -> list[Draft]:
    """Return the drafts of a tool that changed no named file; the caller adds the id of the call."""
    output = _name(fields, "output_hash") or ""
    call = {"tool_name": tool, "operation": operation}
    asked = call | {"targets": [{"path": path, "role": "read"} for path in paths], "command": command}
    ended = call | {
        "exit_code": _integer(fields.get("exit_code")),
        "output_sha256": output if _DIGEST.fullmatch(output) else None,
    }
    by = contributor if contributor != "unknown" else "ai"
    outcome = "tool.failed" if (_name(fields, "result") or "").casefold() in _FAILED else "tool.completed"
    return [Draft("tool.requested", by, asked), Draft(outcome, by, ended)]


def _entry(fields: Fields, file: Fields, claims: Sequence[_Claim], path: str) -> dict[str, Any]:
    operation = _name(file, "operation") or _class(fields, [file]) or ""
    said = {
        "before_hash": _name(file, "before_hash"),
        "after_hash": _name(file, "after_hash", "content_hash"),
        "ranges": [_range(one, claim) for claim in claims for one in claim.ranges],
    }
    unknown = dict.fromkeys(("before_hash", "after_hash", "before_lines", "after_lines", "eol", "hunks"))
    op = _OPERATIONS.get(operation.casefold(), "modify")
    return {"path": path, "op": op, **unknown, "omitted": NOT_SEEN, "said": said}


def _range(fields: Fields, claim: _Claim) -> dict[str, Any]:
    own = fields.get("contributor")
    return {
        "start_line": _integer(fields.get("start_line")),
        "end_line": _integer(fields.get("end_line")),
        "content_hash": _name(fields, "content_hash"),
        "contributor": _kind(own) if isinstance(own, dict) else claim.contributor,
        "model_id": (_model(own) if isinstance(own, dict) else None) or claim.model,
        "session_id": claim.session,
        "node_type": _name(fields, "ast_node_type", "node_type"),
    }


def _claims(fields: Fields, file: Fields) -> Iterator[_Claim]:
    """Yield who is said to have had a hand in a file: one conversation each, or the one of the whole record."""
    told = fields.get("conversation")
    record = told if isinstance(told, dict) else {}
    for talk in _dicts(file.get("conversations")) or [record | {"ranges": file.get("line_ranges", file.get("ranges"))}]:
        who = talk.get("contributor")
        by = who if isinstance(who, dict) else {"type": _name(talk, *_BY) or _name(fields, *_BY)}
        session = _session(talk) or _session(record) or _session(fields)
        yield _Claim(_kind(by), _model(by) or _model(talk) or _model(fields), session, _dicts(talk.get("ranges")))


def _kind(fields: Fields) -> str:
    kind = (_name(fields, "type", "entity_type") or "unknown").casefold()
    return kind if kind in _CONTRIBUTORS else "unknown"


def _model(fields: Fields) -> str | None:
    model = _name(fields, "model_id", "model_identifier", "model")
    return None if model is None or model.casefold() == "unknown" else model


def _contributor(claims: Iterable[_Claim]) -> str:
    """Return who wrote all of it; where several had a hand in it the ranges say who did which."""
    kinds = {
        _kind(one["contributor"]) if isinstance(one.get("contributor"), dict) else claim.contributor
        for claim in claims
        for one in claim.ranges or [{}]
    }
    kind = kinds.pop() if len(kinds) == 1 else "unknown"
    return "unknown" if kind == "mixed" else kind


def _agent(fields: Fields, model: str | None) -> Agent | None:
    tool = fields.get("tool")
    told = tool if isinstance(tool, dict) else {}
    name = _name(told, "name")
    if name is None and model is None:
        return None
    return Agent(name or UNKNOWN_AGENT, _name(told, "version"), model)


def _tool_name(fields: Fields) -> str | None:
    meta = fields.get("metadata")
    used = _name(meta, "tool_used") if isinstance(meta, dict) else None
    return _name(fields, "toolName", "tool_name", "tool") or used


def _session(fields: Fields) -> str | None:
    """Return the name of a conversation; of one in a file that file's name, as the agent's own hooks would say it."""
    name = _name(fields, "session_id", "url")
    if name is not None and name.startswith("file:"):
        return _last(name).removesuffix(".jsonl") or None
    return name and _named(name, SESSION_URN)


def _named(name: str, scheme: str) -> str:
    """Return what a URN of ours names, and any other text as it is."""
    return unquote(name.removeprefix(scheme)) if name.startswith(scheme) else name


def _intent(fields: Fields, files: Sequence[Fields]) -> str | None:
    return _name(fields, "intent_id") or _related(fields, files, _INTENTS)


def _class(fields: Fields, files: Sequence[Fields]) -> str | None:
    """Return the class that the record gives its change, wherever it says so."""
    talks = [talk for file in files for talk in _dicts(file.get("conversations"))]
    meta = [told for part in (fields, *talks) for name in _META if isinstance(told := part.get(name), dict)]
    for part in (fields, *meta, *talks):
        told = _name(part, "mutation_class", "mutationClass", "classification")
        if told:
            return told
    return _related(fields, files, frozenset({"mutation_class"}))


def _related(fields: Fields, files: Sequence[Fields], types: frozenset[str]) -> str | None:
    talks = [talk for file in files for talk in _dicts(file.get("conversations"))]
    ranges = [one for talk in talks for one in _dicts(talk.get("ranges"))]
    for part in (fields, *talks, *ranges):
        for link in _dicts(part.get("related")):
            if _name(link, "type") in types and (told := _name(link, "value", "url")):
                return _named(told, INTENT_URN)
    return None


def _vcs(told: Any) -> Vcs | None:
    if not isinstance(told, dict) or _name(told, "type") not in (None, "git"):
        return None
    revision, dirty = _name(told, "revision", "revision_id") or "", told.get("dirty")
    branch = _name(told, "branch")
    whole = revision if _REVISION.fullmatch(revision) else None
    if whole is None and branch is None:
        return None
    return Vcs("git", whole, branch, dirty if isinstance(dirty, bool) else None)


def _time(fields: Fields) -> int | None:
    time = unix_ns(fields.get("timestamp"))
    return time if time is not None and time >= 0 else None


def _path(file: Fields) -> str | None:
    return _name(file, "path", "relative_path", "file_path", "filePath")


def _stored(path: str | None, repository: Repository) -> str | None:
    """Return a path as the ledger spells it, whatever system it was written on."""
    if path is None:
        return None
    if _DRIVE.match(path):
        return f"outside:{_last(path)}"
    if "\\" in path and "/" not in path:
        path = path.replace("\\", "/")
    if path.startswith("/"):
        return repository.relative(path) or f"outside:{_last(path)}"
    plain = posixpath.normpath(path)
    return f"outside:{_last(path)}" if plain.split("/")[0] == ".." else stored_path(plain)


def _last(path: str) -> str:
    """Return the last part of a path of any system; where a person keeps things is nobody's business."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _only(values: Iterable[str | None]) -> str | None:
    """Return the one value that all have."""
    found = set(values)
    return found.pop() if len(found) == 1 else None


def _dicts(value: Any) -> list[Fields]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _name(fields: Fields, *keys: str, limit: int = _MAX_TEXT) -> str | None:
    """Return the first of these that is a text with something in it, without secrets, halves of characters and NUL."""
    for key in keys:
        value = fields.get(key)
        if isinstance(value, str) and value.strip():
            return scrub(value.encode(errors="replace").decode().replace("\0", "�"))[:limit]
    return None


def _integer(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_INT else None
