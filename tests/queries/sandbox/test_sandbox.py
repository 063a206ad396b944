"""The process that answers anybody's SQL reaches nothing, uses little, and ends when nobody waits."""

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from linetrail.ledger.errors import LinetrailError, UsageError
from linetrail.ledger.files import SETTLED_NS
from linetrail.ledger.repository import find
from linetrail.projections.tables.partitions import Parts
from linetrail.queries.sandbox import sandbox, worker
from linetrail.queries.sandbox.limits import MEMORY
from linetrail.queries.sandbox.sandbox import supervised
from tests.conftest import Repo
from tests.queries.hostile import BOMBS, HARMLESS, REACHING, WITHOUT_EFFECT
from tests.story import Story

pytestmark = pytest.mark.in_turn


@pytest.fixture(scope="module")
def repo(tmp_path_factory):
    return Repo(tmp_path_factory.mktemp("asked") / "project")


@pytest.fixture(scope="module")
def ledger(repo):
    """Tell it once and have all tables made: no query may change anything of it."""
    folder = repo.start_ledger()
    story = Story()
    story.tell("session.started", {"source": "startup"})
    story.tell("mutation.observed", intent="INT-1", edits={"a.py": "one\ntwo\n"})
    story.written(repo.path)
    time.sleep(2 * SETTLED_NS / 1e9)  # a file that changed so lately is not remembered as it is
    sandbox.ask(find(str(repo.path)), "select count(*) from duckdb_views()")
    return folder


@pytest.fixture(scope="module")
def part(repo, ledger):
    return Parts(find(str(repo.path))).current()[0]


@pytest.fixture
def filled(tmp_path, ledger, part):
    """Return a function that puts this repository's files into a statement."""
    secret = tmp_path / "secret"
    secret.write_text("select 'the secret'\n")
    places = {
        "out": tmp_path / "out",
        "secret": secret,
        "ledger": ledger / "agent_trace.jsonl",
        "part": part.file("events"),
    }
    return lambda sql: sql.format(**places)


@pytest.fixture
def told(part):
    """Return a function that asks a locked database of this process, as the other process asks its own."""
    everything = {"folders": [str(part.folder)], "computed": {}, "sql": "show tables", "max_rows": 10}

    def ask(sql, parameters=None):
        try:
            sandbox.refuse_unreadable(sql)
        except UsageError as error:
            return {"refused": str(error)}
        request = everything | {"sql": sql, "parameters": parameters or {}}
        return json.loads(b"".join(worker.reply_to(connection, request)))

    with worker.locked(everything) as connection:
        yield ask


def contents(folder):
    return {path: hashlib.sha256(path.read_bytes()).digest() for path in folder.rglob("*") if path.is_file()}


def of_each_kind(statements):
    return list({each.kind: each for each in reversed(statements)}.values())


named = {"ids": lambda each: " ".join(each.kind.split() + each.sql[:30].split()).encode("ascii", "replace").decode()}


@pytest.mark.daily(1)
@pytest.mark.promise("S1")
@pytest.mark.parametrize("kind", dict.fromkeys(each.kind for each in REACHING))
def test_a_query_reaches_nothing_but_the_tables(kind, told, filled, ledger, tmp_path):
    before = contents(ledger)

    replies = {each.sql: told(filled(each.sql), each.parameters) for each in REACHING if each.kind == kind}

    assert {sql: reply for sql, reply in replies.items() if list(reply) != ["refused"]} == {}
    assert "the secret" not in json.dumps(replies)
    assert not list(tmp_path.glob("out*"))
    assert contents(ledger) == before


@pytest.mark.slow
def test_what_may_be_asked_changes_nothing(told, filled, ledger, tmp_path):
    before = contents(ledger)

    for sql in HARMLESS:
        told(filled(sql))

    assert contents(ledger) == before
    assert not list(tmp_path.glob("out*"))


@pytest.mark.daily(1)
@pytest.mark.promise("S1")
@pytest.mark.parametrize("hostile", of_each_kind(REACHING), **named)
def test_the_process_refuses_what_reaches_out(hostile, repo, filled):
    with pytest.raises(UsageError):
        sandbox.ask(find(str(repo.path)), filled(hostile.sql), hostile.parameters)


@pytest.mark.daily(1)
@pytest.mark.promise("S1")
@pytest.mark.parametrize("hostile", WITHOUT_EFFECT, **named)
def test_what_is_not_refused_everywhere_has_no_effect_anywhere(hostile, repo, filled, ledger, tmp_path):
    before = contents(ledger)

    with contextlib.suppress(LinetrailError):
        sandbox.ask(find(str(repo.path)), filled(hostile.sql))

    assert contents(ledger) == before
    assert not list(tmp_path.glob("out*"))


