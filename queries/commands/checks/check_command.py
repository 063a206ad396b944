"""`linetrail check-command`: judge shell commands as the gate would."""

import argparse
from typing import Any

from linetrail.ledger.shell.commands import judge
from linetrail.queries.batch.pairs import PairError, Row, add_pairs, answers, optional_text, text

SHELLS = ("bash", "sh", "zsh", "powershell", "pwsh", "cmd")


def configure(parser: argparse.ArgumentParser) -> None:
    add_pairs(parser)


def run(args: argparse.Namespace) -> int:
    """Judge each command as the hook would; run none of them."""
    return answers(args.pairs, _judged, directory=args.directory)


def _judged(row: Row) -> dict[str, Any]:
    shell = optional_text(row, "shell") or "bash"
    if shell not in SHELLS:
        raise PairError("INVALID_FIELD", f"`shell` must be one of {', '.join(SHELLS)}")
    judged = judge(text(row, "command"), shell)
    return {"class": judged.cls, "reason": judged.reason, "writes": list(judged.writes), "complete": judged.complete}
