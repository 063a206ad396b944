"""What every test may ask for: a real git repository, the installed commands, a home folder nobody may touch.

Commands run as the processes a person or an agent would start; `cli` runs the same command line inside the
test's own process where start-up time would be all one measures.
"""

import contextlib
import functools
import gc
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any, NamedTuple

import pytest
from hypothesis import settings

from linetrail.ledger.agents import SHELL_VARIABLES
from linetrail.ledger.event.event import Event, from_line
from linetrail.ledger.hook.loop import handle
from linetrail.ledger.log import segments
from linetrail.queries.cli import main
from tests.examples import DAILY
from tests.forks import PATIENT_SECONDS, Request, Server, be_patient, wait_for_no_disk

pytest_plugins = ["pytester", "tests.gated", "tests.promises", "tests.speaking", "tests.tiers"]

ROOT = Path(__file__).resolve().parent.parent
REAL_HOME = os.path.realpath(Path.home())
# 2026-01-05T09:00:00Z; each commit is one minute after the one before.
FIRST_COMMIT = 1_767_603_600
# What is written here is soon thrown away: no git tidies it up, or waits until a disk has it.
GIT_SETTINGS = "[maintenance]\n\tauto = false\n[gc]\n\tauto = 0\n[core]\n\tfsync = none\n"
WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
WATCHED_CALLS = frozenset(
    {"open", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.link", "os.symlink", "os.chmod"}
)
FOLDERS = itertools.count()

settings.load_profile(DAILY)

Payload = Mapping[str, Any] | bytes
Completed = subprocess.CompletedProcess[str]


class ATestWroteInTheRealHomeFolder(BaseException):
    """Give the code under test a path below `tmp_path` instead. Not an Exception: no boundary may swallow it."""


class Answer(NamedTuple):
    """What a command line run inside this process ended with."""

    status: int
    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of a `--json` answer."""
        rows: list[dict[str, Any]] = json.loads(self.out)["rows"]
        return rows


class Repo:
    """A git repository in a temporary folder, with a pinned author and a clock that only commits move."""

    def __init__(self, path: Path) -> None:
        """Make the folder and the repository in it."""
        self.path = path
        self.now = FIRST_COMMIT
        path.mkdir()
        for name, content in _new_repository():
            if content is None:
                os.mkdir(path / name)
            else:
                (path / name).write_bytes(content)

    def git(self, *args: str, stdin: str | None = None) -> str:
        """Run git here and return what it printed, without the last newline."""
        date = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{self.now} +0000")
        done = subprocess.run(
            ["git", *args],
            cwd=self.path,
            env=os.environ | date,
            input=stdin,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.removesuffix("\n")

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file, and the folders above it, and return where it is."""
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def commit(self, message: str = "change", files: Mapping[str, str | bytes] | None = None) -> str:
        """Write these files, commit everything there is, and return the revision."""
        for path, content in (files or {}).items():
            self.write(path, content)
        self.now += 60
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.head()

    def head(self) -> str:
        """Return the revision of HEAD: where it stands in a file, without a process."""
        with contextlib.suppress(OSError):
            reference = (self.path / ".git" / "HEAD").read_text().strip()
            return (self.path / ".git" / reference.removeprefix("ref: ")).read_text().strip()
        return self.git("rev-parse", "HEAD")

    def start_ledger(self) -> Path:
        """Make the folder whose presence turns the hooks on, and return it."""
        folder = self.path / ".orchestration"
        folder.mkdir(exist_ok=True)
        return folder

    def lines(self) -> list[bytes]:
        """Return the lines of the ledger as they are on disk, sealed or not; none when it was never written."""
        folder = self.path / ".orchestration"
        order = segments.ordered(segments.read_headers(str(folder))[0])
        files = [Path(segments.path(str(folder), segment.name)) for segment in order]
        sealed = [line for file in files for line in file.read_bytes().splitlines(keepends=True)[1:]]
        tail = folder / "agent_trace.jsonl"
        return sealed + (tail.read_bytes().splitlines(keepends=True) if tail.exists() else [])

    def events(self, *types: str) -> list[Event]:
        """Return the events of these types, or all of them, in the order of the ledger."""
        return [event for event in map(from_line, self.lines()) if not types or event.type in types]


@functools.cache
def _new_repository() -> list[tuple[str, bytes | None]]:
    """Return what git makes of an empty folder, but for its samples of hooks: each path, and what is in it."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "--quiet", "--initial-branch=main", folder], check=True)
        paths = sorted(path for path in Path(folder).rglob("*") if path.suffix != ".sample")
        return [(str(path.relative_to(folder)), path.read_bytes() if path.is_file() else None) for path in paths]


class ClaudeCode:
    """A session of Claude Code: each step runs the pre hook, does what the tool does, and runs the post hook.

    The hooks run in this process, through the function that the command itself calls.
    """

    def __init__(self, repo: Repo, session_id: str, model: str | None) -> None:
        """Start the session."""
        self.repo = repo
        self.session_id = session_id
        self.calls = 0
        if model is not None:
            self.send("SessionStart", source="startup", model=model)

    def send(self, event: str, **fields: Any) -> dict[str, Any]:
        """Hand one payload to the hook, and return what it answered; nothing where it was silent."""
        payload = {"session_id": self.session_id, "cwd": str(self.repo.path), "hook_event_name": event} | fields
        text = json.dumps(payload).encode()
        said = handle("claude-code", text, event=None, cwd=str(self.repo.path), now=time.time_ns)
        told: dict[str, Any] = json.loads(said.stdout)["hookSpecificOutput"] if said.stdout else {}
        assert told.pop("hookEventName", event) == event
        return told

    def prompt(self, text: str) -> None:
        """Say something to the agent."""
        self.send("UserPromptSubmit", prompt=text)

    def write(self, path: str, content: str, **response: Any) -> None:
        """Write a whole file with the Write tool."""
        with self.tool("Write", {"file_path": str(self.repo.path / path), "content": content}, response):
            self.repo.write(path, content)

    def edit(self, path: str, old: str, new: str, **response: Any) -> None:
        """Replace the one place where `old` stands, with the Edit tool."""
        file = self.repo.path / path
        given = {"file_path": str(file), "old_string": old, "new_string": new}
        with self.tool("Edit", given, response):
            content = file.read_bytes()
            assert content.count(old.encode()) == 1, f"{old!r} must stand in {path} once"
            file.write_bytes(content.replace(old.encode(), new.encode()))

    def bash(self, command: str) -> None:
        """Run a command in the repository with the Bash tool."""
        with self.tool("Bash", {"command": command}, {"stdout": "", "stderr": "", "interrupted": False}):
            subprocess.run(command, shell=True, cwd=self.repo.path, check=True, capture_output=True)

    @contextlib.contextmanager
    def tool(self, name: str, given: Mapping[str, Any], response: Mapping[str, Any]) -> Iterator[None]:
        """Run both hooks around what the block does."""
        self.calls += 1
        call = {"tool_name": name, "tool_input": given, "tool_use_id": f"toolu_{self.session_id}_{self.calls}"}
        self.send("PreToolUse", **call)
        yield
        self.send("PostToolUse", **call, tool_response=response)


@pytest.fixture
def agent(repo: Repo) -> Callable[..., ClaudeCode]:
    """Return a function that starts a session of an agent in the repository, whose ledger it makes."""
    repo.start_ledger()

    def start(session_id: str = "session-1", model: str | None = "claude-model-x") -> ClaudeCode:
        return ClaudeCode(repo, session_id, model)

    return start


def pytest_configure() -> None:
    """Be patient, and hear Ctrl-C, as what is started here does: a shell turns it off for what it puts aside."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if "MUTANTS_ONE" not in os.environ:  # a mutant is compiled for itself alone
        _keep_bytecode()
    be_patient()
    wait_for_no_disk()
    gc.disable()  # what is collected stays


def _keep_bytecode() -> None:
    """Compile each file once, whatever the environment says, and not in each of the processes that are started."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="accept the answers of today in tests/cases")
    parser.addoption("--processes", action="store_true", help="start each command as a process of its own")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what starts no command where that is what is tried."""
    if config.getoption("--processes"):
        items[:] = [item for item in items if "process" in getattr(item, "fixturenames", ())]


def pytest_collection_finish() -> None:
    """Search no more for garbage in what was collected: each of these many objects stays."""
    gc.freeze()
    gc.enable()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Return a function that compares a text with the file of what must come out; with the option it writes it."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--update-golden"):
            path.write_text(text, encoding="utf-8", newline="\n")
        assert path.read_text(encoding="utf-8") == text, "if this is right, accept it: pytest --update-golden"

    return compare


