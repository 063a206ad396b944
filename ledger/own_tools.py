"""Know the tools of our own server by the names that agents give them.

Each agent writes the server's name before the tool's in its own way. A tool of another server that is called like one
of ours is none of ours.
"""

import re

# What people may call the server: the first is what the documentation says.
SERVERS = ("linetrail", "ledger")
SELECT, GET, LIST, COMPLETE, CLEAR = (
    "select_active_intent",
    "get_active_intent",
    "list_active_intents",
    "complete_intent",
    "clear_active_intent",
)
DECIDE, LEARN, QUERY, WHY = "record_decision", "record_lesson", "query_traces", "why"
# `clear`, `list_intents` and `get_intent_context` are older names that may still be called.
_NAMES = (SELECT, GET, LIST, COMPLETE, CLEAR, DECIDE, LEARN, QUERY, WHY, "clear", "list_intents", "get_intent_context")
# Named without a server these mean nothing else.
_PLAIN = (SELECT, GET, LIST, COMPLETE, CLEAR)
_SERVER, _TOOL = "|".join(SERVERS), "|".join(_NAMES)
_SPELLED = re.compile(
    rf"mcp__(?:plugin_[A-Za-z0-9.-]+_)?(?:{_SERVER})__({_TOOL})"  # Claude Code and its plugins, Codex, Continue, Amp
    rf"|mcp_(?:{_SERVER})_({_TOOL})"  # Gemini CLI, VS Code
    rf"|@(?:{_SERVER})/({_TOOL})"  # Kiro
    rf"|(?:{_SERVER})(?:-|_{{1,3}}|/)({_TOOL})"  # Copilot CLI, OpenCode, Droid, Windsurf
    rf"|MCP:(?:(?:{_SERVER})[-_:/.]{{1,3}}({_TOOL})|({'|'.join(_PLAIN)}))"  # Cursor, which may leave the server out
)


def own_tool(name: str) -> str | None:
    """Return which of our tools an agent means by this name; None for any other tool.

    >>> own_tool("mcp_linetrail_select_active_intent")
    'select_active_intent'
    >>> own_tool("mcp__tracker__select_active_intent")
    """
    found = _SPELLED.fullmatch(name)
    tool = found and found[found.lastindex or 0]
    return CLEAR if tool == "clear" else tool
