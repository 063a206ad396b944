"""What waits for a person's yes: for agents without a dialog of their own, and for selections that need one.

A request is known by its key: asked again, it is the same request. An approval lets one call through, once, or what it
covers as long as its session lasts; a rejection stays until its deadline, so that the agent is told the person's words
as often as it asks; "not now" leaves the request open. Before the answer and after it a deadline runs; what lies beyond
it, or ahead of the clock, is void, and so is an answer without the seal that only this module writes.
"""

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.event.event import rfc3339
from linetrail.ledger.files import DamagedStateError, StateFile, StateFolder, name_of
from linetrail.ledger.observe.states import REQUESTED
from linetrail.ledger.paths.globs import literal
from linetrail.ledger.redact.redactor import Redactor, private_folder
from linetrail.ledger.redact.redactor import key as private_key
from linetrail.ledger.repository import Repository

KIND = "approvals"
SECOND = 1_000_000_000
SKEW_NS = 5 * SECOND
# More would only hide those that matter.
MAX_WAITING = 100
DAY_NS = 24 * 3600 * SECOND
# How long one can still be told that a request has expired.
FORGET_NS = DAY_NS
# What an approval lets through: this call once, what it covers in this session, or whatever the intent then owns.
ONCE, SESSION, SCOPE = EXTENTS = ("once", "session", "scope")
OPEN = frozenset({"pending", "deferred"})
MAX_ACTION, MAX_REASON = 400, 200
# Said over the telephone, none of these is taken for another.
_SIGNS = "23456789abcdefghjkmnpqrstvwxyz"
_PREFIX, _LENGTH = "A-", 4

State = Literal["pending", "deferred", "approved", "rejected"]


class ApprovalError(LinetrailError):
    """A request that nobody made, that is answered, or that came to its deadline."""

    hint = "linetrail approve"
    exit_status = 1


class Approval(NamedTuple):
    """A request and its answer. `key_digest` stands for what may not happen without one; `words` are the person's.

    `covers` is what an approval for the session lets through: the paths of the files, which can become scope as well,
    the tool, the intent, or the hash of the very call. Where it is empty, one call can be approved and no more.
    """

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
    covers: Sequence[str] = ()
    extent: str = ONCE
    seal: str | None = None

    @property
    def deadline_ns(self) -> int:
        """When it is void: so long after it was asked for, and once more so long after the answer.

        What was put off, and what holds for a session, does so for a day.
        """
        is_long = self.state == "deferred" or (self.state == "approved" and self.extent == SESSION)
        return self._begin_ns + (DAY_NS if is_long else self.seconds * SECOND)

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
    covers: Sequence[str] = (),
    proposed: str | None = None,
) -> Approval:
    """Ask for an approval, or return the one that was asked for under this key and is not void.

    An approval for the session is not returned: it lets other calls through as well, and did not let this one.
    `proposed` is kept until the request is answered.
    """
    folder, redactor = StateFolder(repository, KIND), Redactor(private_folder(repository))
    with folder.held():
        known = _swept(repository, folder, now_ns)
        asked = (one for one in known if one.key_digest == name_of(key) and one.holds(now_ns))
        same = _newest(one for one in asked if one.state != "approved" or one.extent == ONCE)
        if same is not None:
            return same
        if sum(one.state in OPEN and one.holds(now_ns) for one in known) >= MAX_WAITING:
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
            covers=list(covers),
        )
        folder.write(made.id, made._asdict(), durable=True)
        if proposed is not None:  # a file of its own: no call of an agent reads it
            StateFolder(repository, REQUESTED).write(made.id, {"sealed": proposed})
    return made


def proposed(repository: Repository, approval_id: str) -> str | None:
    """Return what was kept of what an open request would do, as it was sealed; None where nothing was."""
    with contextlib.suppress(DamagedStateError):
        text = (StateFolder(repository, REQUESTED).read(approval_id) or {}).get("sealed")
        return text if isinstance(text, str) else None
    return None


def answer(
    repository: Repository,
    approval_id: str,
    *,
    approved: bool,
    reason: str | None,
    now_ns: int,
    extent: str = ONCE,
    record: Callable[[Approval], object] | None = None,
) -> Approval:
    """Answer an open request once: no, or yes to this call (`once`), to the like in its session, or as new scope.

    `record` gets the answer before it takes effect; if it raises, nothing was answered. What becomes scope is for the
    caller to write into the registry. Raises ApprovalError where the request is not open, or not of a kind that can be
    approved so far.
    """
    state: State = "approved" if approved else "rejected"
    asked = extensible(repository, approval_id, extent if approved else ONCE, now_ns)
    return _answered(repository, asked._replace(state=state, extent=extent), reason, now_ns, record)


