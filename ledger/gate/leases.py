"""Who writes which file, across the worktrees of a repository: leases that nobody asks for.

The first write of a session for an intent makes a lease of the file. It binds who works in another worktree for another
intent, and nobody else: in one worktree there is one file, and what a session has not seen of that is for the hashes to
say. A lease is over when its session ends or falls silent, when its worktree is sealed or gone, and when its work is
given back, lands or is given up. All of it lies in git's common folder and may be deleted at any time.
"""

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.files import locked_path, publish, sha256
from linetrail.ledger.repository import Repository

LOCK_SECONDS = 1.0
# Of the files that one call writes, those that it gets a lease of.
MAX_TAKEN = 200
SECOND_NS = 1_000_000_000


class Lease(NamedTuple):
    """A file and who wrote it first; `call_id` is the call that was let through to do so."""

    path: str
    intent_id: str
    session_id: str
    # root of the worktree
    worktree: str
    # when its session began to hold leases: of an earlier beginning, it is over
    begun_ns: int
    call_id: str | None = None

    def binds(self, other: "Lease") -> bool:
        """Return whether another has to wait for this one: of other work in another worktree."""
        return (
            self.worktree != other.worktree
            and self.intent_id != other.intent_id
            and self.session_id != other.session_id
        )


class Leases:
    """The leases of a repository as they are at one moment; who was silent for so many seconds holds none."""

    def __init__(self, repository: Repository, now_ns: int, silence_seconds: int) -> None:
        shared = repository.common_dir or os.path.join(repository.folder, "state")
        self._folder, self._root = os.path.join(shared, "linetrail"), repository.root
        self._now_ns, self._silence_ns = now_ns, silence_seconds * SECOND_NS

    def wanted(
        self, paths: Iterable[str], session_id: str | None, intent_id: str | None, call_id: str | None = None
    ) -> list[Lease]:
        """Return the leases that a session needs to write these files for an intent in this worktree."""
        return [Lease(path, intent_id or "", session_id or "", self._root, self._now_ns, call_id) for path in paths]

    def others(self, wanted: Sequence[Lease]) -> dict[str, Lease]:
        """Return the leases that bind those who want these: path -> lease."""
        found = ((one.path, self._standing(one.path), one) for one in wanted)
        return {path: lease for path, lease, one in found if lease is not None and lease.binds(one)}

    def take(self, wanted: Sequence[Lease]) -> dict[str, Lease]:
        """Note these leases where nobody has one, and return those that bind: of two at once one is first.

        Who works on no intent, or is no session, keeps nobody from a file.
        """
        free = [one for one in wanted[:MAX_TAKEN] if one.session_id and one.intent_id]
        if all(self._standing(one.path) is not None for one in free):
            return self.others(wanted)
        with self._locked():
            bound = self.others(wanted)
            for one in free:
                if self._standing(one.path) is None:
                    lease = one._replace(begun_ns=self._begin(one.session_id))
                    publish(self._place(one.path), json.dumps(lease._asdict()).encode(), durable=False)
        return bound

    def give_up(self, paths: Iterable[str], session_id: str, call_id: str | None) -> None:
        """Let go of what a call took and did not write."""
        for path in paths:
            lease = self._read(self._place(path))
            if lease is not None and (lease.session_id, lease.call_id) == (session_id, call_id):
                self._drop(self._place(path))

    def hear(self, session_id: str) -> None:
        """Note that a session was heard of; one that holds nothing has no sign to renew."""
        with contextlib.suppress(OSError):
            os.utime(self._sign(session_id), ns=(self._now_ns, self._now_ns))

    def end(self, session_id: str) -> None:
        """End every lease of a session."""
        self._drop(self._sign(session_id))

    def release(self, wanted: Callable[[Lease], bool]) -> None:
        """End these leases, and forget those that were over."""
        if not os.path.isdir(self._leases):
            return
        with self._locked():
            for place, lease in self._all():
                if lease is None or not self._stands(lease) or wanted(lease):
                    self._drop(place)

    def sweep(self) -> None:
        """Forget what is over, and the sessions that fell silent without an end."""
        with contextlib.suppress(OSError):
            for entry in os.scandir(os.path.join(self._folder, "sessions")):
                if entry.stat().st_mtime_ns + self._silence_ns < self._now_ns:
                    self._drop(entry.path)
        self.release(lambda _: False)

    def all(self) -> list[Lease]:
        """Return the leases that are in force, by their paths."""
        return sorted(lease for _, lease in self._all() if lease is not None and self._stands(lease))

    def _standing(self, path: str) -> Lease | None:
        lease = self._read(self._place(path))
        return lease if lease is not None and self._stands(lease) else None

    def _stands(self, lease: Lease) -> bool:
        begun_ns, heard_ns = self._sign_of(lease.session_id)
        is_of_session = begun_ns == lease.begun_ns and self._now_ns < heard_ns + self._silence_ns
        return is_of_session and os.path.isdir(lease.worktree)

    def _sign_of(self, session_id: str) -> tuple[int | None, int]:
        """Return when a session began to hold leases, None where it holds none, and when it was heard of last."""
        try:
            with open(self._sign(session_id), "rb") as file:
                return int(file.read(20)), os.fstat(file.fileno()).st_mtime_ns
        except (OSError, ValueError):
            return None, 0

    def _begin(self, session_id: str) -> int:
        begun_ns, _ = self._sign_of(session_id)
        if begun_ns is None:
            begun_ns = self._now_ns
            publish(self._sign(session_id), b"%d" % begun_ns, durable=False)
        self.hear(session_id)
        return begun_ns

    def _all(self) -> Iterator[tuple[str, Lease | None]]:
        with contextlib.suppress(OSError):
            for name in sorted(os.listdir(self._leases)):
                place = os.path.join(self._leases, name)
                yield place, self._read(place)

    def _locked(self) -> contextlib.AbstractContextManager[None]:
        return locked_path(os.path.join(self._folder, "leases.lock"), LOCK_SECONDS, "the leases of this repository")

    @property
    def _leases(self) -> str:
        return os.path.join(self._folder, "leases")

    def _place(self, path: str) -> str:
        return os.path.join(self._leases, _name(path))

    def _sign(self, session_id: str) -> str:
        return os.path.join(self._folder, "sessions", _name(session_id))

    @staticmethod
    def _drop(place: str) -> None:
        with contextlib.suppress(OSError):
            os.unlink(place)

    @staticmethod
    def _read(place: str) -> Lease | None:
        """Return a lease; one that is damaged is as good as none."""
        try:
            with open(place, "rb") as file:
                told: dict[str, Any] = json.load(file)
            is_sound = isinstance(told["begun_ns"], int) and isinstance(told["worktree"], str)
            return Lease(**told) if is_sound else None
        except (OSError, ValueError, TypeError, KeyError):
            return None


def _name(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:40]
