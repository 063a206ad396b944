"""Run the commands of acceptance criteria, each bounded in time, and record what they said.

People write them into active_intents.yaml, as they write a Makefile, and they run with the rights of whoever asks:
`linetrail intents check` and `done`, `complete_intent`, `linetrail ci --criteria`. No hook comes here.
"""

import contextlib
import hashlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import IO, NamedTuple, cast

from linetrail.ledger.intents.changes import Author
from linetrail.ledger.intents.criteria import Check, checks
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.redact.redactor import Redactor, private_folder
from linetrail.ledger.repository import Repository
from linetrail.queries.record.author import append, current_author

# Of what a command says, so much is kept to be shown; all of it is hashed.
TAIL = 2000
EXCERPT, MAX_TEXT = 200, 400
# What is left to be read once a command was ended.
DRAIN_SECONDS = 5.0


class Result(NamedTuple):
    """What became of one check; `excerpt` is the end of what the command said, secrets taken out."""

    intent_id: str
    criterion: str
    command: str
    passed: bool
    exit_code: int | None
    timed_out: bool
    duration_ms: int
    output_sha256: str
    excerpt: str

    @property
    def sentence(self) -> str:
        """What happened, in a few words."""
        if self.passed:
            return f"passed in {self.duration_ms / 1000:.1f} s"
        if self.timed_out:
            return f"did not end within {self.duration_ms // 1000} s"
        return f"ended with {self.exit_code}" + (f": {self.excerpt}" if self.excerpt else "")


def run_checks(
    repository: Repository,
    intent: Intent,
    *,
    by: str,
    who: Author | None = None,
    say: Callable[[Result], object] = lambda _: None,
) -> list[Result]:
    """Run the checks of an intent one after another at the root of the worktree, and record each as it ends."""
    who, results = who or current_author(repository), []
    for check in checks(intent):
        result = run_check(repository, intent.id, check)
        _record(repository, result, by, who)
        say(result)
        results.append(result)
    return results


def run_check(repository: Repository, intent_id: str, check: Check, folder: str | None = None) -> Result:
    """Run one check in a folder, else at the root of the worktree, and record nothing."""
    ended = run_bounded(["/bin/sh", "-c", check.run], folder or repository.root, check.seconds)
    redactor = Redactor(private_folder(repository))
    said = " ".join(redactor.cut(ended.tail.decode(errors="replace"), TAIL).split())
    return Result(
        intent_id=intent_id,
        criterion=redactor.cut(check.criterion, MAX_TEXT),
        command=redactor.excerpt(check.run, MAX_TEXT),
        passed=ended.exit_code == 0,
        exit_code=ended.exit_code,
        timed_out=ended.exit_code is None,
        duration_ms=ended.duration_ms,
        output_sha256=f"sha256:{ended.output_sha256}",
        excerpt=said[-EXCERPT:],
    )


class Ended(NamedTuple):
    """How a command ended: without an exit code it was stopped, since its time was over."""

    exit_code: int | None
    duration_ms: int
    output_sha256: str
    tail: bytes


def run_bounded(
    command: Sequence[str], folder: str, seconds: int, *, given: str = os.devnull, without: Collection[str] = ()
) -> Ended:
    """Run a command with a file as its input, for so many seconds at most; what it started ends with it.

    Variables of the environment that are named in `without` are not there.
    """
    begun = time.monotonic()
    with open(given, "rb") as stdin:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={name: value for name, value in os.environ.items() if name not in without},
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    output = _Output(cast("IO[bytes]", process.stdout))
    output.start()
    timed_out = False
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        timed_out = True
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
    output.join(DRAIN_SECONDS)
    duration = int((time.monotonic() - begun) * 1000)
    return Ended(None if timed_out else status, duration, output.digest.hexdigest(), output.tail)


class _Output(threading.Thread):
    """Reads all that a command says, however much: hashes it, and keeps the end."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self.stream, self.digest, self.tail = stream, hashlib.sha256(), b""

    def run(self) -> None:
        with self.stream:
            while part := self.stream.read1(1 << 16):  # type: ignore[attr-defined]  # a buffered pipe
                self.digest.update(part)
                self.tail = (self.tail + part)[-TAIL:]


def _record(repository: Repository, result: Result, by: str, who: Author) -> None:
    told, key = result._asdict() | {"by": by}, ("criterion", result.intent_id, result.criterion)
    append(repository, who, "criterion.checked", told, result.intent_id, key=key)
