"""What the tools of an agent do, by the names that the agent gives them; a tool in no table is unknown.

Each agent writes the name of our own server before a tool's in its own way. A tool of another server that is called
like one of ours is none of ours.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from linetrail.ledger.adapters import patches
from linetrail.ledger.adapters.fields import paths, proposal, replacement, targets
from linetrail.ledger.event.signal import GENERATIVE, META, OPERATIONAL, READING, UNKNOWN, Edit, Proposal, Tool
from linetrail.ledger.redact.redactor import excerpt


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