@pytest.mark.slow
@pytest.mark.promise("S2")
@pytest.mark.usefixtures("ledger")
@pytest.mark.parametrize("hostile", of_each_kind(BOMBS), **named)
def test_a_query_that_wants_too_much_is_stopped(hostile, repo):
    with pytest.raises((sandbox.StoppedError, UsageError)):
        sandbox.ask(find(str(repo.path)), hostile.sql, hostile.parameters, seconds=3)


@pytest.mark.soak
@pytest.mark.usefixtures("ledger")
@pytest.mark.parametrize("hostile", BOMBS, **named)
def test_whatever_wants_too_much_is_stopped(hostile, repo):
    with pytest.raises((sandbox.StoppedError, UsageError)):
        sandbox.ask(find(str(repo.path)), hostile.sql, hostile.parameters)


def python(program, *, request=b"", seconds=20.0, most_bytes=1_000, environment=None):
    return supervised(
        [sys.executable, "-c", program], request, seconds=seconds, most_bytes=most_bytes, environment=environment or {}
    )


def test_a_process_says_one_thing_and_knows_no_variable_of_ours(monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hush")
    program = "import os, sys; print(sys.stdin.readline(), sorted(os.environ), os.getcwd())"

    ended = python(program, request=b"asked\n", environment={"ONE": "1", "LC_ALL": "C"})

    assert ended.output.decode().split("\n ")[0] == "asked"
    assert "AWS_SECRET_ACCESS_KEY" not in ended.output.decode()
    assert "'ONE'" in ended.output.decode()
    assert ended.output.decode().endswith(f"{os.sep}\n")
    assert (ended.status, ended.late) == (0, False)


def test_a_process_that_takes_too_long_is_killed():
    ended = python("import time; time.sleep(60)", seconds=0.3)

    assert (ended.status, ended.late) == (-signal.SIGKILL, True)


def test_a_process_that_closes_its_output_and_stays_is_killed():
    assert python("import os, time; os.close(1); time.sleep(60)", seconds=0.5).late


def test_a_process_that_says_too_much_is_killed():
    ended = python("import itertools; [print('x' * 1000) for _ in itertools.count()]")

    assert (len(ended.output), ended.status) == (1_001, -signal.SIGKILL)


def test_a_process_that_hears_nothing_is_killed():
    assert python("import time; time.sleep(60)", request=b"x" * 1_000_000, seconds=0.5).late


def gone(pid):
    """Wait until a process is no more, or a zombie that nobody has buried."""
    for _ in range(200):
        try:
            status = Path(f"/proc/{pid}/stat").read_text()
        except FileNotFoundError:
            return True
        if status.rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.05)
    return False


@pytest.mark.slow
@pytest.mark.promise("S2")
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for a process in /proc")
@pytest.mark.usefixtures("ledger")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nobody_is_left_when_the_command_is_interrupted(repo, sent):
    command = [sys.executable, "-m", "linetrail.queries.cli", "sql", "select sleep_ms(60000)"]
    program = "import sys; from linetrail.queries.cli import main; sys.exit(main(sys.argv[1:]))"
    with subprocess.Popen(
        [sys.executable, "-c", program, *command[3:]], cwd=repo.path, stderr=subprocess.PIPE
    ) as asking:
        children = Path(f"/proc/{asking.pid}/task/{asking.pid}/children")
        answering = ""
        while not answering and asking.poll() is None:
            answering = children.read_text().strip()
        asking.send_signal(sent)
        asking.wait(30)

    assert gone(answering)
    assert asking.returncode == (130 if sent == signal.SIGINT else -sent)


def confined(program, folder=None):
    return subprocess.run(
        [sys.executable, "-c", f"from linetrail.queries.sandbox.worker import confine; confine(1.0); {program}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.daily(4)
@pytest.mark.promise("S2")
@pytest.mark.parametrize(
    ("program", "said"),
    [
        pytest.param(
            "import os; os.write(os.open('file', os.O_CREAT | os.O_WRONLY), b'x')", "File too large", id="write"
        ),
        pytest.param(f"bytearray({MEMORY})", "MemoryError", id="take memory"),
    ],
)
def test_the_process_cannot_do_what_no_answer_needs(program, said, tmp_path):
    assert said in confined(program, tmp_path).stderr


def test_the_limits_of_the_process_hold_for_good():
    program = (
        "import json, resource as r; print([r.getrlimit(x) for x in (r.RLIMIT_CORE, r.RLIMIT_FSIZE, r.RLIMIT_NPROC)])"
    )

    assert confined(program).stdout == "[(0, 0), (0, 0), (0, 0)]\n"


def test_the_process_ends_by_itself_when_its_time_is_over():
    assert confined("import time; time.sleep(60)").returncode == -signal.SIGALRM


def test_what_the_engine_prints_is_no_part_of_the_reply():
    program = "import os; from linetrail.queries.sandbox import worker; out = worker.alone(); os.write(1, b'noise')"
    command = [sys.executable, "-c", f"{program}; os.write(out, b'reply')"]

    assert subprocess.run(command, capture_output=True, check=True).stdout == b"reply"