def defer(
    repository: Repository,
    approval_id: str,
    *,
    reason: str | None,
    now_ns: int,
    record: Callable[[Approval], object] | None = None,
) -> Approval:
    """Put a request off: "not now". It stays open for a day, and the agent is told to go on with something else."""
    asked = extensible(repository, approval_id, ONCE, now_ns)
    return _answered(repository, asked._replace(state="deferred"), reason, now_ns, record)


def revoke(
    repository: Repository,
    approval_id: str,
    *,
    reason: str | None,
    now_ns: int,
    record: Callable[[Approval], object] | None = None,
) -> Approval:
    """Take an answer back that still counts, and return it: from now on the agent has to ask anew.

    `record` gets the answer before it is gone. Raises ApprovalError where no such answer counts any more, because it
    was used, came to its deadline, or became scope.
    """
    folder = StateFolder(repository, KIND)
    with folder.held():
        name, known = spelled(approval_id), _all(folder)
        found = next((one for one in known if one.id == name and one.state not in OPEN and one.holds(now_ns)), None)
        if found is None or found.extent == SCOPE:
            counting = [one.id for one in known if one.state not in OPEN and one.holds(now_ns)]
            rest = f"answers that count: {', '.join(sorted(counting))}" if counting else "no answer counts now"
            raise ApprovalError(f"{name or repr(approval_id[:40])} is no answer that counts; {rest}")
        if record is not None:
            words = reason and Redactor(private_folder(repository)).excerpt(reason, MAX_REASON)
            record(found._replace(words=words or None))
        folder.drop(found.id)
    return found


def forget(repository: Repository, approval_id: str) -> None:
    """Forget an answer that has no effect any more."""
    folder = StateFolder(repository, KIND)
    with folder.held():
        folder.drop(approval_id)


def extensible(repository: Repository, approval_id: str, extent: str, now_ns: int) -> Approval:
    """Return an open request that can be approved so far; ApprovalError where it is not open, or of another kind."""
    asked = _require(StateFolder(repository, KIND), approval_id, now_ns)
    if extent == SESSION and not (asked.session_id and asked.covers):
        raise ApprovalError(f"{asked.id} ({asked.code}) can be approved once, and not for a session")
    if extent == SCOPE and not (asked.code == "OUT_OF_SCOPE" and asked.intent_id and asked.covers):
        raise ApprovalError(f"{asked.id} ({asked.code}) cannot become scope; only files outside of one can")
    return asked


def patterns(about: Approval) -> list[str]:
    """Return the patterns by which an intent owns the files that an approval is about, and no others."""
    return [literal(path) for path in about.covers]


def widening(told: Mapping[str, Any], session_id: str | None, intent_id: str | None) -> Approval:
    """Return an approval that became scope as its event told it, whose request is forgotten."""
    return Approval(
        id=told["approval_id"],
        key_digest="",
        session_id=session_id,
        intent_id=intent_id,
        tool_name=told.get("tool_name"),
        tool_call_id=None,
        code=told.get("code") or "",
        action=told.get("action") or "",
        reason="",
        requested_ns=0,
        seconds=0,
        state="approved",
        answered_ns=0,
        covers=told.get("covers") or (),
        extent=SCOPE,
    )


def take(repository: Repository, key: str, now_ns: int) -> Approval | None:
    """Return the answer for this key, and use an approval up: whoever asks next, in whatever process, gets none."""
    folder = StateFolder(repository, KIND)
    if not folder.names():
        return None
    with folder.held():
        answers = (one for one in _all(folder) if one.key_digest == name_of(key) and one.state not in OPEN)
        found = _newest(one for one in answers if one.extent == ONCE and one.holds(now_ns) and _sealed(repository, one))
        if found is not None and found.state == "approved":
            folder.drop(found.id)
    return found


def grants(repository: Repository, session_id: str | None, now_ns: int) -> Mapping[tuple[str, str], str]:
    """Return what a session may do until it ends: the code of a refusal and what is covered -> the approval."""
    standing = (one for one in _all(StateFolder(repository, KIND)) if one.state == "approved" and one.extent == SESSION)
    own = (one for one in standing if one.session_id == session_id is not None and one.holds(now_ns))
    return {(one.code, cover): one.id for one in own if _sealed(repository, one) for cover in one.covers}


