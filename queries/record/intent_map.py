"""Bring intent_map.md up to date beside other work, where a project keeps it."""

import os
import sys
from contextlib import nullcontext

from linetrail.ledger.gate import policy
from linetrail.ledger.gate.settings import OBSERVE
from linetrail.ledger.hook.deadline import DeadlineError, deadline
from linetrail.ledger.repository import Repository
from linetrail.projections.build import MAP, rebuild
from linetrail.projections.tables.intent_map import INTENT_MAP


def follow(repository: Repository, *, seconds: float | None = None) -> bool:
    """Write the map anew, within so many seconds, and return whether it is another one; print a note on failure."""
    if not _is_kept(repository):
        return False
    try:
        with nullcontext() if seconds is None else deadline(clock=seconds):
            (row,) = rebuild(repository, only=[MAP])
    except DeadlineError:
        print(f"note: {INTENT_MAP} would have taken more than {seconds:g} s; `linetrail rebuild`", file=sys.stderr)
    except Exception as error:  # noqa: BLE001  what this comes behind is done, and stays so
        print(f"note: {INTENT_MAP} is as it was: {type(error).__name__}: {error}", file=sys.stderr)
    else:
        return row.changed
    return False


def _is_kept(repository: Repository) -> bool:
    """Return whether somebody made the map once, or works for intents; who only observes gets no new file."""
    holding = policy.of(repository)
    is_there = os.path.exists(os.path.join(repository.folder, INTENT_MAP))
    return is_there or (bool(holding.intents) and holding.mode != OBSERVE)
