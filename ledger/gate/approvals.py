"""What waits for a person's yes: for agents without a dialog of their own, and for selections that need one.

A request is known by its key: asked again, it is the same request. An approval lets one call through, once; a
rejection stays until its deadline, so that the agent is told the person's words as often as it asks. Before the answer
and after it a deadline runs; what lies beyond it, or ahead of the clock, is void.
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.event.event import rfc3339
from linetrail.ledger.redact.fingerprints import Redactor, private_folder
from linetrail.ledger.repository import Repository
from linetrail.ledger.state_files import DamagedStateError, StateFile, StateFolder, name_of

KIND = "approvals"
SECOND = 1_000_000_000
SKEW_NS = 5 * SECOND
# More would only hide those that matter.
MAX_WAITING = 100
# How long one can still be told that a request has expired.
FORGET_NS = 24 * 3600 * SECOND
MAX_ACTION, MAX_REASON = 400, 200
# Said over the telephone, none of these is taken for another.
_SIGNS = "23456789abcdefghjkmnpqrstvwxyz"
_PREFIX, _LENGTH = "A-", 4

State = Literal["pending", "approved", "rejected"]


class ApprovalError(LinetrailError):
    """A request that nobody made, that is answered, or that came to its deadline."""

    hint = "linetrail approve"
    exit_status = 1


class Approval(NamedTuple):
    """A request and its answer. `key_digest` stands for what may not happen without one; `words` are the person's."""

    id: str
    key_digest: str
    session_id: str | None
    intent_id: str | None
    tool_name: str | None
    tool_call_id: str | None
    code: str
    action: str
    reason: str
    requested_ns: int
    seconds: int
    state: State = "pending"
    answered_ns: int | None = None
    words: str | None = None

    @property
    def deadline_ns(self) -> int:
        """When it is void: so long after it was asked for, and once more so long after the answer."""
        return self._begin_ns + self.seconds * SECOND

    def holds(self, now_ns: int) -> bool:
        """Return whether it is not void."""
        return self._begin_ns - SKEW_NS <= now_ns < self.deadline_ns

    @property
    def _begin_ns(self) -> int:
        return self.requested_ns if self.answered_ns is None else self.answered_ns


def request(
    repository: Repository,
    key: str,
    *,
    session_id: str | None,
    intent_id: str | None,
    tool_name: str | None,
    tool_call_id: str | None,
    code: str,
    action: str,
    reason: str,
    now_ns: int,
    seconds: int,
) -> Approval:
    """Ask for an approval, or return the one that was asked for under this key and is not void."""
    folder, redactor = StateFolder(repository, KIND), Redactor(private_folder(repository))
    with folder.held():
        known = _swept(folder, now_ns)
        same = _newest(one for one in known if one.key_digest == name_of(key) and one.holds(now_ns))
        if same is not None:
            return same
        if sum(one.state == "pending" and one.holds(now_ns) for one in known) >= MAX_WAITING:
            raise ApprovalError(f"{MAX_WAITING} requests wait for an answer already; no more are taken")
        made = Approval(
            id=_new_id({one.id for one in known}),
            key_digest=name_of(key),
            session_id=session_id,
            intent_id=intent_id,
            tool_name=tool_name,
            tool_call_id=tool_call_id,
            code=code,
            action=redactor.excerpt(action, MAX_ACTION),
            reason=redactor.excerpt(reason, MAX_ACTION),
            requested_ns=now_ns,
            seconds=max(seconds, 1),
        )
        folder.write(made.id, made._asdict(), durable=True)
    return made


def answer(
    repository: Repository,
    approval_id: str,
    *,
    approved: bool,
    reason: str | None,
    now_ns: int,
    record: Callable[[Approval], object] | None = None,
) -> Approval:
    """Answer a request once. `record` gets the answer before it takes effect; if it raises, nothing was answered."""
    folder = StateFolder(repository, KIND)
    words = reason and Redactor(private_folder(repository)).excerpt(reason, MAX_REASON)
    with folder.held():
        asked = _require(folder, approval_id, now_ns)
        state: State = "approved" if approved else "rejected"
        answered = asked._replace(state=state, answered_ns=now_ns, words=words or None)
        if record is not None:
            record(answered)
        folder.write(answered.id, answered._asdict(), durable=True)
    return answered


