"""The ledger on disk: what is acknowledged stays, whatever happens around it."""

import contextlib
import json
import multiprocessing
import os
import subprocess
import sys

import pytest

from linetrail.ledger.errors import (
    EventError,
    FutureLedgerError,
    IntegrityError,
    StorageError,
)
from linetrail.ledger.event.event import Event, line_digest, new_id, rfc3339, to_line
from linetrail.ledger.log.store import ALREADY, APPENDED, SPOOLED, START, Head, Ledger
from linetrail.ledger.log.tail import hold
from linetrail.ledger.repository import Repository

NOW = 1_760_000_000_000_000_000


@pytest.fixture
def ledger(tmp_path):
    return Ledger(Repository(str(tmp_path), None, None), lock_seconds=1)


def event(text="hello", event_id=None):
    return Event(
        event_id or new_id(NOW), rfc3339(NOW), "agent.signalled", "s", None, "unknown", None, None, {"signal": text}
    )


def texts(ledger, start=START):
    with ledger.extent() as extent:
        return [line.event.data.get("signal") for line in extent.read_tail(start)]


def test_events_come_back_in_order_with_gapless_numbers(ledger):
    ledger.append([event("a"), event("b")])
    receipts = ledger.append([event("c")])

    assert texts(ledger) == ["a", "b", "c"]
    assert [line.event.seq for line in ledger.read()] == [1, 2, 3]
    assert (receipts[0].outcome, receipts[0].seq) == (APPENDED, 3)


def test_head_is_where_reading_goes_on(ledger):
    ledger.append([event("a")])
    head = ledger.head()
    ledger.append([event("b")])

    assert texts(ledger, head) == ["b"]
    assert ledger.head().seq == 2


def test_a_ledger_that_was_never_written_is_empty(ledger):
    assert ledger.head() == START
    assert texts(ledger) == []


def test_files_are_for_their_owner_alone(ledger):
    ledger.append([event()])

    assert os.stat(ledger.path).st_mode & 0o077 == 0
    assert os.stat(ledger.folder).st_mode & 0o077 == 0


@pytest.mark.promise("A2", "R1", "R3")
@pytest.mark.parametrize(
    "tail",
    [
        pytest.param(b'{"v":1,"id":"01', id="half a line"),
        pytest.param(b"{}", id="whole object, newline never written"),
        pytest.param(b"\0" * 300, id="a hole of NULs"),
        pytest.param(b"x" * 70_000, id="more than a line may have"),
    ],
)
def test_a_torn_tail_is_moved_aside_and_not_lost(ledger, tail):
    ledger.append([event("a")])
    with open(ledger.path, "ab") as file:
        file.write(tail)

    assert texts(ledger) == ["a"]
    ledger.append([event("b")])

    repaired = next(line.event for line in ledger.read() if line.event.type == "ledger.repaired")
    with open(os.path.join(ledger.folder, repaired.data["quarantined"]), "rb") as file:
        assert file.read() == tail
    assert texts(ledger) == ["a", None, "b"]


@pytest.mark.promise("A2")
def test_the_tail_may_be_torn_at_every_byte(ledger):
    ledger.append([event("a")])
    whole = to_line(event("b"), 2, ledger.head().digest)
    with open(ledger.path, "rb") as file:
        before = file.read()

    for cut in range(1, len(whole)):
        with open(ledger.path, "wb") as file:
            file.write(before + whole[:cut])
        ledger.append([event("c")])
        assert texts(ledger) == ["a", None, "c"]


@pytest.mark.promise("R2")
@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda lines: [lines[0], lines[2]], id="a line taken out"),
        pytest.param(lambda lines: [lines[0], lines[2], lines[1]], id="lines swapped"),
        pytest.param(lambda lines: [lines[0], lines[1], lines[1], lines[2]], id="a line doubled"),
        pytest.param(lambda lines: [lines[0], lines[1].replace(b"b", b"B", 1), lines[2]], id="a byte changed"),
        pytest.param(lambda lines: [lines[0], b"garbage\n", lines[2]], id="no JSON"),
        pytest.param(lambda lines: [lines[0], b"\n", lines[1], lines[2]], id="a blank line"),
    ],
)
def test_damage_in_the_middle_stops_with_file_and_offset(ledger, damage):
    ledger.append([event("a"), event("b"), event("c")])
    lines = [line.raw for line in ledger.read()]
    with open(ledger.path, "wb") as file:
        file.writelines(damage(lines))

    with pytest.raises(IntegrityError, match=r"agent_trace\.jsonl: offset \d+"):
        list(ledger.read())


