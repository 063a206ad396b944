"""What makes an agent pass over a whole file of hooks, ours among them, without a word."""

import itertools
from collections.abc import Callable, Iterator

from linetrail.queries.doctor.health import ERROR, Finding
from linetrail.queries.doctor.hooks import Site
from linetrail.queries.doctor.reading import at, shown

CHECK = "hooks"
SHOWN = 3
# Every event that Cursor is documented to know.
_CURSOR_EVENTS = frozenset(
    (
        *("preToolUse", "postToolUse", "postToolUseFailure", "beforeShellExecution", "afterShellExecution"),
        *("beforeMCPExecution", "afterMCPExecution", "beforeReadFile", "beforeTabFileRead", "afterFileEdit"),
        *("afterTabFileEdit", "beforeSubmitPrompt", "sessionStart", "sessionEnd", "stop", "subagentStart"),
        *("subagentStop", "preCompact", "afterAgentResponse", "afterAgentThought", "workspaceOpen"),
    )
)


def check(site: Site) -> Iterator[Finding]:
    """Yield what voids the file of an agent as a whole, as far as anybody wants to know."""
    for message, advice in itertools.islice(_WRONG.get(site.agent.name, _closed)(site), SHOWN):
        yield Finding(CHECK, ERROR, f"{site.agent.name} passes over {shown(site.path)}: {message}", advice)


def _closed(site: Site) -> Iterator[tuple[str, str]]:
    """Name keys at the root of a document that may hold no others."""
    if site.agent.closed:
        allowed = " and ".join(site.agent.closed)
        for key in sorted(set(site.document.values) - set(site.agent.closed)):
            yield f"`{key}` may not stand at its root, where only {allowed} may", f"remove {key}"


def _cursor(site: Site) -> Iterator[tuple[str, str]]:
    events = at(site.document.values, "hooks")
    for event in sorted(set(events) - _CURSOR_EVENTS) if isinstance(events, dict) else ():
        yield f"`{event}` is no event of Cursor, and cursor-agent skips a file with one", f"remove {event}"
    yield from _versioned(site)


def _versioned(site: Site) -> Iterator[tuple[str, str]]:
    if site.document.exists and site.document.values.get("version") != 1:
        yield "it does not say that it is of version 1", 'add "version": 1'


_WRONG: dict[str, Callable[[Site], Iterator[tuple[str, str]]]] = {
    "cursor": _cursor,
    "copilot-cli": _versioned,
}
