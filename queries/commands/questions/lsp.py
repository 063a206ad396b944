"""`linetrail lsp`: tell an editor why each line is as it is, over the Language Server Protocol on stdio."""

import argparse
import os
import sys

from linetrail.queries.extras import require_extra


def configure(parser: argparse.ArgumentParser) -> None:
    """Set the help of `lsp`, and take the option that editors give to servers of this kind."""
    parser.epilog = (
        "An editor starts it, and says which files are open: docs/editors.md has the few lines of configuration that "
        "each needs. It ends when the editor closes the pipe."
    )
    parser.add_argument("--stdio", action="store_true", help="answer on stdin and stdout, as it does anyway")


def run(_: argparse.Namespace) -> int:
    """Answer until the editor is gone."""
    require_extra("lsp", "lsp")
    from importlib.metadata import version

    from linetrail.queries.lsp.features import made  # nobody else waits for it

    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints by mistake is no part of the protocol
    made(version("linetrail")).start_io(sys.stdin.buffer, answers)
    return 0