@pytest.mark.promise("I1")
def test_a_retry_with_the_same_content_is_reported_and_not_repeated(ledger):
    first = event("a")
    ledger.append([first])

    receipts = ledger.append([first, event("b")])

    assert [receipt.outcome for receipt in receipts] == [ALREADY, APPENDED]
    assert receipts[0].seq == 1
    assert texts(ledger) == ["a", "b"]


@pytest.mark.promise("I2")
def test_an_id_with_other_content_is_refused_and_nothing_is_written(ledger):
    ledger.append([event("a", "01999999-0000-7000-8000-000000000000")])

    with pytest.raises(EventError, match="with other content"):
        ledger.append([event("x"), event("b", "01999999-0000-7000-8000-000000000000")])

    assert texts(ledger) == ["a"]


def test_a_line_that_is_too_long_is_refused_and_nothing_is_written(ledger):
    with pytest.raises(EventError, match="65536 are allowed"):
        ledger.append([event("a"), event("x" * 66_000)])

    assert texts(ledger) == []


def test_a_ledger_of_a_newer_linetrail_is_not_touched(ledger):
    ledger.append([event("a")])
    with open(ledger.path, "rb") as file:
        record = json.loads(file.read())
    future = json.dumps(record | {"v": 99}).encode() + b"\n"
    with open(ledger.path, "wb") as file:
        file.write(future)

    with pytest.raises(FutureLedgerError, match="version 99 is newer"):
        ledger.append([event("b")])
    with pytest.raises(FutureLedgerError):
        texts(ledger)

    with open(ledger.path, "rb") as file:
        assert file.read() == future


@pytest.mark.promise("C2")
def test_a_held_lock_sends_the_event_to_the_spool_and_the_next_append_folds_it_in(ledger):
    ledger.append([event("a")])
    with lock_holder(ledger) as holder:
        receipts = ledger.append([event("b")])
        holder.communicate(b"\n")
    ledger.append([event("c")])

    assert receipts[0].outcome == SPOOLED
    assert texts(ledger) == ["a", "b", "c"]
    assert os.listdir(os.path.join(ledger.folder, "spool")) == []


@pytest.mark.promise("C2")
def test_a_killed_holder_does_not_keep_the_lock(ledger):
    ledger.append([event("a")])
    with lock_holder(ledger) as holder:
        holder.kill()

    assert ledger.append([event("b")])[0].outcome == APPENDED


def test_a_spool_file_that_cannot_be_read_stays_and_is_in_nobody_s_way(ledger):
    ledger.spool([event("a")])
    folder = os.path.join(ledger.folder, "spool")
    with open(os.path.join(folder, "0.jsonl"), "wb") as file:
        file.write(b"garbage\n")

    ledger.append([event("b")])

    assert texts(ledger) == ["a", "b"]
    assert os.listdir(folder) == ["0.jsonl"]


def test_a_spool_file_folded_in_before_a_crash_is_not_folded_in_again(ledger):
    waiting = event("a")
    ledger.append([waiting])
    ledger.spool([waiting])

    ledger.append([event("b")])

    assert texts(ledger) == ["a", "b"]


@pytest.mark.promise("A4")
def test_a_full_disk_is_an_error_and_leaves_the_file_as_it_was(ledger):
    ledger.append([event("a")])
    size = os.path.getsize(ledger.path)
    code = FULL_DISK.format(root=os.path.dirname(ledger.folder), limit=size + 100)

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert "cannot write" in done.stdout
    assert os.path.getsize(ledger.path) == size
    assert texts(ledger) == ["a"]


def test_a_tail_whose_place_cannot_be_taken_says_so_and_leaves_no_file(ledger):
    ledger.append([event("a")])

    with hold(ledger.path, None, 1.0) as (held, _):
        os.unlink(ledger.path)
        os.mkdir(ledger.path)
        with pytest.raises(OSError, match="directory"):
            held.replace(b"lost")

    assert not os.listdir(os.path.join(ledger.folder, "state"))


