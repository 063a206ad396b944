"""Write the answers of tools as compact JSON, and errors with what to do next.

An error has the shape of the gate's refusals, whose `type` and `code` never change, and `next` beside it.
"""

import json
import os
import re
import traceback
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.adapters.adapter import COMPLETE, SELECT
from linetrail.ledger.errors import LinetrailError, LockTimeoutError, StorageError, UsageError
from linetrail.ledger.gate.policy import Policy
from linetrail.ledger.gate.refusals import ADVICE, Refusal, action, quoted, structured
from linetrail.ledger.intents.intent import Offer
from linetrail.ledger.intents.transitions import TransitionError
from linetrail.ledger.repository import Repository
from linetrail.projections.git.target import TargetError
from linetrail.queries.mcp.caller import Client
from linetrail.queries.render.text import escaped, json_value

# Of an answer, in bytes: what does not fit is left out, and that is said.
MAX_ANSWER = 24_000
MAX_TEXT = 300
# How refusals write what there are tools for.
_COMMAND = re.compile(
    r"linetrail (?:select (?P<id>INT-\d+)(?P<switch> --switch)?|intents done (?P<done>INT-\d+) --notes \"…\")"
)


class Call(NamedTuple):
    """One call of a tool: where, by whom, and what it was given."""

    repository: Repository
    client: Client
    tool: str
    arguments: Mapping[str, Any]


class RefusedError(Exception):
    """What a call asked for is not done; the refusal says why, and what to do instead."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


def refuse(code: str, reason: str, attempted: str, policy: Policy | None = None) -> RefusedError:
    """Return a refusal to raise."""
    return RefusedError(Refusal(code, reason, attempted, available=_offer(policy)))


def _offer(policy: Policy | None) -> Offer:
    return Offer() if policy is None else policy.offer()


def error(problem: Exception, tool: str, asked: str = "", policy: Policy | None = None) -> dict[str, Any]:
    """Return what is said of a call that failed; whatever is not an error of ours is a bug, and called one."""
    if isinstance(problem, RefusedError):
        return structured(problem.refusal) | {"next": _advice(problem.refusal, tool, asked)}
    if os.environ.get("LINETRAIL_DEBUG") == "1":
        traceback.print_exception(problem)  # on stderr; stdout is the protocol's
    is_ours = isinstance(problem, LinetrailError)
    reason = str(problem) if is_ours else f"{type(problem).__name__}: {problem}"
    said = structured(Refusal(_code(problem), reason, f"call {tool}", available=_offer(policy)))
    hint = problem.hint if isinstance(problem, LinetrailError) else "tell a person: `linetrail doctor`"
    return said | {"type": _type(problem), "next": quoted(hint or "Correct the arguments and call again.")}


def cut(text: object, limit: int = MAX_TEXT) -> str | None:
    """Return a text on one line, without what steers terminals, and short."""
    if not isinstance(text, str):
        return None
    plain = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in " ".join(text.split()))
    return plain if len(plain) <= limit else f"{plain[: limit - 1]}…"


def known(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record without what is not known."""
    return {name: value for name, value in record.items() if value not in (None, [], {})}


def fitting(rows: Sequence[Mapping[str, Any]], room: int = MAX_ANSWER) -> list[Mapping[str, Any]]:
    """Return the first of these rows, as many as an answer has room for."""
    kept = []
    for row in rows:
        room -= len(compact(row).encode()) + 1
        if room < 0:
            break
        kept.append(row)
    return kept


def compact(value: object) -> str:
    """Write an answer as JSON on one line."""
    return escaped(json.dumps(json_value(value), ensure_ascii=False, separators=(",", ":")))


def _advice(refusal: Refusal, tool: str, asked: str) -> str:
    if refusal.code not in ADVICE:
        return "Correct the arguments and call again."
    return _COMMAND.sub(_as_tool, action(refusal, tool=tool, asked=asked))


def _as_tool(command: re.Match[str]) -> str:
    """Write a command of the handshake as the call of a tool, which needs no shell."""
    if command["done"]:
        return f'{COMPLETE}(intent_id="{command["done"]}", verification_notes="…")'
    switch = ", switch=true" if command["switch"] else ""
    return f'{SELECT}(intent_id="{command["id"]}"{switch})'


def _code(problem: Exception) -> str:
    """Name an error of ours as its class is called.

    >>> _code(LockTimeoutError("x")), _code(UsageError("x")), _code(KeyError("x"))
    ('LOCK_TIMEOUT', 'INVALID_INPUT', 'INTERNAL')
    """
    if isinstance(problem, UsageError):
        return "INVALID_INPUT"
    if isinstance(problem, TargetError):
        return "INVALID_PATH"
    if not isinstance(problem, LinetrailError):
        return "INTERNAL"
    return re.sub(
        r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", type(problem).__name__.removesuffix("Error")
    ).upper()


def _type(problem: Exception) -> str:
    if isinstance(problem, TransitionError):
        return "state_error"
    if not isinstance(problem, LinetrailError) or isinstance(problem, LockTimeoutError | StorageError):
        return "internal"
    return "validation_failed"