@pytest.fixture(autouse=True, scope="session")
def _surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Point everything that follows the environment at an empty home folder, and pin what git would look up."""
    settings_of_git = tmp_path_factory.mktemp("git") / "config"
    settings_of_git.write_text(GIT_SETTINGS)
    told = ("GIT_", "LINETRAIL_", "CLAUDE_", "CODEX_", "COPILOT_", "XDG_")
    pinned = {
        "HOME": str(tmp_path_factory.mktemp("home")),
        "GIT_CONFIG_GLOBAL": str(settings_of_git),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Author",
        "GIT_AUTHOR_EMAIL": "author@example.org",
        "GIT_COMMITTER_NAME": "Author",
        "GIT_COMMITTER_EMAIL": "author@example.org",
        "GIT_TERMINAL_PROMPT": "0",
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "100",
    }
    with pytest.MonkeyPatch.context() as environment:
        for name in [name for name in os.environ if name.startswith(told) or name in SHELL_VARIABLES]:
            if name != "LINETRAIL_SHARED":
                environment.delenv(name)
        for name, value in pinned.items():
            environment.setenv(name, value)
        yield


@pytest.fixture(autouse=True)
def _empty_home(_surroundings: None) -> Iterator[None]:
    """Remove what a test left in the home folder that all share: each begins with an empty one."""
    shared = os.environ["HOME"]
    yield
    if os.listdir(shared):
        shutil.rmtree(shared, ignore_errors=True)  # a process may still be at it
        os.makedirs(shared, exist_ok=True)


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of the test's own; pytest's fixture looks through those of all tests before to number it."""
    name = re.sub(r"\W", "_", request.node.name)[:26]
    folder = tmp_path_factory.getbasetemp() / f"{name}{next(FOLDERS)}"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home folder of the test's own, which everything that follows the environment takes for the real one."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture(autouse=True, scope="session")
