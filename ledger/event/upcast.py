"""Read events of older versions of the format as events of the present one.

Stored lines are never rewritten. Each version has one step to the next, so an event of any age takes as many steps as
there were versions since. A step says what a reader then knew, and guesses nothing: what an older version did not tell
is null. tests/fixtures/ledgers/ has a ledger of every version that was released, with what must come out.
"""

from collections.abc import Callable
from typing import Any

Record = dict[str, Any]

# version -> the step from it to the next. Version 1 is the present one.
STEPS: dict[int, Callable[[Record], Record]] = {}


def upcast(record: Record, version: int) -> Record:
    """Return a record as it would have been written in this version."""
    while record["v"] < version:
        record = STEPS[record["v"]](record)
    return record