def pending(repository: Repository, now_ns: int) -> list[Approval]:
    """Return what waits for an answer, the oldest first, what was put off among it."""
    return [one for one in known(repository, now_ns) if one.state in OPEN]


def known(repository: Repository, now_ns: int) -> list[Approval]:
    """Return all requests that are not void, the oldest first: those that wait, and those whose answer counts."""
    counting = (one for one in _all(StateFolder(repository, KIND)) if one.holds(now_ns))
    return sorted(counting, key=lambda one: (one.requested_ns, one.id))


def spelled(approval_id: str) -> str | None:
    """Return an id as it is stored, however a person typed it; None when it is none.

    >>> spelled(" 7F3K"), spelled("a-7f3k"), spelled("../../etc")
    ('A-7f3k', 'A-7f3k', None)
    """
    bare = approval_id.strip().lower().removeprefix(_PREFIX.lower())
    return f"{_PREFIX}{bare}" if len(bare) == _LENGTH and set(bare) <= set(_SIGNS) else None


def _answered(
    repository: Repository,
    answer: Approval,
    reason: str | None,
    now_ns: int,
    record: Callable[[Approval], object] | None,
) -> Approval:
    folder = StateFolder(repository, KIND)
    words = reason and Redactor(private_folder(repository)).excerpt(reason, MAX_REASON)
    with folder.held():
        _require(folder, answer.id, now_ns)  # nobody else was first
        answered = answer._replace(answered_ns=now_ns, words=words or None)
        sealed = answered._replace(seal=_seal(repository, answered))
        if sealed.seal is None:
            raise ApprovalError(f"no answer can be kept: {private_folder(repository)} cannot be written")
        if record is not None:
            record(sealed)
        folder.write(sealed.id, sealed._asdict(), durable=True)
        if sealed.state not in OPEN:
            StateFolder(repository, REQUESTED).drop(sealed.id)
    return sealed


def _seal(repository: Repository, answered: Approval) -> str | None:
    """Return what proves that an answer was written here, under the key of the repository; None without one."""
    import hmac  # most calls find no answer

    secret = private_key(private_folder(repository))
    told = json.dumps({**answered._asdict(), "covers": list(answered.covers), "seal": None}, sort_keys=True)
    return None if secret is None else hmac.digest(secret, told.encode(errors="replace"), "sha256").hex()


def _sealed(repository: Repository, answered: Approval) -> bool:
    return answered.seal is not None and answered.seal == _seal(repository, answered)


def _require(folder: StateFolder, approval_id: str, now_ns: int) -> Approval:
    name = spelled(approval_id)
    known = _all(folder)
    found = next((one for one in known if one.id == name), None)
    if found is not None and found.state in OPEN and found.holds(now_ns):
        return found
    waiting = [one.id for one in known if one.state in OPEN and one.holds(now_ns)]
    rest = f"waiting: {', '.join(sorted(waiting))}" if waiting else "nothing waits for an answer"
    if found is None:
        raise ApprovalError(f"no request {name or repr(approval_id[:40])} is known; {rest}")
    if found.state in OPEN:
        raise ApprovalError(f"{found.id} expired at {rfc3339(found.deadline_ns)}; the agent has to ask again; {rest}")
    raise ApprovalError(f"{found.id} was {found.state} at {rfc3339(found.answered_ns or 0)}; {rest}")


def _swept(repository: Repository, folder: StateFolder, now_ns: int) -> list[Approval]:
    """Return what is kept, and forget what was void long ago."""
    kept = []
    for one in _all(folder):
        if one.deadline_ns + FORGET_NS < now_ns or one.requested_ns > now_ns + FORGET_NS:
            folder.drop(one.id)
            StateFolder(repository, REQUESTED).drop(one.id)
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
    optional = (read.session_id, read.intent_id, read.tool_name, read.tool_call_id, read.words, read.seal)
    sound = (
        read.id == name == spelled(name)
        and all(type(number) is int for number in numbers)
        and all(isinstance(text, str) for text in texts)
        and all(text is None or isinstance(text, str) for text in optional)
        and isinstance(read.covers, list | tuple)
        and all(isinstance(cover, str) for cover in read.covers)
        and read.extent in EXTENTS
        and read.state in ("pending", "deferred", "approved", "rejected")
        and (read.state == "pending") == (read.answered_ns is None)
    )
    if not sound:
        raise DamagedStateError(f"the approval {name} holds values of another kind")
    return read
