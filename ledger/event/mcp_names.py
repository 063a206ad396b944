"""Know the tools of our own server by the names that agents give them.

Each agent writes the server's name before the tool's in its own way. A tool of another server that is called like one
of ours is none of ours.
"""

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