def take(repository: Repository, key: str, now_ns: int) -> Approval | None:
    """Return the answer for this key, and use an approval up: whoever asks next, in whatever process, gets none."""
    folder = StateFolder(repository, KIND)
    if not folder.names():
        return None
    with folder.held():
        answered = (one for one in _all(folder) if one.key_digest == name_of(key) and one.state != "pending")
        found = _newest(one for one in answered if one.holds(now_ns))
        if found is not None and found.state == "approved":
            folder.drop(found.id)
    return found


def pending(repository: Repository, now_ns: int) -> list[Approval]:
    """Return what waits for an answer, the oldest first."""
    waiting = (one for one in _all(StateFolder(repository, KIND)) if one.state == "pending" and one.holds(now_ns))
    return sorted(waiting, key=lambda one: (one.requested_ns, one.id))


def spelled(approval_id: str) -> str | None:
    """Return an id as it is stored, however a person typed it; None when it is none.

    >>> spelled(" 7F3K"), spelled("a-7f3k"), spelled("../../etc")
    ('A-7f3k', 'A-7f3k', None)
    """
    bare = approval_id.strip().lower().removeprefix(_PREFIX.lower())
    return f"{_PREFIX}{bare}" if len(bare) == _LENGTH and set(bare) <= set(_SIGNS) else None


def _require(folder: StateFolder, approval_id: str, now_ns: int) -> Approval:
    name = spelled(approval_id)
    known = _all(folder)
    found = next((one for one in known if one.id == name), None)
    if found is not None and found.state == "pending" and found.holds(now_ns):
        return found
    waiting = [one.id for one in known if one.state == "pending" and one.holds(now_ns)]
    rest = f"waiting: {', '.join(sorted(waiting))}" if waiting else "nothing waits for an answer"
    if found is None:
        raise ApprovalError(f"no request {name or repr(approval_id[:40])} is known; {rest}")
    if found.state == "pending":
        raise ApprovalError(f"{found.id} expired at {rfc3339(found.deadline_ns)}; the agent has to ask again; {rest}")
    raise ApprovalError(f"{found.id} was {found.state} at {rfc3339(found.answered_ns or 0)}; {rest}")


def _swept(folder: StateFolder, now_ns: int) -> list[Approval]:
    """Return what is kept, and forget what was void long ago."""
    kept = []
    for one in _all(folder):
        if one.deadline_ns + FORGET_NS < now_ns or one.requested_ns > now_ns + FORGET_NS:
            folder.drop(one.id)
        else:
            kept.append(one)
    return kept


def _all(folder: StateFolder) -> list[Approval]:
    found = []
    for name in folder.names():
        # A damaged one is void, and says nothing about the others.
        with contextlib.suppress(DamagedStateError):
            state = folder.read(name)
            found += [] if state is None else [_approval(name, state)]
    return found


def _newest(approvals: Iterator[Approval]) -> Approval | None:
    return max(approvals, key=lambda one: (one.requested_ns, one.id), default=None)


def _new_id(taken: set[str]) -> str:
    while True:
        made = _PREFIX + "".join(_SIGNS[byte % len(_SIGNS)] for byte in os.urandom(_LENGTH))
        if made not in taken:
            return made


def _approval(name: str, state: StateFile) -> Approval:
    """Read a state file strictly: one that somebody wrote by hand lets nothing through by accident."""
    try:
        read = Approval(**state)
    except TypeError as error:
        raise DamagedStateError(f"the approval {name} has the wrong fields: {error}") from None
    numbers = (read.requested_ns, read.seconds, 0 if read.answered_ns is None else read.answered_ns)
    texts = (read.id, read.key_digest, read.code, read.action, read.reason)
    optional = (read.session_id, read.intent_id, read.tool_name, read.tool_call_id, read.words)
    sound = (
        read.id == name == spelled(name)
        and all(type(number) is int for number in numbers)
        and all(isinstance(text, str) for text in texts)
        and all(text is None or isinstance(text, str) for text in optional)
        and read.state in ("pending", "approved", "rejected")
        and (read.state == "pending") == (read.answered_ns is None)
    )
    if not sound:
        raise DamagedStateError(f"the approval {name} holds values of another kind")
    return read
