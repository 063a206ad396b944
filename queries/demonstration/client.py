"""Call the tools of `linetrail mcp` over the protocol, as an agent's client does."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.types import Implementation, RequestParamsMeta, TextContent

from linetrail.queries.demonstration.dialects import Dialect

Call = Callable[[str, Mapping[str, Any]], tuple[str, bool]]


@contextlib.contextmanager
def tools(dialect: Dialect, root: str, environment: Mapping[str, str]) -> Iterator[Call]:
    """Start the server as this agent would; yield a function that calls a tool and returns its answer and failure."""
    server = StdioServerParameters(
        command="linetrail", args=["mcp"], cwd=root, env={**environment, **dialect.server_environment()}
    )
    client = Client(server, client_info=Implementation(name=dialect.agent, version="1.0.0"))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client) as connected:

        async def call(tool: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
            answer = await connected.call_tool(
                tool, dict(arguments), meta=cast("RequestParamsMeta | None", dialect.meta())
            )
            texts = [part.text for part in answer.content if isinstance(part, TextContent)]
            return "\n".join(texts), answer.is_error

        yield lambda tool, arguments: portal.call(call, tool, arguments)
