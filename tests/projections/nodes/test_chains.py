"""The known contents of a file between two commits end with what it held before, whatever was recorded."""

import pytest

from linetrail.projections.lines.transitions import Claim, Transition
from linetrail.projections.nodes.chains import Chain, Interval, Stage, stages

CHANGE = Transition(Claim(), "new.py", "modify", None, False, None, None, None, None, None, ())


@pytest.mark.parametrize(
    ("chain", "last"),
    [
        pytest.param(Chain([], [b"after"]), Stage("old.py", b"before", []), id="nothing was recorded"),
        pytest.param(
            Chain([CHANGE], [None, b"after"]), Stage("old.py", b"before", [CHANGE]), id="nobody knows its base"
        ),
        pytest.param(
            Chain([CHANGE], [b"before", b"after"]), Stage("new.py", b"before", [CHANGE]), id="its base is that"
        ),
        pytest.param(Chain([CHANGE], [b"other", b"after"]), Stage("old.py", b"before", []), id="its base is another"),
    ],
)
def test_the_last_stage_is_what_the_file_held_before(chain, last):
    assert stages(Interval("old.py", "new.py", b"before", b"after", None), [chain])[-1] == last
