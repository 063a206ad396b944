"""An import that appends in a process of its own: the same ledger, nothing lost, nobody left behind."""

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from linetrail.ledger.errors import IntegrityError
from linetrail.ledger.log.store import Ledger
from linetrail.queries.importers import sink
from linetrail.queries.importers.conversation import Found
from linetrail.queries.importers.sink import BATCH, Import
from linetrail.queries.importers.transcript import Counts
from linetrail.queries.importers.writer import Writer, WriterError
from tests import histories

pytestmark = pytest.mark.in_turn

# enough that a tail is sealed on the way, and that a batch is left over
MANY = 3 * BATCH + 7

# The command line, which goes no further once its first batch is appended.
HELD = """
import sys, threading
from linetrail.queries.cli import main
from linetrail.queries.importers import sink
sink.available, add = lambda: 2, sink.Sink.add
def held(self, found):
    add(self, found)
    if self.events:
        threading.Event().wait()
sink.Sink.add = held
sys.exit(main(sys.argv[1:]))
"""


def taken_in(branch, processes, events, monkeypatch):
    """Import these events, each told by a record of its own; return the counts and the ledger, file by file."""
    counts = Counts("transcript")
    monkeypatch.setattr(sink, "available", lambda: processes)
    with Import(branch.repository, Ledger(branch.repository)).sink() as opened:
        for event in events:
            opened.add([Found(counts, event)])
    segments = Path(branch.folder, "segments")
    files = [Path(branch.folder, "agent_trace.jsonl"), *(sorted(segments.iterdir()) if segments.exists() else ())]
    return vars(counts), opened.events, {file.name: file.read_bytes() for file in files if file.exists()}


def ids(folder):
    return [line.event.id for line in Ledger(folder.repository).read()]


def is_empty(group):
    """Tell whether all processes of a group end soon."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.daily(1)
@pytest.mark.parametrize("count", [0, 1, BATCH - 1, BATCH, MANY])
def test_a_process_that_appends_changes_no_byte(tmp_path, monkeypatch, count):
    events = [histories.event(str(at), at) for at in range(count)]

    alone = taken_in(histories.Branch(tmp_path / "alone"), 1, events, monkeypatch)

    assert taken_in(histories.Branch(tmp_path / "helped"), 2, events, monkeypatch) == alone
    assert alone[0]["imported"] == count


@pytest.mark.slow
def test_what_cannot_be_stored_is_left_out_by_both(tmp_path, monkeypatch):
    events = [histories.event(str(at), at) for at in range(MANY)]
    for at in (5, BATCH, 2 * BATCH + 1):
        events[at] = events[at]._replace(data=events[at].data | {"share": 0.5})

    alone = taken_in(histories.Branch(tmp_path / "alone"), 1, events, monkeypatch)

    assert taken_in(histories.Branch(tmp_path / "helped"), 2, events, monkeypatch) == alone
    assert alone[0]["rejected"] == {"cannot be stored": 3}


@pytest.mark.slow
def test_a_process_that_is_killed_is_an_error_and_loses_nothing(tmp_path, monkeypatch):
    branch = histories.Branch(tmp_path / "here")
    events = [histories.event(str(at), at) for at in range(MANY)]

    def told():
        yield from events[: BATCH + 1]
        multiprocessing.active_children()[0].kill()
        yield from events[BATCH + 1 :]

    with pytest.raises(WriterError, match="ended"):
        taken_in(branch, 2, told(), monkeypatch)
    there = ids(branch)
    _, counts, _ = taken_in(branch, 2, events, monkeypatch)

    assert there == [event.id for event in events[: len(there)]]
    assert counts.total() == MANY - len(there)
    assert ids(branch) == [event.id for event in events]
    assert multiprocessing.active_children() == []


def test_what_goes_wrong_there_is_raised_here(tmp_path):
    branch = histories.Branch(tmp_path / "here")
    Path(branch.folder, "agent_trace.jsonl").write_bytes(b'{"v":1,"id":"damaged"}\n')

    with contextlib.closing(Writer(Ledger(branch.repository))) as writer:
        writer.take([[histories.event("a")]])

        with pytest.raises(IntegrityError) as raised:
            writer.answer()

    assert (raised.value.code, raised.value.offset) == ("UNREADABLE_LINE", 0)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for processes in /proc")
@pytest.mark.usefixtures("ledger")
def test_an_interrupted_import_leaves_no_process_and_goes_on_later(repo, talk, tmp_path, linetrail):
    session = talk()
    for at in range(MANY):
        session.prompt(f"prompt {at}")
    path = session.save(tmp_path / "long.jsonl")
    with subprocess.Popen(
        [sys.executable, "-c", HELD, "import", "claude-code", str(path)],
        cwd=repo.path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as importing:
        while not repo.lines() and importing.poll() is None:
            time.sleep(0.01)
        os.killpg(importing.pid, signal.SIGINT)
        _, said = importing.communicate(timeout=60)

    assert importing.returncode == 130
    assert "goes on from there" in said
    assert is_empty(importing.pid)
    first = len(repo.events("prompt.submitted"))
    assert 0 < first < MANY
    assert linetrail("import", "claude-code", str(path)).returncode == 0
    assert len(repo.events("prompt.submitted")) == MANY
