"""`linetrail mcp`: serve the handshake, notes and questions to an agent as MCP tools over stdio."""

import argparse
import os
from typing import NoReturn

from linetrail.queries.extras import require_extra


def configure(parser: argparse.ArgumentParser) -> None:
    """Set the help of `mcp`, which has no options."""
    parser.epilog = (
        "An agent starts it in the folder of the project, or with -C DIR, and speaks the Model Context Protocol with "
        "it: docs/mcp.md says how each agent is told of it. It ends when the agent closes the pipe."
    )


def run(args: argparse.Namespace) -> NoReturn:
    """Serve until the agent is gone."""
    require_extra("mcp", "mcp")
    from linetrail.queries.mcp.server import run as serve  # nobody else waits for it

    serve(os.path.abspath(args.directory))
