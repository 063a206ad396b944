"""What the module of an agent offers, and what all of them share: how fields are read, and what a call of a tool does.

A field may be missing or of another type in any version of an agent. What says who asks for what has to be right, or
the payload is unusable; what only describes is left out when it cannot be read.

What a tool does is told by the name that the agent gives it; a tool in no table is unknown. Each agent writes the name
of our own server before a tool's in its own way. A tool of another server that is called like one of ours is none of
ours.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from linetrail.ledger.adapters import patches
from linetrail.ledger.agents import AGENTS
from linetrail.ledger.errors import PayloadError
from linetrail.ledger.event.signal import (
    GENERATIVE,
    META,
    OPERATIONAL,
    READING,
    UNKNOWN,
    Answer,
    Edit,
    Proposal,
    Said,
    Signal,
    Tool,
)
from linetrail.ledger.redact.redactor import excerpt
from linetrail.ledger.repository import native

if TYPE_CHECKING:  # no hook asks for it
    from linetrail.ledger.adapters.agent import Agent

MAX_ID = 256
# How deep in its arguments a tool looks for the names of files.
MAX_DEPTH = 4
# What calls of these kinds of operations do to the paths they name.
ROLES = {"write": "write", "edit": "edit", "delete": "delete", "read": "read"}


class Does(NamedTuple):
    """What a tool does, and what for. A tool that takes patches names its files in them."""

    operation: str
    kind: str
    patches: bool = False


Table = Mapping[str, Does]

UNKNOWN_TOOL = Does("other", UNKNOWN)
MCP_TOOL = Does("mcp", UNKNOWN)
WRITE, EDIT = Does("write", GENERATIVE), Does("edit", GENERATIVE)
_COLUMNS = {
    "write": WRITE,
    "edit": EDIT,
    "patch": Does("edit", GENERATIVE, patches=True),
    "delete": Does("delete", GENERATIVE),
    "commands": Does("shell", OPERATIONAL),
    "read": Does("read", READING),
    "reading": Does("other", READING),
    "meta": Does("other", META),
}
# The keys of arguments as agents spell them, in lower case and without underscores.
PATH_KEYS = frozenset(
    {
        "filepath",
        "notebookpath",
        "path",
        "absolutepath",
        "targetfile",
        "targetnotebook",
        "targetpath",
        "filename",
        "file",
    }
)
_OLD = frozenset({"oldstring", "oldstr", "oldtext"})
_NEW = frozenset({"newstring", "newstr", "newtext"})
_EVERY = frozenset({"replaceall", "changeall", "allowmultiple"})
_CONTENT = frozenset({"content", "contents", "filetext"})
_PATCH = frozenset({"patchtext", "patch", "input", "command"})
_COMMAND = frozenset({"command", "commands", "cmd", "commandline"})
# What people may call the server: the first is what the documentation says.
SERVERS = ("linetrail", "ledger")
SELECT, GET, LIST, COMPLETE, CLEAR = (
    "select_active_intent",
    "get_active_intent",
    "list_active_intents",
    "complete_intent",
    "clear_active_intent",
)
CONTEXT = "get_intent_context"
DECIDE, LEARN, QUERY, WHY = "record_decision", "record_lesson", "query_traces", "why"
CHANGED = "what_changed_since"
PLAN, START, WORKERS = "plan_intents", "start_intent", "who_is_working"
GIVE_BACK, LAND, ARBITRATE = "give_back", "land_intents", "arbitrate_intents"
# Tools that stand for a command, which has the same arguments.
COMMANDS = {
    PLAN: "plan",
    START: "start",
    WORKERS: "workers",
    GIVE_BACK: "give-back",
    LAND: "land",
    ARBITRATE: "arbitrate",
}
# `clear` and `list_intents` are older names that may still be called.
_NAMES = (
    *(SELECT, GET, CONTEXT, LIST, COMPLETE, CLEAR, DECIDE, LEARN, QUERY, WHY, CHANGED, "clear", "list_intents"),
    *COMMANDS,
)
# Named without a server these mean nothing else.
_PLAIN = (SELECT, GET, LIST, COMPLETE, CLEAR)
# How the server is written before the tool: Claude Code, Codex, Continue, Amp; Gemini CLI, VS Code; Kiro; Copilot CLI,
# OpenCode, Droid, Windsurf; Cursor.
_WRITTEN = (
    *("mcp__{}__", "mcp_{}_", "@{}/", "{}-", "{}_", "{}__", "{}___", "{}/"),
    *("MCP:{}:", "MCP:{}/", "MCP:{}-", "MCP:{}_", "MCP:{}__"),
)
_SERVER = frozenset(written.format(server) for server in SERVERS for written in _WRITTEN)
# A plugin of Claude Code stands before its server.
_PLUGIN, _OF_PLUGIN = "mcp__plugin_", tuple(f"_{server}__" for server in SERVERS)
# Cursor may leave the server out.
_NO_SERVER = "MCP:"


class Adapter(Protocol):
    """What a module in this folder offers."""

    # the product's name as stored in `agent.name`
    NAME: str

    # the events at which a call can still be stopped; the first stands for one that cannot be told
    GATED: tuple[str, ...]

    # the payload as the agent sent it, and the event's name where the command line gave one -> what it says;
    # PayloadError when it cannot be used
    def read(self, payload: Mapping[str, Any], event: str | None) -> Signal: ...

    # whether a person would see a dialog if the answer to this signal were `ask`
    def can_ask(self, signal: Signal) -> bool: ...

    # the event's name, and what the agent is to be told -> what it reads; an empty answer means: go on
    def reply(self, event: str, answer: Answer) -> Said: ...

    # what else is known of it: for `init`, `doctor` and the documentation
    def about(self) -> "Agent": ...


def adapter(agent: str) -> Adapter | None:
    """Return the module for an agent, or None when there is none."""
    module = AGENTS.get(agent)
    return None if module is None else cast("Adapter", import_module(f"linetrail.ledger.adapters.{module}"))


def text(payload: Mapping[str, Any], *keys: str) -> str | None:
    """Return the first of these fields that holds text; PayloadError where one holds something else."""
    for key in keys:
        value = payload.get(key)
        if value is not None and not isinstance(value, str):
            raise PayloadError(f"{key} is a {type(value).__name__}, not text")
        if value:
            return value
    return None


def first_text(payload: Mapping[str, Any], *keys: str) -> str | None:
    """Return the first of these fields that is text, whatever the others are."""
    return next((payload[key] for key in keys if isinstance(payload.get(key), str)), None)


def required(told: str | None, what: str) -> str:
    """Return what an event or a tool is called; PayloadError where the payload does not say that."""
    if not told:
        raise PayloadError(f"the payload names no {what}")
    return told


def name(payload: Mapping[str, Any], *keys: str) -> str | None:
    """Read a word of the agent's that is stored as it is, however long, and whatever somebody put there."""
    value = text(payload, *keys)
    return None if value is None else excerpt(value)


