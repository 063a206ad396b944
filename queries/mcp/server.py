"""Serve the tools over stdio, in this revision of the protocol and the earlier ones.

The only module that loads the library of the protocol. Calls run in threads of their own, so that one that was
cancelled, or whose client is gone, keeps nobody waiting; what writes is let finish.
"""

import json
import os
import re
import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from difflib import get_close_matches
from functools import partial
from importlib.metadata import version
from types import FrameType
from typing import Any, NoReturn
from urllib.parse import unquote, urlsplit

import anyio
import mcp_types as types
from anyio import CapacityLimiter, to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from linetrail.ledger.adapters.adapter import (
    CHANGED,
    COMMANDS,
    COMPLETE,
    CONTEXT,
    DECIDE,
    GET,
    LAND,
    LEARN,
    LIST,
    QUERY,
    SELECT,
    START,
    WHY,
)
from linetrail.ledger.agents import PROJECT_VARIABLES
from linetrail.ledger.errors import DamageWarning, LinetrailError, NotARepositoryError
from linetrail.ledger.gate import inputs
from linetrail.ledger.gate.policy import Policy
from linetrail.ledger.gate.policy import of as policy_of
from linetrail.ledger.repository import Repository, find, require_ledger, require_own
from linetrail.queries.mcp import handshake, notes, questions, work
from linetrail.queries.mcp.answers import Call, compact, cut, error, refuse
from linetrail.queries.mcp.caller import Client
from linetrail.queries.mcp.tools import ABOUT_TEMPLATE, INSTRUCTIONS, NAME, TEMPLATE, TOOLS

Context = ServerRequestContext[Any, Any]
Answer = Mapping[str, Any]

_DO: Mapping[str, Callable[[Call], Answer]] = {
    SELECT: handshake.select,
    GET: handshake.get,
    CONTEXT: handshake.context,
    LIST: handshake.listed,
    COMPLETE: handshake.complete,
    DECIDE: notes.decide,
    LEARN: notes.teach,
    QUERY: questions.traces,
    WHY: questions.why,
    CHANGED: questions.changed,
    **dict.fromkeys(COMMANDS, work.command),
}
_SLOW = frozenset({QUERY, WHY, CHANGED})
# Workers that are started at once; whatever else is done for several agents keeps only its own kind waiting.
MAX_STARTED = 64
_WRITES = frozenset({SELECT, COMPLETE, DECIDE, LEARN})
_SCHEME = TEMPLATE.partition("{")[0]
_JSON = "application/json"
# Of the registry, as many as a client lists.
MAX_RESOURCES = 200
ROOTS_SECONDS, LAST_WRITE_SECONDS = 2.0, 10.0
INTERRUPTED = 130

# What an answer was given without, for the call that is being answered.
_damage: ContextVar[list[str]] = ContextVar("damage")
# Set to the project for the servers that agents start; an editor may name several.
_VARIABLES = (*PROJECT_VARIABLES, "WORKSPACE_FOLDER_PATHS")
_SEPARATOR = re.compile(f"[,{os.pathsep}]")


