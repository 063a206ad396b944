"""What is asked of every agent at once, without loading any of their modules: a hook has no time for that.

Made by tools/make_agents.py from the modules in adapters/; not to be edited.
"""

# agent as named on the command line -> its module in adapters/
AGENTS = {
    "claude-code": "claude_code",
    "codex": "codex",
    "cursor": "cursor",
    "gemini-cli": "gemini_cli",
    "copilot-cli": "copilot_cli",
    "vscode-copilot": "vscode_copilot",
    "opencode": "opencode",
    "windsurf": "windsurf",
    "kiro-cli": "kiro_cli",
    "continue-cli": "continue_cli",
    "cline": "cline",
    "devin-cli": "devin_cli",
    "factory-droid": "factory_droid",
    "amp": "amp",
}
# Agents whose hooks others run, too, and those that run them: one event may come twice, told in two ways.
LENDERS = frozenset({"claude-code", "copilot-cli"})
BORROWERS = frozenset({"continue-cli", "copilot-cli", "cursor", "devin-cli", "vscode-copilot"})
# By what a payload shows who sent it: a key, what the ids of calls contain, or the path of the transcript.
KEYS = {
    "cursor_version": "cursor",
}
CALL_IDS = {
    "__vscode-": "vscode-copilot",
}
TRANSCRIPTS = {
    "/.claude/": "claude-code",
    "/.cursor/": "cursor",
    "/.copilot/": "copilot-cli",
    "/GitHub.copilot-chat/": "vscode-copilot",
    "/.continue/": "continue-cli",
}
# Who always names a transcript, never the time; where none is named, a key, or tools in lower case, tell.
NAMES_TRANSCRIPT = frozenset({"claude-code"})
LATE_KEYS = {
    "timestamp": "copilot-cli",
}
LOWER_TOOLS = ("devin-cli",)
# Set by agents to their project, for what they start.
PROJECT_VARIABLES = (
    "CLAUDE_PROJECT_DIR",
    "CURSOR_PROJECT_DIR",
    "GEMINI_PROJECT_DIR",
    "CONTINUE_PROJECT_DIR",
    "DEVIN_PROJECT_DIR",
    "FACTORY_PROJECT_DIR",
)
# What agents set in the shells they start -> the agent, whether the value is the id that its hooks have.
SHELL_VARIABLES = {
    "CLAUDE_CODE_SESSION_ID": ("claude-code", True),
    "CODEX_THREAD_ID": ("codex", True),
    "CLAUDECODE": ("claude-code", False),
    "CURSOR_AGENT": ("cursor", False),
    "GEMINI_CLI": ("gemini-cli", False),
    "COPILOT_CLI": ("copilot-cli", False),
    "OPENCODE": ("opencode", False),
    "CLINE_ACTIVE": ("cline", False),
}
# A refusal ends the whole run of these: they are only told, unless settings or environment want more.
ONLY_TOLD = frozenset({"cline"})
# Settings of a project that hold nothing but hooks, and those that hold more.
HOOK_FILES = (
    ".amp/plugins/linetrail.ts",
    ".clinerules/hooks/PreToolUse",
    ".codex/hooks.json",
    ".cursor/hooks.json",
    ".devin/hooks.v1.json",
    ".github/hooks/linetrail.json",
    ".kiro/agents/linetrail.json",
    ".opencode/plugins/linetrail.ts",
    ".windsurf/hooks.json",
)
MIXED_FILES = (
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".continue/settings.json",
    ".factory/settings.json",
    ".gemini/settings.json",
)
# What in a project tells agents what to do: only people change it.
PROTECTED = (
    ".claude",
    ".codex",
    ".cursor",
    ".gemini",
    ".github/hooks",
    ".github/copilot",
    ".vscode",
    ".opencode",
    "opencode.json",
    "opencode.jsonc",
    ".windsurf",
    ".kiro",
    ".continue",
    ".cline",
    ".clinerules",
    ".devin",
    ".factory",
    ".amp",
)
# Where agents make worktrees for sessions of their own.
WORKTREES = (
    ".claude/worktrees",
    ".codex/worktrees",
    ".cursor/worktrees",
)
# What starts an agent.
PROGRAMS = (
    "claude",
    "codex",
    "cursor-agent",
    "cursor",
    "gemini",
    "copilot",
    "opencode",
    "kiro-cli",
    "q",
    "cn",
    "cline",
    "devin",
    "droid",
    "amp",
)
