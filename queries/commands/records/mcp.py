"""`linetrail mcp`: serve the handshake, notes and questions to an agent as MCP tools over stdio."""

import argparse
import importlib.util
import os
from typing import NoReturn

from linetrail.ledger.errors import LinetrailError


class MissingExtraError(LinetrailError):
    """The library of the protocol is not installed here."""

    hint = "pip install 'linetrail[mcp]'"


def configure(parser: argparse.ArgumentParser) -> None:
    """Set the help of `mcp`, which has no options."""
    parser.epilog = (
        "An agent starts it in the folder of the project, or with -C DIR, and speaks the Model Context Protocol with "
        "it: docs/mcp.md says how each agent is told of it. It ends when the agent closes the pipe."
    )


def run(args: argparse.Namespace) -> NoReturn:
    """Serve until the agent is gone."""
    require_library()
    from linetrail.queries.mcp.server import run as serve  # nobody else waits for it

    serve(os.path.abspath(args.directory))


def require_library() -> None:
    """Raise where the library of the protocol is not installed."""
    if importlib.util.find_spec("mcp") is None:
        raise MissingExtraError("linetrail mcp needs the library `mcp`, which is not installed here")