class Serving:
    """One server: where it was started, and whether a call is writing."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        # A call that takes long keeps only others of its kind waiting: questions, work, what is quick.
        self._limits = {kind: CapacityLimiter(1) for kind in (WHY, LAND, SELECT)} | {
            START: CapacityLimiter(MAX_STARTED)
        }
        self.writing = threading.Lock()
        self._roots: list[str] | None = None

    def server(self) -> Server[Any]:
        """Return the server with its tools and resources."""
        return Server(
            NAME,
            version=version("linetrail"),
            instructions=INSTRUCTIONS,
            on_list_tools=_tools,
            on_call_tool=self._called,
            on_list_resources=self._listed,
            on_list_resource_templates=_templates,
            on_read_resource=self._read,
        )

    async def _called(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in _DO:
            raise MCPError(code=types.INVALID_PARAMS, message=f"no tool is called {cut(params.name, 80)}")
        roots = await self._asked(context)
        arguments = params.arguments or {}
        answer = partial(self._answer, _client(context), params.name, arguments, roots)
        limiter = self._limits[_kind(params.name)]
        said, failed = await to_thread.run_sync(answer, abandon_on_cancel=True, limiter=limiter)
        content = types.TextContent(type="text", text=compact(said))
        return types.CallToolResult(content=[content], structured_content=json.loads(content.text), is_error=failed)

    def _answer(self, client: Client, name: str, arguments: Mapping[str, Any], roots: list[str]) -> tuple[Answer, bool]:
        """Answer one call; whatever goes wrong is an answer, too."""
        policy: Policy | None = None
        damage: list[str] = []
        _damage.set(damage)
        try:
            _check(name, arguments)
            repository = found(self._directory, roots)
            policy = policy_of(repository)
            call = Call(repository, client, name, arguments)
            if name in _WRITES:
                with self.writing:
                    said = _DO[name](call)
            else:
                said = _DO[name](call)
        except Exception as problem:  # noqa: BLE001  a server that ends for one call leaves its agent without any
            return error(problem, name, _asked_for(arguments), policy), True
        return {**said, "incomplete": sorted(set(damage))} if damage else said, False

    async def _asked(self, context: Context) -> list[str]:
        """Ask the client which folders it works in, where it says that it can tell; once."""
        capabilities = context.session.client_capabilities
        if self._roots is None and capabilities is not None and capabilities.roots is not None and self._is_lost():
            told: list[str] = []
            # Newer clients are not asked anything; what they say comes with each call.
            with anyio.move_on_after(ROOTS_SECONDS), suppress(MCPError, ValueError):
                told = [str(root.uri) for root in (await context.session.list_roots()).roots]
            self._roots = [path for path in map(_path, told) if path]
        return self._roots or []

    def _is_lost(self) -> bool:
        """Return whether there is no ledger where we were started."""
        try:
            found(self._directory, [])
        except LinetrailError:
            return True
        return False

    async def _listed(self, context: Context, _: object) -> types.ListResourcesResult:
        roots = await self._asked(context)
        intents = partial(self._intents, roots)
        listed = await to_thread.run_sync(intents, abandon_on_cancel=True, limiter=self._limits[SELECT])
        return types.ListResourcesResult(resources=listed)

    def _intents(self, roots: list[str]) -> list[types.Resource]:
        """List the intents that may be selected; where there are none to be found, there are no resources."""
        try:
            policy = policy_of(found(self._directory, roots))
        except LinetrailError:
            return []
        return [
            types.Resource(uri=f"{_SCHEME}{intent.id}", name=intent.id, title=cut(intent.name), mime_type=_JSON)
            for intent in policy.intents.open(MAX_RESOURCES)
        ]

    async def _read(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri, roots = str(params.uri), await self._asked(context)
        read = partial(self._intent, uri, roots)
        said, failed = await to_thread.run_sync(read, abandon_on_cancel=True, limiter=self._limits[SELECT])
        if failed:
            raise MCPError(code=types.INVALID_PARAMS, message=str(said["message"]), data=dict(said))
        content = types.TextResourceContents(uri=uri, mime_type=_JSON, text=compact(said))
        return types.ReadResourceResult(contents=[content])

    def _intent(self, uri: str, roots: list[str]) -> tuple[Answer, bool]:
        policy: Policy | None = None
        try:
            intent_id = _named(uri)
            repository = found(self._directory, roots)
            policy = policy_of(repository)
            return handshake.state(repository, intent_id), False
        except Exception as problem:  # noqa: BLE001  the same
            return error(problem, "resource", policy=policy), True


def run(directory: str) -> NoReturn:
    """Serve until the client is gone; what it still waited for is dropped, what was being written is finished."""
    serving = Serving(directory)
    warnings.simplefilter("always", DamageWarning)
    warnings.showwarning = _noted
    signal.signal(signal.SIGINT, _interrupted)
    anyio.run(_serve, serving)
    _end(serving)


async def _serve(serving: Serving) -> None:
    server = serving.server()
    async with stdio_server() as (read_stream, write_stream):
        try:
            await server.run(read_stream, write_stream, server.create_initialization_options())
        except anyio.get_cancelled_exc_class():
            # Nobody reads what we write; whoever waits for the reader's thread waits for the next line.
            _end(serving)


def _end(serving: Serving) -> NoReturn:
    """End at once, but not while a call writes: returning would wait for the threads of all calls."""
    serving.writing.acquire(timeout=LAST_WRITE_SECONDS)
    os._exit(0)


async def _tools(_: Context, __: object) -> types.ListToolsResult:
    return types.ListToolsResult(
        tools=[
            types.Tool(
                name=tool.name,
                description=tool.about,
                input_schema=tool.schema,
                annotations=types.ToolAnnotations(read_only_hint=tool.reads, destructive_hint=False),
            )
            for tool in TOOLS
        ]
    )


async def _templates(_: Context, __: object) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(uri_template=TEMPLATE, name="intent", description=ABOUT_TEMPLATE, mime_type=_JSON)
    return types.ListResourceTemplatesResult(resource_templates=[template])


def _kind(tool: str) -> str:
    """Return the tool that stands for those that wait for each other."""
    if tool in COMMANDS:
        return START if tool == START else LAND
    return WHY if tool in _SLOW else SELECT


def _client(context: Context) -> Client:
    told = context.session.client_params
    meta = context.meta or {}
    return Client(None, None, meta) if told is None else Client(told.client_info.name, told.client_info.version, meta)


def _check(name: str, arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that are not in the schema, of another type, too long, or that have NUL characters."""
    problem = _unknown(name, arguments) or inputs.problem(f"mcp__{NAME}__{name}", arguments)
    if problem is None and any("\0" in text for text in _texts(arguments)):
        problem = f"{name}: a NUL in an argument"
    if problem is None and not str(arguments.get("session_handle") or "").isprintable():
        problem = f"{name}: `session_handle` has signs that cannot be shown"
    if problem is not None:
        raise refuse("INVALID_INPUT", problem, f"call {name}")


