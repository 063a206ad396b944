"""A process may be killed at any system call: what it acknowledged stays, and the next one finishes."""

import os

import pytest

from tests.faults import strace
from tests.faults.acts import ACTS, ONE_BY_ONE, make_root, may_be_repeated, must_hold

AT_MOST = 60  # of one kind: a rebuild opens hundreds of files to read them
QUICK = {"an append", "healing a torn tail"}
SLOWER = {"a batch of 100", "another sealing"}
pytestmark = [pytest.mark.skipif(strace.why_not() is not None, reason=str(strace.why_not())), pytest.mark.in_turn]


@pytest.mark.promise("D1", "D5", "A5", "R1", "R3")
@pytest.mark.parametrize(
    "act",
    [
        *(pytest.param(act, marks=[pytest.mark.slow] * (act in SLOWER)) for act in ACTS if act in QUICK | SLOWER),
        *(pytest.param(act, marks=pytest.mark.fault) for act in ACTS if act not in QUICK | SLOWER),
    ],
)
def test_killed_at_any_system_call_nothing_acknowledged_is_lost(tmp_path, act, figure):
    counted = make_root(str(tmp_path / "counted"))
    ACTS[act].prepare(counted)
    points = [
        (call, k)
        for call, count in strace.calls(act, counted).items()
        for k in range(1, count + 1, 1 + count // AT_MOST)
    ]

    for call, k in points:
        root = make_root(str(tmp_path / f"{call} {k}"))
        acknowledged = ACTS[act].prepare(root)
        acknowledged += strace.killed(act, root, call, k)
        must_hold(root, acknowledged, ACTS[act])
        may_be_repeated(root, ACTS[act])

    assert len(points) > 5
    figure(f"{act}: killed at {len(points)} calls, 0 lost")


@pytest.mark.promise("A3")
@pytest.mark.parametrize("act", ["an append", "a batch of 100"])
def test_interrupted_at_any_system_call_an_act_goes_on(tmp_path, act, figure):
    counted = make_root(str(tmp_path / "counted"))
    ACTS[act].prepare(counted)
    calls = [call for call in strace.calls(act, counted) if call in {"openat", "write", "fdatasync", "fsync", "flock"}]

    for call in calls:
        root = make_root(str(tmp_path / call))
        acknowledged = ACTS[act].prepare(root)
        told = strace.run(act, root, "-o", os.devnull, "-e", f"inject={call}:error=EINTR:when=1..3+2")
        must_hold(root, acknowledged + told, ACTS[act])
        assert told == list(ACTS[act].attempted)

    figure(f"{act}: interrupted in {', '.join(sorted(calls))}, acknowledged whole")


@pytest.mark.promise("D3")
def test_nobody_is_told_before_the_disk_has_said_so(tmp_path, figure):
    root = make_root(str(tmp_path / "project"))
    log = str(tmp_path / "log")

    told = strace.run(ONE_BY_ONE, root, "-y", "-o", log, "-e", "trace=write,fdatasync")

    with open(log, encoding="utf-8", errors="replace") as file:
        order = "".join(letter for line in file for letter in [meaning(line)] if letter)
    assert order == "WST" * len(told)
    figure(f"{len(told)} of {len(told)} told after fdatasync returned")


def meaning(line):
    """Return W for a write to the tail, S for a sync of it that went well, T where a process is told."""
    if "agent_trace.jsonl>" in line:
        return "W" if " write(" in line else "S" * line.rstrip().endswith("= 0")
    return "T" * ("write(" in line and "<socket:" in line)
