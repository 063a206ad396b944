"""What was judged sound is not judged again, and whatever changed since is."""

import os
import subprocess
import sys

import pytest

from linetrail.ledger.errors import DamageWarning
from linetrail.projections.tables.inspection import Lines
from linetrail.projections.tables.tables import open_tables
from linetrail.projections.tables.verification import examine
from tests.histories import event, ordered

# Counts the events of a ledger, and says whether the decoders for many lines were loaded.
OPENING = (
    "import sys; from linetrail.ledger.repository import find;"
    "from linetrail.projections.tables.tables import open_tables;"
    "tables = open_tables(find(sys.argv[1])); rows = tables.count('events');"
    "print(rows, 'linetrail.projections.tables.decoder' in sys.modules)"
)


def test_only_what_is_new_is_read_the_second_time(sealed, settle):
    settle(sealed)
    examine(sealed.repository)
    sealed.seal()

    assert examine(sealed.repository).read == 1


def test_a_file_that_changed_is_read_again(sealed, settle):
    settle(sealed)
    examine(sealed.repository)
    file = sealed.file(ordered(sealed)[1])
    file.write_bytes(file.read_bytes().replace(b"1-2", b"7-7"))
    os.utime(file, ns=(1, 1))

    assert "WRONG_NAME" in [problem.code for problem in examine(sealed.repository).problems]


def test_judging_the_same_tail_again_needs_no_contract(sealed, settle):
    settle(sealed)
    first = examine(sealed.repository)
    again = (
        "import sys; from linetrail.ledger.repository import find;"
        "from linetrail.projections.tables.verification import examine;"
        "report = examine(find(sys.argv[1])); print(report.events, report.tail.seq, 'pydantic' in sys.modules)"
    )

    told = subprocess.run([sys.executable, "-c", again, sealed.root], check=True, capture_output=True, text=True).stdout
    assert told.split() == [str(first.events), str(first.tail.seq), str(False)]


@pytest.mark.slow
def test_what_was_judged_sound_is_not_validated_again_for_the_tables(branch, settle):
    for part in range(3):
        branch.append([event(f"{part}-{n}", 10 * part + n) for n in range(4)], seal=True)
    settle(branch)
    examine(branch.repository)

    told = subprocess.run([sys.executable, "-c", OPENING, branch.root], check=True, capture_output=True, text=True)
    assert told.stdout.split() == ["12", str(False)]


@pytest.fixture
def sealed_here(branch):
    """Return a ledger in git whose lines were sealed where they were written."""
    subprocess.run(["git", "init", "--quiet", branch.root], check=True)
    for part in range(3):
        branch.append([event(f"{part}-{n}", 10 * part + n) for n in range(4)], seal=True)
    return branch


def test_what_was_sealed_here_is_not_validated_again_for_the_tables(sealed_here):
    opening = f"from linetrail.projections.tables import partitions; partitions.FEW = 4; {OPENING}"

    told = subprocess.run([sys.executable, "-c", opening, sealed_here.root], check=True, capture_output=True, text=True)
    assert told.stdout.split() == ["12", str(False)]


def test_what_became_of_a_segment_that_was_sealed_here_is_said_by_the_tables(sealed_here):
    file = sealed_here.file(ordered(sealed_here)[1])
    file.write_bytes(file.read_bytes().replace(b"1-2", b"7-7"))

    with pytest.warns(DamageWarning, match="not what it was"):
        tables = open_tables(sealed_here.repository)
    assert tables.count("events") == 8


def test_many_lines_in_small_segments_are_read_as_many_lines(branch):
    for part in range(3):
        branch.append([event(f"{part}-{n}", 10 * part + n) for n in range(4)], seal=True)
    opening = f"from linetrail.projections.tables import partitions; partitions.FEW = 4; {OPENING}"

    told = subprocess.run([sys.executable, "-c", opening, branch.root], check=True, capture_output=True, text=True)
    assert told.stdout.split() == ["12", str(True)]


def test_what_became_of_a_segment_after_it_was_judged_is_said_by_the_tables(sealed, settle):
    settle(sealed)
    examine(sealed.repository)
    file = sealed.file(ordered(sealed)[1])
    file.write_bytes(file.read_bytes().replace(b"1-2", b"7-7"))

    with pytest.warns(DamageWarning, match="WRONG_NAME|not what it was"):
        tables = open_tables(sealed.repository)
    assert tables.count("events") == 9


@pytest.mark.slow
def test_damage_in_a_tail_that_was_judged_is_noticed(branch):
    branch.append([event(f"{n}", n) for n in range(4)])
    assert examine(branch.repository).problems == []
    tail = branch.root / ".orchestration" / "agent_trace.jsonl"
    content = tail.read_bytes()

    for at in range(0, content.rindex(b"\n", 0, -1), 7):
        tail.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        assert examine(branch.repository).problems

    tail.write_bytes(content)
    assert examine(branch.repository).problems == []


def test_a_brief_look_reads_lines_once_and_notices_what_became_of_them(branch):
    branch.append([event(f"{n}", n) for n in range(4)])
    assert lines_read(branch) == 4
    branch.append([event("4", 4)])
    assert (lines_read(branch), lines_read(branch)) == (1, 0)
    tail = branch.root / ".orchestration" / "agent_trace.jsonl"
    content = tail.read_bytes()

    tail.write_bytes(content.replace(b"say it", b"sai it", 1))

    assert examine(branch.repository, brief=True).problems


def test_a_brief_look_vouches_for_no_contract(branch):
    branch.append([event("1", 1)._replace(data={"length": "one"})])

    assert examine(branch.repository, brief=True).problems == []
    assert "SCHEMA_VIOLATION" in [problem.code for problem in examine(branch.repository).problems]


def lines_read(branch):
    """Return how many lines a brief look at a sound ledger reads."""
    read = []

    def note(frame, happened, _):
        if happened == "call" and frame.f_code is Lines._follows.__code__:  # noqa: SLF001  each line comes by here
            read.append(frame)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        assert examine(branch.repository, brief=True).problems == []
    finally:
        sys.setprofile(before)
    return len(read)


@pytest.mark.parametrize(
    "memory", [b"", b"{}", b"[1]", b'{"version":1,"sound":[[1]]}', b'{"version":1,"sound":[],"tail":[7]}', b"\xff"]
)
def test_a_spoiled_memory_is_none(sealed, memory):
    file = sealed.root / ".orchestration" / "cache" / "verified.json"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(memory)

    assert examine(sealed.repository).read == 3
