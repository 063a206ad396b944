"""`linetrail demo`: a small repository with two weeks of history and the ledger that real hooks wrote meanwhile.

It travels in ``demo.zip`` beside this package, made by `tools/make_demo.py`: git's history as `git fast-export`
text, and under ``worktree/`` the ledger and what is not committed yet. Nothing here needs a network.
"""

import argparse
import contextlib
import io
import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.resources import files

from linetrail.ledger.errors import GitError, LinetrailError, StorageError, UsageError
from linetrail.ledger.extent import Extent
from linetrail.ledger.files import publish
from linetrail.ledger.repository import FOLDER as FOLDER_OF_LEDGER
from linetrail.ledger.repository import find
from linetrail.ledger.store import TAIL, Ledger
from linetrail.projections.tables import Table
from linetrail.queries.cli import main
from linetrail.queries.render import document

FOLDER = "linetrail-demo"
HISTORY, WORKTREE = "history.export", "worktree/"
# What the first minute shows: a line that a person wrote and two sessions of agents changed since.
FILE, LINE = "billing/invoice.py", 30


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `demo`."""
    parser.add_argument("folder", metavar="DIR", nargs="?", default=FOLDER, help=f"where to (default: ./{FOLDER})")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Unpack, then ask the first two questions."""
    folder = os.path.join(args.directory, args.folder)
    unpack(folder)
    if args.json:
        with Ledger(find(folder)).extent() as extent:
            rows = [(os.path.abspath(folder), extent.events, FILE, LINE)]
        print(document(Table(("folder", "events", "file", "line"), rows), {}))
        return 0
    questions = (["blame", FILE], ["why", f"{FILE}:{LINE}"])
    for question in questions:
        print(f"$ linetrail {' '.join(question)}", flush=True)
        status = main(["-C", folder, *question])
        print(flush=True)
        if status:
            return status
    print(
        f"next: cd {shlex.quote(args.folder)}, then `linetrail log`, `linetrail status`, `linetrail sql --list`",
        file=sys.stderr,
    )
    return 0


def unpack(folder: str) -> None:
    """Make the repository in a new or empty folder; where that fails, leave nothing behind.

    One that was unpacked before is left as it is, with whatever was done in it since.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(_bundled())) as bundle:
            if _is_unpacked(folder, bundle.read(f"{WORKTREE}{FOLDER_OF_LEDGER}/{TAIL}")):
                return
            if os.path.lexists(folder) and not (os.path.isdir(folder) and not os.listdir(folder)):
                raise UsageError(f"{folder} is there already and is not an empty folder")
            with _undone_on_failure(folder):
                _make_repository(folder, bundle.read(HISTORY))
                for name in bundle.namelist():
                    if name.startswith(WORKTREE):
                        path = os.path.join(folder, *name.removeprefix(WORKTREE).split("/"))
                        publish(path, bundle.read(name), durable=False)
    except OSError as error:
        raise StorageError(f"cannot write {error.filename or folder}: {error.strerror}") from error


def _bundled() -> bytes:
    return files("linetrail.queries").joinpath("demo.zip").read_bytes()


def _is_unpacked(folder: str, ledger: bytes) -> bool:
    """Tell whether this folder is an earlier demo: the bundled one is in its ledger."""
    last = ledger.splitlines(keepends=True)[-1]  # by the chain, it stands for those before it
    place = os.path.join(folder, FOLDER_OF_LEDGER)
    try:
        with Extent(place, os.path.join(place, TAIL)) as extent:
            return any(line.raw == last for run in extent.runs for line in extent.read(run))
    except (OSError, LinetrailError):
        return False


def _make_repository(folder: str, history: bytes) -> None:
    """Import the history; line ends stay as they are whatever git's settings on this machine say."""
    os.makedirs(folder, exist_ok=True)
    _git(folder, "init", "--quiet", "--template=")
    _git(folder, "symbolic-ref", "HEAD", "refs/heads/main")
    _git(folder, "config", "core.autocrlf", "false")
    _git(folder, "fast-import", "--quiet", stdin=history)
    _git(folder, "reset", "--quiet", "--hard")


def _git(folder: str, *arguments: str, stdin: bytes = b"") -> None:
    """Run git in this folder, not in the repository that a surrounding git command may have told us about."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    command = ["git", "-C", folder, *arguments]
    try:
        subprocess.run(command, input=stdin, env=environment, check=True, capture_output=True)
    except FileNotFoundError:
        raise GitError("git is not installed, or not on the PATH") from None
    except subprocess.CalledProcessError as error:
        raise GitError(f"git {arguments[0]} failed: {error.stderr.decode(errors='replace').strip()}") from None


@contextlib.contextmanager
def _undone_on_failure(folder: str) -> Iterator[None]:
    """Remove a half-made folder, the whole of which is ours."""
    try:
        yield
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
