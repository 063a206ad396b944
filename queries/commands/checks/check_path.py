"""`linetrail check-path`: judge paths as the gate would."""

import argparse
import os
from typing import Any

from linetrail.ledger.errors import UsageError
from linetrail.ledger.paths.paths import OPERATIONS, WRITE, judge
from linetrail.ledger.repository import find
from linetrail.queries.batch.pairs import PairError, Row, add_pairs, answers, optional_text, text


def configure(parser: argparse.ArgumentParser) -> None:
    add_pairs(parser)
    parser.add_argument("--root", metavar="DIR", help="the repository that paths are in; this one unless given")


def run(args: argparse.Namespace) -> int:
    """Judge each path as the hook would."""
    root = find(args.directory).root if args.root is None else os.path.join(args.directory, args.root)
    if not os.path.isdir(root):
        raise UsageError(f"--root {args.root}: no such directory")

    def verdict(row: Row) -> dict[str, Any]:
        found = judge(
            root,
            text(row, "path"),
            _scope(row),
            cwd=optional_text(row, "cwd"),
            op=_operation(row),
            target=optional_text(row, "target"),
        )
        return {"verdict": "allow" if found.allow else "deny", "code": found.code, "reason": found.reason}

    return answers(args.pairs, verdict, directory=args.directory)


def _scope(row: Row) -> list[str]:
    scope = row.get("scope")
    if not isinstance(scope, list) or not all(isinstance(pattern, str) for pattern in scope):
        raise PairError("INVALID_FIELD", "`scope` must be a list of patterns")
    return scope


def _operation(row: Row) -> str:
    op = optional_text(row, "op") or WRITE
    if op not in OPERATIONS:
        raise PairError("INVALID_FIELD", f"`op` must be one of {', '.join(OPERATIONS)}")
    return op