def _unknown(name: str, arguments: Mapping[str, Any]) -> str | None:
    """Name an argument that a tool does not take: a filter that is misspelt would else be left out unnoticed."""
    takes = next(tool for tool in TOOLS if tool.name == name).takes
    # what hooks understand in a call, in any of its spellings, is understood here
    fields = inputs.schema(f"mcp__{NAME}__{name}")[1] or ()
    understood = {*takes, *(spelling for field in fields for spelling in (field.name, *field.also))}
    strange = next((key for key in arguments if key not in understood), None)
    if strange is None:
        return None
    near = get_close_matches(strange, takes, 1)
    meant = f"; did you mean `{near[0]}`?" if near else "."
    return f"{name}: there is no argument `{cut(strange, 80)}`{meant} It takes {', '.join(takes)}"


def _named(uri: str) -> str:
    if not uri.startswith(_SCHEME):
        raise refuse("INVALID_INPUT", f"resources are called {TEMPLATE}", "read a resource")
    return unquote(uri.removeprefix(_SCHEME))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for item in value.values() for text in _texts(item))
    elif isinstance(value, list):
        yield from (text for item in value for text in _texts(item))


def _asked_for(arguments: Mapping[str, Any]) -> str:
    asked = arguments.get("intent_id")
    return asked if isinstance(asked, str) else ""


def _path(uri: str) -> str | None:
    """Return the folder that a root is."""
    parts = urlsplit(uri)
    return unquote(parts.path) if parts.scheme == "file" and parts.netloc in ("", "localhost") else None


def _noted(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """Collect warnings about damage, which go with the answer; drop all others."""
    if issubclass(category, DamageWarning):
        _damage.get([]).append(cut(str(message)) or "")


def _interrupted(_: int, __: FrameType | None) -> None:
    os._exit(INTERRUPTED)


def found(directory: str, roots: Sequence[str]) -> Repository:
    """Return the first repository with a ledger; where there is none, say what is missing where we were started."""
    trouble: LinetrailError | None = None
    for folder in dict.fromkeys(_folders(directory, roots)):
        try:
            return require_own(require_ledger(find(folder)))
        except LinetrailError as error:
            trouble = trouble or error
    raise trouble or NotARepositoryError(f"{directory} is no folder any more")


def _folders(directory: str, roots: Sequence[str]) -> Iterator[str]:
    named = (part for name in _VARIABLES for part in _SEPARATOR.split(os.environ.get(name, "")))
    for folder in (directory, *roots, *named):
        if folder and "\0" not in folder and os.path.isdir(folder):
            yield os.path.abspath(folder)
