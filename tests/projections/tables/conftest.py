"""Ledgers of a few segments to be judged."""

import os
import time

import pytest

from linetrail.ledger.log import checkpoint, segments
from tests.histories import Branch, event


@pytest.fixture
def branch(tmp_path):
    return Branch(tmp_path / "ledger")


@pytest.fixture
def sealed(branch):
    """Return a ledger of three segments, one after the other, a tail and a checkpoint."""
    for part in range(3):
        branch.append([event(f"{part}-{n}", 10 * part + n) for n in range(4)], seal=True)
    branch.append([event("last", 100)])
    found, _ = segments.read_headers(branch.folder)
    checkpoint.keep(branch.folder, checkpoint.compose(found, "example.com/test"))
    return branch


@pytest.fixture
def settle():
    """Make the files of a ledger look as if they had been there for a while."""

    def wait(branch):
        for name in segments.names(branch.folder):
            os.utime(branch.file(name), ns=(1, 1))
        time.sleep(1.5 * segments.SETTLED_NS / 1e9)  # when an inode changed can be set by nobody

    return wait
