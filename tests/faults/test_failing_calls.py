"""Any call of the system may fail at any time: what was acknowledged stays, and what follows works."""

import contextlib
import tempfile

import pytest

from linetrail.ledger.errors import DamageWarning, StorageError
from tests.faults.acts import ACTS, make_root, may_be_repeated, must_hold
from tests.faults.shim import ERRORS, until_none_fails

pytestmark = pytest.mark.in_turn

SLOW = {"rebuilding": [pytest.mark.fault], "sealing what is torn and spooled": [pytest.mark.fault]}
CALLS = [(call, error) for call, errors in ERRORS.items() for error in errors]


@pytest.mark.daily(1)
@pytest.mark.promise("A1", "A3", "A4", "A5")
@pytest.mark.parametrize("act", [pytest.param(act, id=name, marks=SLOW.get(name, [])) for name, act in ACTS.items()])
def test_a_call_that_fails_costs_nothing_that_was_acknowledged(tmp_path, act, figure):
    happened = sum(until_none_fails(call, error, attempt(act, tmp_path)) for call, error in CALLS)

    assert happened > 10
    figure(f"{happened} failures, 0 lost")


@pytest.mark.parametrize("call", ["pread", "fstat"])
def test_a_tail_that_cannot_be_read_is_a_clear_error(tmp_path, call):
    until_none_fails(call, "EIO", attempt(ACTS["an append"], tmp_path))


def attempt(act, folder):
    def under(fault):
        root = make_root(tempfile.mkdtemp(dir=folder))
        acknowledged = act.prepare(root)

        # What only reads may also go on without a file that it names.
        with fault.injected(), contextlib.suppress(StorageError, DamageWarning):
            act.run(root, acknowledged.extend)

        must_hold(root, acknowledged, act)
        may_be_repeated(root, act)

    return under