def _real_home_is_forbidden(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Raise where a test changes a file of the real home folder, outside of the checkout, pytest's and Python's own."""
    allowed = tuple(
        os.path.realpath(path) for path in (ROOT, tmp_path_factory.getbasetemp(), sys.prefix, sys.base_prefix)
    )
    guarding = [True]

    def watch(event: str, args: tuple[Any, ...]) -> None:
        if event not in WATCHED_CALLS or not guarding[0] or not _changes_a_file(event, args):
            return
        path = os.path.abspath(os.fsdecode(args[0]))
        if path.startswith(REAL_HOME + os.sep) and not path.startswith(allowed):
            raise ATestWroteInTheRealHomeFolder(path)

    sys.addaudithook(watch)
    yield
    guarding[0] = False


def _changes_a_file(event: str, args: tuple[Any, ...]) -> bool:
    if event == "open" and not (isinstance(args[2], int) and args[2] & WRITE_FLAGS):
        return False
    return isinstance(args[0], str | bytes | os.PathLike)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """Return a git repository without a commit and without a ledger."""
    return Repo(tmp_path / "project")


@pytest.fixture(scope="session")
def server() -> Iterator[Callable[[str], Server]]:
    """Return a function that returns the server of a command, which is started when it is first asked for."""
    with contextlib.ExitStack() as stack:
        yield functools.cache(lambda name: stack.enter_context(contextlib.closing(Server(name))))


@pytest.fixture
def process(request: pytest.FixtureRequest, server: Callable[[str], Server]) -> Callable[..., Completed]:
    """Return a function that runs an installed command to its end; it forks where that proves the same."""
    starts = request.config.getoption("--processes")

    def run(
        argv: list[str],
        cwd: Path,
        stdin: bytes,
        env: Mapping[str, str] | None,
        seconds: float = PATIENT_SECONDS,
    ) -> Completed:
        whole = os.environ | (env or {})
        if starts or any(name.startswith("PYTHON") for name in env or ()) or current_thread() is not main_thread():
            done = subprocess.run(
                argv, cwd=cwd, env=whole, input=stdin, capture_output=True, check=False, timeout=PATIENT_SECONDS
            )
        else:
            asked = Request(argv, os.fspath(cwd), whole, seconds)
            done = server(Path(argv[0]).name).run(asked, stdin=stdin, timeout=PATIENT_SECONDS)
        return subprocess.CompletedProcess(argv, done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def hook(repo: Repo, process: Callable[..., Completed]) -> Callable[..., Completed]:
    """Return a function that hands one payload to the installed `linetrail-hook`, as an agent does."""

    def run(
        payload: Payload,
        agent: str = "claude-code",
        *,
        options: tuple[str, ...] = (),
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        seconds: float = PATIENT_SECONDS,
    ) -> Completed:
        told = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        return process([command("linetrail-hook"), agent, *options], cwd or repo.path, told, env, seconds)

    return run


@pytest.fixture
def linetrail(repo: Repo, process: Callable[..., Completed]) -> Callable[..., Completed]:
    """Return a function that runs the installed `linetrail` as a process, in the repository unless told otherwise."""

    def run(
        *args: str, cwd: Path | None = None, stdin: str | None = "", env: Mapping[str, str] | None = None
    ) -> Completed:
        return process([command("linetrail"), *args], cwd or repo.path, (stdin or "").encode(), env)

    return run


@pytest.fixture
def cli(repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Return a function that runs a command line in this process, in the repository unless told otherwise."""

    def run(*args: str, cwd: Path | None = None) -> Answer:
        monkeypatch.chdir(cwd or repo.path)
        capsys.readouterr()
        try:
            status = main(args)
        except SystemExit as stop:  # argparse ends the process itself on a bad flag and after --help
            status = int(stop.code or 0)
        return Answer(status, *capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of fixtures and corpora kept beside the checkout; skip where there is none."""
    folder = Path(os.environ.get("LINETRAIL_SHARED") or ROOT.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"needs the shared fixtures: set LINETRAIL_SHARED, {folder} does not exist")
    return folder.resolve()


def command(name: str) -> str:
    """Return the installed command of the environment that runs the tests."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        pytest.fail(f"{name} is not installed here: pip install -e '.[test]'")
    return found
