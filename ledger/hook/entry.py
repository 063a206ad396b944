"""Start `linetrail-hook` and end it without ceremony: an agent waits, and the process holds nothing worth tidying.

The last line of defence, too: where our own code cannot even be loaded, a call is denied if this repository is set to
`block`. That needs nothing but this file, and looks at the settings as lines of text.
"""

import gc
import os
import sys

TYPE_CHECKING = False  # as type checkers read it; `typing` comes from the bundle
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

MESSAGE = """\
Refused (HOOK_BROKEN): the call could not be judged.
Why: linetrail could not be started.
Required action: tell a person; what cannot be judged is not done here.
Example: linetrail doctor
Reason for the rule: a gate that is broken is no open gate.
{"error":true,"type":"internal","code":"HOOK_BROKEN","message":"linetrail could not be started","context":{}}"""
_MODES = ("observe", "warn", "block")
# From here on made by tools/make_agents.py.
# agent -> how it is told a denial, with the message as JSON text, and when; no form: on stderr, by status 2
_DENIALS: dict[str, tuple[str | None, tuple[str, ...]]] = {
    "claude-code": (
        (
            '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissio'
            'nDecisionReason":"%s"}}'
        ),
        ("PreToolUse",),
    ),
    "codex": (
        (
            '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissio'
            'nDecisionReason":"%s"}}'
        ),
        ("PreToolUse",),
    ),
    "cursor": (
        '{"permission":"deny","user_message":"%s","agent_message":"%s"}',
        ("preToolUse", "beforeShellExecution", "beforeMCPExecution"),
    ),
    "gemini-cli": (
        '{"decision":"deny","reason":"%s"}',
        ("BeforeTool",),
    ),
    "copilot-cli": (
        '{"permissionDecision":"deny","permissionDecisionReason":"%s"}',
        ("preToolUse", "PreToolUse"),
    ),
    "vscode-copilot": (
        (
            '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissio'
            'nDecisionReason":"%s","additionalContext":"%s"}}'
        ),
        ("PreToolUse",),
    ),
    "opencode": (
        '{"verdict":"deny","message":"%s"}',
        ("tool.execute.before",),
    ),
    "windsurf": (
        None,
        ("pre_write_code", "pre_run_command", "pre_mcp_tool_use", "pre_read_code"),
    ),
    "kiro-cli": (
        None,
        ("preToolUse",),
    ),
    "continue-cli": (
        (
            '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissio'
            'nDecisionReason":"%s"}}'
        ),
        ("PreToolUse",),
    ),
    "cline": (
        '{"cancel":true,"contextModification":"","errorMessage":"%s"}',
        ("PreToolUse", "tool_call"),
    ),
    "devin-cli": (
        '{"decision":"block","reason":"%s"}',
        ("PreToolUse",),
    ),
    "factory-droid": (
        (
            '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissio'
            'nDecisionReason":"%s"}}'
        ),
        ("PreToolUse",),
    ),
    "amp": (
        '{"action":"reject-and-continue","message":"%s"}',
        ("tool.call",),
    ),
}
# What agents have to be told even where there is nothing to say.
_GO_ON = {"cursor": b"{}", "cline": b'{"cancel":false}'}
# As in agents.py.
PROJECT_VARIABLES = (
    "CLAUDE_PROJECT_DIR",
    "CURSOR_PROJECT_DIR",
    "GEMINI_PROJECT_DIR",
    "CONTINUE_PROJECT_DIR",
    "DEVIN_PROJECT_DIR",
    "FACTORY_PROJECT_DIR",
)
_ONLY_TOLD = ("cline",)
# Made by it up to here.


def run() -> "NoReturn":
    """Handle one event and end the process at once; what was recorded is synced, and answers are not buffered."""
    # Collecting garbage while modules load, and taking them down at the end, cost an agent 6 ms a call (measured).
    gc.disable()
    _forget_foreign_modules()
    try:
        from linetrail.ledger.hook.bundle import use

        bundle = use()
        from linetrail.ledger.hook.loop import main

        status = main()
    except BaseException:  # noqa: BLE001  an exit status of ours may be read as a denial
        status = _answer()
    else:
        bundle.keep()
    os._exit(status)


def _forget_foreign_modules() -> None:
    """Take the folders of PYTHONPATH off the search path, but the one we came from: a `json.py` there is not ours."""
    ours = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    named = os.environ.get("PYTHONPATH")
    if named:
        foreign = {os.path.abspath(folder) for folder in named.split(os.pathsep)}
        sys.path[:] = [path for path in sys.path if path not in foreign or ours.startswith(path)]


def _answer() -> int:
    """Refuse the call if it is one that can be stopped, where refusals count, and return the exit status."""
    agent = sys.argv[1] if len(sys.argv) > 1 else ""
    try:
        form, events = _DENIALS.get(agent, ("", ()))
        if events and _told("--event", events[0]) in events and _blocks(agent):
            if form is None:
                os.write(2, MESSAGE.encode() + b"\n")
                return 2
            as_json = MESSAGE.replace('"', '\\"').replace("\n", "\\n")
            os.write(1, form.replace("%s", as_json).encode())
        else:
            os.write(1, _GO_ON.get(agent, b""))
    except BaseException:  # noqa: BLE001, S110  nothing is left that could answer
        pass
    return 0


def _blocks(agent: str) -> bool:
    """Return whether refusals count: by the environment, else by the nearest settings above, as lines of text."""
    told = os.environ.get("LINETRAIL_ENFORCE", "").strip().lower()
    if told in _MODES:
        return told == "block"
    projects = (os.environ.get(name, "") for name in PROJECT_VARIABLES)
    texts = [text for start in (os.curdir, *projects) for text in _settings_above(start)]
    found = next(filter(None, map(stated_mode, texts)), None)
    is_block = (found or _told("--enforce", "")) == "block"
    return is_block and (agent not in _ONLY_TOLD or any(_is_wanted(agent, text) for text in texts))


def _told(option: str, otherwise: str) -> str:
    """Return what the command line says behind an option."""
    return dict(zip(sys.argv[2::2], sys.argv[3::2], strict=False)).get(option, otherwise)


def _settings_above(start: str) -> "Iterator[bytes]":
    """Yield the settings above a folder, the nearest first; nothing for a folder that somebody deleted."""
    try:
        folder = os.path.abspath(start) if start else ""
    except OSError:
        return
    while folder:
        for name in ("config.local.yaml", "config.yaml"):
            yield _read(os.path.join(folder, ".orchestration", name))
        above = os.path.dirname(folder)
        folder = "" if above == folder else above


def _is_wanted(agent: str, text: bytes) -> bool:
    """Return whether a line lets a refusal end the run of this agent."""
    wanted = f"{agent}:block".encode()
    return any(wanted in line.partition(b"#")[0].translate(None, b" \t'\"") for line in text.split(b"\n"))


def stated_mode(text: bytes) -> str | None:
    """Return what a line of a settings file says, as `policy.stated_mode` does."""
    for line in text.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n"):
        key, _, value = line.partition(":")
        if key.startswith("{"):
            key = key[1:].lstrip(" \t")
        if key[:1] not in " \t" and key.rstrip(" \t").strip("'\"") == "enforce":
            value = value.lstrip(" \t").lstrip("'\"")
            for mode in _MODES:
                if value.startswith(mode) and not value[len(mode) :][:1].isalnum():
                    return mode
    return None


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(1 << 18)
    except OSError:
        return b""
