"""The program `linetrail`: run a command line, and turn what it raises into a message and an exit status."""

import contextlib
import errno
import gc
import os
import sys
import warnings
from collections.abc import Sequence

from linetrail.ledger.errors import DamageWarning, GoneError, LinetrailError, StorageError, UsageError
from linetrail.queries.command_line import positional, printable, run

# What the scripts of `linetrail completion` ask; nobody types it.
COMPLETE = "__complete"
OK, INTERNAL, INTERRUPTED = 0, 4, 130
# Garbage is looked for after so many new objects: an answer keeps most of what it makes, and to look through all that
# takes up to a fifth of the time. After 10,000, what is dropped meanwhile took 85 MB more.
NEW_OBJECTS = 2_000
_REFUSED_BY_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    _open_streams()
    gc.set_threshold(NEW_OBJECTS)
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == [COMPLETE]:
        from linetrail.queries.completion import main as complete  # for shells alone

        return complete(arguments[1:])
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", DamageWarning)
            status = _run(arguments)
        sys.stdout.flush()
        once = {str(warning.message): warning for warning in caught}  # a command may open the tables twice
        status = max([status, *map(_warn, once.values())])
    except BrokenPipeError:
        # The reader has seen enough (`linetrail log | head`); what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  the boundary: a bug is reported as one, with the way to its traceback
        return _report(error)
    return status


def _run(arguments: Sequence[str]) -> int:
    """Run a command line; a refusal has its status, and is no reason to be silent about damage."""
    try:
        return run(arguments)
    except LinetrailError as error:
        if isinstance(error, UsageError):
            error.hint = error.hint or " ".join(["linetrail help", *positional(arguments)[:1]])
        return _explain(error)


def _open_streams() -> None:
    """Replace a closed stdin, stdout or stderr by /dev/null, as git does, so that no other file gets its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  it stays open to the end


def _explain(error: LinetrailError) -> int:
    with contextlib.suppress(OSError):  # where nobody can be told, the status says it
        print(f"error: {printable(error)}", file=sys.stderr)
        if error.hint:
            print(f"next: {printable(error.hint)}", file=sys.stderr)
    return error.exit_status


def _warn(caught: warnings.WarningMessage) -> int:
    """Print which damage an answer left out, and return the exit status."""
    if isinstance(caught.message, DamageWarning):
        return _explain(caught.message.error)
    warnings.showwarning(caught.message, caught.category, caught.filename, caught.lineno)
    return OK


def _report(error: Exception) -> int:
    if isinstance(error, OSError) and error.errno in _REFUSED_BY_DISK:
        return _explain(StorageError(f"the answer cannot be written: {error.strerror}"))
    if isinstance(error, FileNotFoundError) and _is_gone():
        return _explain(GoneError(f"the folder that you are in was deleted: {os.environ.get('PWD', '.')}"))
    if os.environ.get("LINETRAIL_DEBUG") == "1":
        import traceback  # reads source, which nobody else here needs

        traceback.print_exc()
    else:
        print(f"error: internal: {type(error).__name__}: {printable(error)}", file=sys.stderr)
        print("next: run again with LINETRAIL_DEBUG=1 and report the traceback", file=sys.stderr)
    return INTERNAL


def _is_gone() -> bool:
    """Return whether the working directory was deleted."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False