def identifier(payload: Mapping[str, Any], *keys: str) -> str | None:
    """Read an id; one that is too long to be any is refused."""
    value = text(payload, *keys)
    if value is not None and len(value) > MAX_ID:
        key = next(key for key in keys if payload.get(key) == value)
        raise PayloadError(f"{key} has {len(value)} characters, {MAX_ID} are allowed")
    return value


def whole(value: Any) -> int | None:
    """Return a duration in whole milliseconds; agents send numbers of any kind, or digits."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 12:
        return int(value)
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12 else None


def part(payload: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Return the first of these fields that is an object, also one that was sent as JSON text; else an empty one."""
    for key in keys:
        value = payload.get(key)
        if isinstance(value, str) and value.lstrip()[:1] == "{":
            try:
                value = json.loads(value, strict=False)
            except (ValueError, RecursionError):
                continue
        if isinstance(value, dict):
            return value
    return {}


def arguments(payload: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Return what a call was given; a text that is no object, such as a patch, is the one `input`."""
    told = part(payload, *keys)
    text = next((value for key in keys if isinstance(value := payload.get(key), str)), "")
    return told if told or text.strip() in ("", "{}") else {"input": text}


def paths(arguments: Mapping[str, Any], keys: Iterable[str]) -> list[str]:
    """Return what every spelling of the keys that name files holds, at any place: of several, each has to be allowed.

    `keys` are spelled in lower case and without underscores.
    """
    return list(dict.fromkeys(_named(arguments, frozenset(keys), MAX_DEPTH)))


def _named(given: Any, keys: frozenset[str], depth: int, *, named: bool = False) -> Iterator[str]:
    """Yield the texts below keys of these names, also where a list is in the place of a text."""
    if isinstance(given, str):
        if given and named:
            yield given
    elif isinstance(given, list) and depth:
        for value in given:
            yield from _named(value, keys, depth - 1, named=named)
    elif isinstance(given, dict) and depth:
        for key, value in given.items():
            yield from _named(value, keys, depth - 1, named=key.replace("_", "").lower() in keys)


def targets(found: Iterable[str], operation: str) -> tuple[tuple[str, str], ...]:
    """Give each path the role that the operation gives it."""
    role = ROLES.get(operation, "other")
    return tuple((native(path), role) for path in found)


def started(cwd: str | None, place: str | None) -> str | None:
    """Return the folder that a command starts in, where the call may name one.

    >>> started("/project", "src")
    '/project/src'
    """
    is_whole = not place or place[0] in "/\\" or place[1:2] == ":"
    return place or cwd if is_whole or not cwd else f"{cwd}/{place}"


def replacement(old: Any, new: Any, every: Any = None) -> Edit | None:
    """Return one replacement; None where a text of it is missing."""
    return Edit(old, new, every is True or every == "true") if isinstance(old, str) and isinstance(new, str) else None


def proposal(content: Any, edits: Iterable[Edit | None] = ()) -> Proposal | None:
    """Return what a call on one file means to do: the whole new text, else replacements, all of which are known."""
    if isinstance(content, str):
        return Proposal(content=content)
    known = list(edits)
    return Proposal(edits=tuple(edit for edit in known if edit)) if known and all(known) else None


def answered(document: Mapping[str, Any]) -> Said:
    """Answer with a document, in one line of JSON."""
    return Said(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode(errors="replace"))


def refused(message: str | None) -> Said:
    """Refuse a call where an agent reads no JSON: by the exit status, with the reason on stderr."""
    return Said(stderr=f"{message}\n".encode(errors="replace"), exit_code=2)


def table(**names: str) -> dict[str, Does]:
    """Return what each tool does: names by write, edit, patch, delete, commands, read, reading (other things), meta.

    >>> table(commands="Bash", reading="WebFetch WebSearch")["Bash"].kind
    'operational'
    """
    return {name: _COLUMNS[column] for column, listed in names.items() for name in listed.split()}


def does(tools: Table, called: str) -> Does:
    """Return what a tool does; one that is in no table may be of a server that the name tells."""
    is_mcp = called.startswith(("mcp__", "@")) or own_tool(called)
    return tools.get(called) or (MCP_TOOL if is_mcp else UNKNOWN_TOOL)


def own_tool(name: str) -> str | None:
    """Return which of our tools an agent means by this name; None for any other tool.

    >>> own_tool("mcp_linetrail_select_active_intent")
    'select_active_intent'
    >>> own_tool("mcp__tracker__select_active_intent")
    """
    if not name.endswith(_NAMES):
        return None
    tool = max((known for known in _NAMES if name.endswith(known)), key=len)
    before = name.removesuffix(tool)
    ours = (
        before in _SERVER
        or (before.startswith(_PLUGIN) and before.endswith(_OF_PLUGIN))
        or (before == _NO_SERVER and tool in _PLAIN)
    )
    return (CLEAR if tool == "clear" else tool) if ours else None


def mcp_name(server: str | None, called: str | None) -> str:
    """Return the usual name of a tool whose server is told apart from it."""
    return f"mcp__{server or 'unknown'}__{called or 'unknown'}"


def tool(
    name: str,
    known: Does,
    arguments: dict[str, Any],
    *,
    call_id: str | None = None,
    command: Any = None,
    named: Iterable[str] = (),
    proposed: Proposal | None = None,
) -> Tool:
    """Return a call. `named` are paths beside those that the arguments name in the usual way.

    What names no file in its patch, or brings several, may write anywhere, whatever paths stand beside it.
    """
    is_blind = known.operation in ("shell", "mcp")
    found = {} if is_blind else dict.fromkeys((*named, *paths(arguments, PATH_KEYS)))
    patch = _only(arguments, _PATCH) if known.patches else None
    patched: tuple[tuple[str, str], ...] = ()
    several: tuple[tuple[str, Proposal], ...] = ()
    if isinstance(patch, str):
        patched, several = patches.targets(patch), patches.proposals(patch)
        proposed = several[0][1] if several and len(patched) == 1 else None
    if known.patches and not patched:
        known, found = Does("other", GENERATIVE), {}
    is_command = known.operation == "shell" and isinstance(command, str) and _only(arguments, _COMMAND) is not None
    return Tool(
        call_id=call_id,
        name=excerpt(name),
        operation=known.operation,
        targets=(*patched, *targets(found, known.operation)),
        command=command if is_command else None,
        input=arguments,
        proposal=proposed or _proposed(known, arguments),
        kind=known.kind,
        proposals=several if len(patched) > 1 else (),
    )


def _proposed(known: Does, arguments: Mapping[str, Any]) -> Proposal | None:
    """Return what a call means to do to its file, where its arguments say that in the usual way."""
    if known is WRITE:
        return proposal(_only(arguments, _CONTENT))
    edits = arguments.get("edits", arguments.get("changes", [arguments]))
    return proposal(None, map(_edit, edits)) if known is EDIT and isinstance(edits, list) else None


def _edit(given: Any) -> Edit | None:
    if not isinstance(given, dict):
        return None
    return replacement(_only(given, _OLD), _only(given, _NEW), _only(given, _EVERY))


def _only(given: Mapping[str, Any], keys: frozenset[str]) -> Any:
    """Return the one argument of these names; of several spellings nobody knows which the tool reads."""
    found = [value for key, value in given.items() if key.replace("_", "").lower() in keys]
    return found[0] if len(found) == 1 else None