def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path):
    (tmp_path / ".orchestration").write_text("in the way")

    with pytest.raises(StorageError, match="cannot write"):
        Ledger(Repository(str(tmp_path), None, None)).append([event()])


def test_a_ledger_behind_a_symbolic_link_is_refused(ledger, tmp_path):
    os.mkdir(ledger.folder)
    (tmp_path / "elsewhere").write_bytes(b"")
    os.symlink(tmp_path / "elsewhere", ledger.path)

    with pytest.raises(StorageError):
        ledger.append([event()])


@pytest.mark.promise("O2")
def test_a_clock_that_goes_backwards_changes_no_order(ledger):
    later = event("a")._replace(timestamp=rfc3339(NOW + 10**18))
    ledger.append([later])
    ledger.append([event("b")])

    assert texts(ledger) == ["a", "b"]


@pytest.mark.slow
def test_sixteen_processes_lose_nothing(ledger):
    context = multiprocessing.get_context("spawn")
    root = os.path.dirname(ledger.folder)
    writers = [context.Process(target=write_many, args=(root, n, 25)) for n in range(16)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    lines = list(ledger.read())

    assert [writer.exitcode for writer in writers] == [0] * 16
    assert [line.event.seq for line in lines] == list(range(1, 401))
    assert {line.event.data["signal"] for line in lines} == {f"{n}.{at}" for n in range(16) for at in range(25)}


@pytest.mark.promise("D1")
def test_what_was_acknowledged_survives_a_kill_at_any_moment(ledger):
    root = os.path.dirname(ledger.folder)
    acknowledged = []
    for pause in range(1, 9):
        command = [sys.executable, "-c", WRITE_AND_TELL, root, str(pause)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            acknowledged += [writer.stdout.readline() for _ in range(pause)]
            writer.kill()
            acknowledged += writer.stdout.readlines()
    ledger.append([event("last")])

    stored = texts(ledger)

    assert {line.decode().strip() for line in acknowledged if line.endswith(b"\n")} <= set(stored)
    assert stored[-1] == "last"


@pytest.mark.slow
@pytest.mark.promise("C4")
def test_a_reader_sees_whole_events_while_others_write(ledger):
    context = multiprocessing.get_context("spawn")
    writer = context.Process(target=write_many, args=(os.path.dirname(ledger.folder), 0, 200))
    writer.start()
    seen, head = [], START
    while writer.is_alive() or head != ledger.head():
        with ledger.extent() as extent:
            for line in extent.read_tail(head):
                seen.append(line.event.data["signal"])
                head = Head(line.offset + len(line.raw), line.event.seq, line_digest(line.raw))

    assert seen == [f"0.{at}" for at in range(200)]


@contextlib.contextmanager
def lock_holder(ledger):
    command = [sys.executable, "-c", HOLD_LOCK, ledger.path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        holder.stdout.readline()
        yield holder


def write_many(root, writer, count):
    ledger = Ledger(Repository(root, None, None), lock_seconds=20)
    for at in range(count):
        receipts = ledger.append([event(f"{writer}.{at}")])
        if receipts[0].outcome != APPENDED:
            sys.exit(1)


HOLD_LOCK = """
import fcntl, sys
file = open(sys.argv[1], "rb")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read(1)
"""

FULL_DISK = """
import resource, signal
from linetrail.ledger.event.event import Event, new_id, rfc3339
from linetrail.ledger.repository import Repository
from linetrail.ledger.log.store import Ledger
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
event = Event(new_id(1), rfc3339(1), "agent.signalled", "s", None, "unknown", None, None, {{"signal": "b"}})
try:
    Ledger(Repository("{root}", None, None)).append([event])
except Exception as error:
    print(error)
"""

WRITE_AND_TELL = """
import sys
from linetrail.ledger.event.event import Event, new_id, rfc3339
from linetrail.ledger.repository import Repository
from linetrail.ledger.log.store import Ledger
ledger = Ledger(Repository(sys.argv[1], None, None))
for at in range(100_000):
    text = f"{sys.argv[2]}.{at}." + "x" * (at % 7 * 5000)
    data = {"signal": text}
    ledger.append([Event(new_id(at), rfc3339(at), "agent.signalled", "s", None, "unknown", None, None, data)])
    print(text, flush=True)
"""
