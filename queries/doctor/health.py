"""Check the ledger of a worktree without changing it: readable, writable, unlocked, nothing left over.

Each check takes the repository and yields what it found, good news too.
"""

import contextlib
import os
import stat
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime

from linetrail.ledger.errors import GitError, IntegrityError, LinetrailError, LockTimeoutError
from linetrail.ledger.event.event import from_line
from linetrail.ledger.files import locked, open_file
from linetrail.ledger.log import segments
from linetrail.ledger.log.store import QUARANTINE, SPOOL, TAIL, Ledger
from linetrail.ledger.repository import FOLDER, Repository, head
from linetrail.projections.tables.verification import examine
from linetrail.queries.doctor.finding import ERROR, OK, WARNING, Finding
from linetrail.queries.render.text import counted

FOLD = "linetrail doctor --fix"
# How much of the end of the ledger is searched for the last event of an agent.
RECENT_BYTES = 4 * 1024 * 1024


def check_git(repository: Repository) -> Iterator[Finding]:
    """Ask git for its version; the hook goes on without it, blame and import do not."""
    try:
        done = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        yield Finding("git", ERROR, f"git does not run: {error}", "install git")
        return
    yield Finding("git", OK, done.stdout.strip())
    if repository.git_dir is None:
        yield Finding("repository", ERROR, f"{repository.root} is no git repository", "git init")
    else:
        yield Finding("repository", OK, repository.root)


def check_ledger(repository: Repository) -> Iterator[Finding]:
    """Judge the lines that are new since the last time, and report one that was never finished."""
    if not repository.has_ledger():
        yield Finding("ledger", ERROR, f"no {FOLDER} in {repository.root}", "linetrail init")
        return
    ledger = Ledger(repository)
    try:
        with ledger.extent() as extent:
            events, head = extent.events, extent.head
        problems = examine(repository, brief=True).problems
        if problems:
            raise problems[0].error()
    except LinetrailError as error:
        yield Finding("ledger", ERROR, str(error), error.hint)
        return
    except OSError as error:
        yield Finding("ledger", ERROR, f"cannot read {ledger.path}: {error.strerror}", f"chmod u+rw {ledger.path}")
        return
    tail = f", head {head.digest[:12]}" if head.seq else ""
    yield Finding("ledger", OK, f"{counted(events, 'event')}{tail}" if events else "no event yet")
    torn = (os.path.getsize(ledger.tail_path()) if head.seq else 0) - head.size
    if torn > 0:
        yield Finding("ledger", WARNING, f"the last line is torn ({torn} bytes); the next event moves it aside")


def check_lines(repository: Repository) -> Iterator[Finding]:
    """Count the doubtful and disproved lines of HEAD in files whose answers are cached."""
    from linetrail.projections.survival.stats import held, tree  # most who import this module have no use for it

    now = head(repository)
    if not repository.has_ledger() or now is None or now.revision is None:
        return
    try:
        files = tree(repository, now.revision)
        found = list(held(repository, now.revision, files, None, lambda _: None, remembered=True))
    except LinetrailError:
        return  # the checks of git and of the ledger say why
    answers = [file.answer for file in found if file.answer is not None]
    unasked = sum(file.answer is None and file.left_out is None for file in found)
    doubtful = sum(line.doubtful for answer in answers for line in answer.attributions)
    disproved = sum(answer.disproved for answer in answers)
    also = f", {disproved} whose recorded author git disproved," if disproved else ""
    message = f"{counted(doubtful, 'doubtful line')}{also} in {counted(len(answers), 'file')}"
    if unasked:
        yield Finding("lines", OK, f"{message}, {unasked} not asked about yet", "linetrail stats")
    else:
        yield Finding("lines", OK, message)


