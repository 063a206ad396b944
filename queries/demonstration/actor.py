"""Act as an agent of the demonstration: ask the hook before each step, as agents do.

What it tells is one JSON object a line on stdout; the cues that it waits for come as lines on stdin.
"""

import contextlib
import json
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from linetrail.ledger.errors import LinetrailError
from linetrail.queries.demonstration.dialects import EDIT, MCP, READ, SHELL, WRITE, Deed, Dialect, Outcome
from linetrail.queries.setup.installation import hook_path

# Calls a tool of our MCP server, and returns its answer and whether it failed.
Call = Callable[[str, Mapping[str, Any]], tuple[str, bool]]
# A machine under load may let the hook run into its own deadline; then an agent asks again, after a while.
TRIES, PAUSE_SECONDS = 8, 0.5
SECONDS = 60
# What is told of the first argument of a tool.
MAX_ARGUMENT = 48


class StoryError(LinetrailError):
    """The story cannot continue: another agent stopped, or a tool failed."""


class Actor:
    """An agent: it skips the steps that the gate refuses, and reports every refusal."""

    def __init__(self, name: str, dialect: Dialect, root: str, tools: Call | None) -> None:
        """Start the session; `tools` calls a tool of our own server."""
        self.name, self._dialect, self._root, self._tools = name, dialect, root, tools
        self._calls = 0
        self._seen: set[str] = set()
        self._hook(dialect.opening())

    def prompt(self, text: str) -> None:
        self._hook(self._dialect.asked(text))

    def read(self, path: str) -> None:
        self._do(Deed(READ, path), lambda: Outcome(self._text(path) or ""))

    def write(self, path: str, content: str, *, step: str) -> None:

        def written() -> Outcome:
            before = self._text(path)
            self._put(path, content)
            return Outcome("", before)

        self._do(Deed(WRITE, path, content), written, step)

    def edit(self, path: str, old: str, new: str, *, step: str) -> None:
        """Replace a text that stands in a file."""

        def edited() -> Outcome:
            before = self._text(path) or ""
            self._put(path, before.replace(old, new))
            return Outcome("", before)

        self._do(Deed(EDIT, path, new, old), edited, step)

    def shell(self, command: str, *, step: str) -> None:
        """Run a command, as the agent's shell would."""

        def ran() -> Outcome:
            done = subprocess.run(
                ["sh", "-c", command],
                env=os.environ | self._dialect.environment(),
                capture_output=True,
                text=True,
                check=False,
                timeout=SECONDS,
            )
            if done.returncode:
                raise StoryError(f"`{command}` ended with {done.returncode}: {done.stderr.strip()}")
            return Outcome(done.stdout)

        self._do(Deed(SHELL, command), ran, step)

    def use(self, tool: str, *, step: str, command: str, **arguments: Any) -> None:
        """Call a tool of our MCP server; without a server, run the command that does the same."""
        call = self._tools
        if call is None:
            self.shell(command, step=step)
            return

        def called() -> Outcome:
            text, failed = call(tool, arguments)
            if failed:
                raise StoryError(f"{tool} failed: {text}")
            return Outcome(text)

        self._do(Deed(MCP, tool, arguments=arguments), called, step)

    def cue(self, name: str) -> None:
        self._tell({"cue": name})

    def wait(self, name: str) -> None:
        """Wait until another agent has given this cue."""
        while name not in self._seen:
            line = sys.stdin.readline()
            if not line:
                raise StoryError(f"nobody will say any more that {name}")
            self._seen.add(line.rstrip("\n"))

    def end(self) -> None:
        self._hook(self._dialect.closing())

    def _do(self, deed: Deed, work: Callable[[], Outcome], step: str | None = None) -> None:
        words = self._ask(deed)
        if words is None:
            self._hook(self._dialect.after(deed, self._calls, work()))
        if step is not None:
            self._tell({"step": step, "asked": _asked(deed), "refused": words})

    def _ask(self, deed: Deed) -> str | None:
        """Return why the call is refused, or None; ask again if the hook ran out of time."""
        words = None
        for again in range(TRIES):
            time.sleep(again * PAUSE_SECONDS)
            self._calls += 1
            words = self._dialect.refusal(self._hook(self._dialect.before(deed, self._calls)))
            if words is None or "(TIMEOUT)" not in words:
                break
        return words

    def _hook(self, payload: dict[str, Any]) -> bytes:
        command = [hook_path(), self._dialect.agent]
        text = json.dumps(payload).encode()
        done = subprocess.run(command, input=text, capture_output=True, check=False, timeout=SECONDS)
        if done.returncode or done.stderr:
            raise StoryError(f"the hook ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout

    def _tell(self, words: dict[str, Any]) -> None:
        print(json.dumps({"agent": self.name, **words}), flush=True)

    def _text(self, path: str) -> str | None:
        try:
            with open(os.path.join(self._root, path), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def _put(self, path: str, text: str) -> None:
        full = os.path.join(self._root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)


@contextlib.contextmanager
def tools(dialect: Dialect, root: str, environment: Mapping[str, str]) -> Iterator[Call]:
    """Start `linetrail mcp` as this agent would, and yield a function that calls its tools over the protocol."""
    from anyio.from_thread import start_blocking_portal  # these are not installed everywhere
    from mcp import Client, StdioServerParameters
    from mcp.types import Implementation, RequestParamsMeta, TextContent

    server = StdioServerParameters(
        command="linetrail", args=["mcp"], cwd=root, env={**environment, **dialect.server_environment()}
    )
    client = Client(server, client_info=Implementation(name=dialect.agent, version="1.0.0"))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client) as connected:

        async def call(tool: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
            meta = cast("RequestParamsMeta | None", dialect.meta())
            answer = await connected.call_tool(tool, dict(arguments), meta=meta)
            texts = [part.text for part in answer.content if isinstance(part, TextContent)]
            return "\n".join(texts), answer.is_error

        yield lambda tool, arguments: portal.call(call, tool, arguments)


def _asked(deed: Deed) -> str:
    """Return in a few words what an agent asked for."""
    if deed.kind == SHELL:
        return deed.target
    if deed.kind == MCP:
        first = textwrap.shorten(str(next(iter(deed.arguments.values()), "")), MAX_ARGUMENT, placeholder="…")
        return f"{deed.target}({first}, …)"
    return f"{deed.kind} {deed.target}"
