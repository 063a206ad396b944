"""A process may be killed at any system call: what it acknowledged stays, and the next one finishes."""

import pytest

from tests.faults import strace
from tests.faults.acts import ACTS, make_root, may_be_repeated, must_hold

QUICK = {"an append", "a batch of 100", "healing a torn tail", "another sealing"}
pytestmark = pytest.mark.skipif(strace.why_not() is not None, reason=str(strace.why_not()))


@pytest.mark.promise("D1", "D5", "A5", "R1", "R3")
@pytest.mark.parametrize("act", [pytest.param(act, marks=[pytest.mark.fault] * (act not in QUICK)) for act in ACTS])
def test_killed_at_any_system_call_nothing_acknowledged_is_lost(tmp_path, act, figure):
    counted = make_root(str(tmp_path / "counted"))
    ACTS[act].prepare(counted)
    points = [(call, k) for call, count in strace.calls(act, counted).items() for k in range(1, count + 1)]

    for call, k in points:
        root = make_root(str(tmp_path / f"{call} {k}"))
        acknowledged = ACTS[act].prepare(root)
        acknowledged += strace.killed(act, root, call, k)
        must_hold(root, acknowledged, ACTS[act])
        may_be_repeated(root, ACTS[act])

    assert len(points) > 5
    figure(f"{act}: killed at each of {len(points)} calls, 0 lost")
