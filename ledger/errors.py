"""Everything raised on purpose: what, where, and the next command.

Whatever is not a LinetrailError is a bug and may end with its traceback.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class LinetrailError(Exception):
    """Something the reader can act on; `hint` is the next command, `exit_status` what the command line ends with."""

    hint: str | None = None
    exit_status = 2

    def __init__(self, message: str = "", hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = self.hint if hint is None else hint


class UsageError(LinetrailError):
    """The command was called in a way it does not understand."""


class GoneError(LinetrailError):
    """The working directory was deleted, so there is nothing to start from."""

    hint = "cd to a folder that is there, or `linetrail -C DIR …`"


class NotARepositoryError(LinetrailError):
    """No git repository is here or above."""

    hint = "git init"


class NoLedgerError(LinetrailError):
    """This repository has no ledger yet."""

    hint = "linetrail init"


class UnsafeFolderError(LinetrailError):
    """The folder of the ledger leads elsewhere, or is somebody else's; nothing is written through it."""

    hint = "look at what it is and who made it; then remove it and run `linetrail init`"


class EventError(LinetrailError):
    """An event that may not be stored, or a line that is none."""

    exit_status = 3


class FutureLedgerError(EventError):
    """A ledger written by a newer linetrail."""

    hint = "pip install --upgrade linetrail"
    exit_status = 2


class PayloadError(LinetrailError):
    """What an agent sent cannot be used."""


class IntegrityError(LinetrailError):
    """A line of the ledger that cannot be read, or does not follow from the one before it.

    `code` is stable: UNREADABLE_LINE, BROKEN_CHAIN, LINE_TOO_LONG or LINES_MISSING; of a segment also
    UNREADABLE_SEGMENT, FUTURE_SEGMENT, WRONG_NAME or SEGMENT_MISSING.
    """

    hint = "linetrail verify"
    exit_status = 3

    def __init__(self, file: str, offset: int, code: str, message: str) -> None:
        super().__init__(f"{file}: offset {offset}: {message}")
        self.file, self.offset, self.code, self.message = file, offset, code, message

    def __reduce__(self) -> "tuple[type[IntegrityError], tuple[str, int, str, str]]":
        """Let it be raised in another process than the one that found it."""
        return type(self), (self.file, self.offset, self.code, self.message)


class FutureSegmentError(IntegrityError):
    """A segment that a newer linetrail sealed: there is nothing wrong with it, and nobody here can read it."""

    hint = FutureLedgerError.hint


class DamageWarning(UserWarning):
    """A segment was left out of an answer because it is damaged, missing or too new; `error` tells which, and where."""

    def __init__(self, error: IntegrityError) -> None:
        super().__init__(str(error))
        self.error = error


def warn_of(damage: "Iterable[IntegrityError]") -> None:
    """Warn of what an answer is given without, each time: by itself Python says the same from one place once."""
    import warnings  # hooks answer nobody

    for error in damage:
        warnings.warn_explicit(DamageWarning(error), DamageWarning, __file__, 0)


class LockTimeoutError(LinetrailError):
    """Another process holds the ledger and does not let go."""

    hint = "try again; `linetrail doctor` names the holder"


class StorageError(LinetrailError):
    """The disk refused: full, read-only or failing. Nothing was acknowledged."""


class IntentError(LinetrailError):
    """An intent that is unknown, closed, or whose registry cannot be read."""

    exit_status = 1


class GitError(LinetrailError):
    """git is missing or refused."""
