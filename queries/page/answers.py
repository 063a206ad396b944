"""Take a person's answers to what agents asked, where the server was started for that.

An answer has the code that the terminal shows and no page does: whoever gets at a page, by whatever way, cannot give
one. A code that is wrong too often is worth nothing any more.
"""

import json
import secrets
from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import NamedTuple

from linetrail.ledger.errors import LinetrailError, UsageError
from linetrail.ledger.gate.approvals import EXTENTS, MAX_REASON, Approval
from linetrail.ledger.repository import Repository
from linetrail.queries.record import approvals

PATH = "/answer"
MAX_BYTES = 4096
MAX_WRONG = 5
# As said over the telephone, none of these is taken for another.
_SIGNS, _LENGTH = "23456789abcdefghjkmnpqrstvwxyz", 6
_FIELDS = frozenset({"id", "answer", "reason", "code"})

# (repository, id, reason=…) -> the request with its answer
Verb = Callable[..., Approval]
VERBS: Mapping[str, tuple[Verb, str]] = {
    **{extent: (partial(approvals.approve, extent=extent), "approved") for extent in EXTENTS},
    "no": (approvals.reject, "rejected"),
    "later": (approvals.defer, "put off"),
    "back": (approvals.revoke, "taken back"),
}


class WrongCodeError(LinetrailError):
    """Somebody answered without the code of the terminal."""

    hint = "type the code that the terminal shows in which the server runs"


class Reply(NamedTuple):
    """What an answer came to: a request as it is now, in words."""

    id: str
    state: str
    said: str


class Answers:
    """Where answers arrive; `code` is what each of them has to say."""

    def __init__(self, repository: Repository) -> None:
        self.code = "".join(secrets.choice(_SIGNS) for _ in range(_LENGTH))
        self._repository = repository
        self._left = MAX_WRONG

    def give(self, body: bytes) -> Reply:
        """Give the answer that a body of JSON holds; raise a LinetrailError where it is none."""
        told = _read(body)
        self._require_code(told["code"])
        verb, said = VERBS[told["answer"]]
        answered = verb(self._repository, told["id"], reason=told["reason"].strip() or None)
        extent = f" ({answered.extent})" if answered.state == "approved" else ""
        return Reply(answered.id, answered.state, f"{answered.id} is {said}{extent}")

    def _require_code(self, code: str) -> None:
        if self._left <= 0:
            raise WrongCodeError("the code was wrong too often; start the server anew")
        if not secrets.compare_digest(code.lower().encode(), self.code.encode()):
            self._left -= 1
            raise WrongCodeError("that is not the code")


def status(error: LinetrailError) -> HTTPStatus:
    if isinstance(error, WrongCodeError):
        return HTTPStatus.FORBIDDEN
    return HTTPStatus.BAD_REQUEST if isinstance(error, UsageError) else HTTPStatus.CONFLICT


def _read(body: bytes) -> Mapping[str, str]:
    if len(body) > MAX_BYTES:
        raise UsageError(f"an answer has at most {MAX_BYTES:,} bytes")
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        raise UsageError("an answer is JSON") from None
    if not isinstance(told, dict) or told.keys() != _FIELDS or not all(isinstance(one, str) for one in told.values()):
        raise UsageError(f"an answer is an object of texts: {', '.join(sorted(_FIELDS))}")
    if told["answer"] not in VERBS:
        raise UsageError(f"an answer is one of {', '.join(VERBS)}")
    if len(told["reason"]) > MAX_REASON:
        raise UsageError(f"a reason has at most {MAX_REASON} characters")
    return told