def check_lock(repository: Repository) -> Iterator[Finding]:
    """Check that the lock is free: held for long, it keeps every hook waiting."""
    path = os.path.join(repository.folder, TAIL)
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return
    try:
        with locked(fd, 0.2, path):
            yield Finding("lock", OK, "free")
    except LockTimeoutError:
        yield Finding(
            "lock", WARNING, f"{path} is locked by {_holder(os.fstat(fd).st_ino)}", "wait, or end that process"
        )
    finally:
        os.close(fd)


def check_leftovers(repository: Repository) -> Iterator[Finding]:
    """Count what waits in the spool for the next event, and in the quarantine for a person."""
    waiting = _names(repository, SPOOL)
    if waiting:
        readable = sum(_is_spool(os.path.join(repository.folder, SPOOL, name)) for name in waiting)
        message = f"{len(waiting)} batches wait for the next event, {len(waiting) - readable} unreadable"
        yield Finding("spool", WARNING, message, FOLD if readable else None)
    else:
        yield Finding("spool", OK, "empty")
    torn = _names(repository, QUARANTINE)
    if torn:
        folder = os.path.join(FOLDER, QUARANTINE)
        yield Finding(
            "quarantine",
            WARNING,
            f"{counted(len(torn), 'piece')} never acknowledged",
            f"look at {folder}, then empty it",
        )
    else:
        yield Finding("quarantine", OK, "empty")


def check_permissions(repository: Repository) -> Iterator[Finding]:
    """Check that we can write, others cannot read, and git ignores the live tail."""
    folder = repository.folder
    if not os.path.isdir(folder):
        return
    path = os.path.join(folder, TAIL)
    if not os.access(folder, os.W_OK) or (os.path.exists(path) and not os.access(path, os.W_OK)):
        yield Finding(
            "permissions", ERROR, f"{folder} is not writable: hooks cannot record", f"chmod -R u+rwX {folder}"
        )
        return
    if os.path.exists(path) and stat.S_IMODE(os.stat(path).st_mode) & 0o077:
        yield Finding("permissions", WARNING, f"others may read {path}", f"chmod 600 {path}")
    else:
        yield Finding("permissions", OK, "writable by you, private")
    if repository.git_dir is not None and not _ignored(repository, path):
        yield Finding("ignored", WARNING, f"git does not ignore {FOLDER}/{TAIL}", "linetrail init")


def recent(repository: Repository) -> bytes:
    """Return the last lines of the ledger, the first of them perhaps in part: of the tail, and of the last segments."""
    recent = b""
    with contextlib.suppress(OSError), open_file(os.path.join(repository.folder, TAIL)) as file:
        file.seek(max(os.fstat(file.fileno()).st_size - RECENT_BYTES, 0))
        recent = file.read()
    known, _ = segments.read_headers(repository.folder)
    for segment in reversed(segments.ordered(known)):
        if len(recent) >= RECENT_BYTES:
            break
        with contextlib.suppress(IntegrityError):
            recent = segments.whole(segments.path(repository.folder, segment.name)) + recent
    return recent


def ago(moment: datetime) -> str:
    """Say how long ago something was, in its largest unit."""
    seconds = max(0, int((datetime.now(UTC) - moment).total_seconds()))
    for size, unit in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} seconds ago"


def _holder(inode: int) -> str:
    """Name the process that holds the lock of a file, where the system tells (Linux)."""
    with contextlib.suppress(OSError), open("/proc/locks", encoding="ascii") as file:
        for fields in map(str.split, file):
            if fields[1] == "FLOCK" and fields[5].endswith(f":{inode}"):
                return f"process {fields[4]}"
    return "another process"


def _names(repository: Repository, folder: str) -> list[str]:
    try:
        return os.listdir(os.path.join(repository.folder, folder))
    except OSError:
        return []


def _is_spool(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return all(from_line(raw) for raw in file)
    except (OSError, LinetrailError):
        return False


def _ignored(repository: Repository, path: str) -> bool:
    command = ["git", "-C", repository.root, "check-ignore", "--quiet", path]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError as error:
        raise GitError(f"git does not run: {error.strerror}") from None
