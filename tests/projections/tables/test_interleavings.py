"""Tables that grew while the ledger was appended to, sealed, branched and merged are those made from nothing."""

import hashlib
import random
import shutil

import pytest

from linetrail.ledger.event.event import Event, derived_id, rfc3339
from linetrail.projections.build import findings
from linetrail.projections.tables.partitions import Parts
from linetrail.projections.tables.tables import tables_over
from tests.histories import AGENT, BEGINNING, History
from tests.projections.tables.test_rebuild import everything


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def happening(key, at):
    """Return an event of any type; branches that write to one file leave states that do not fit together."""
    luck = random.Random(key)
    now = BEGINNING + at * 1_000_000_000
    lines = [f"{luck.randrange(9)}\n" for _ in range(luck.randrange(1, 6))]
    hunk = {
        "old_start": 0,
        "old_lines": 0,
        "new_start": 1,
        "new_lines": len(lines),
        "line_hashes": [sha256(line.strip())[:16] for line in lines],
    }
    file = {
        "path": luck.choice(["a.py", "b.py"]),
        "op": "add",
        "after_hash": f"sha256:{sha256(''.join(lines))}",
        "after_lines": len(lines),
        "hunks": [hunk],
    }
    kind, data = luck.choice(
        [
            ("prompt.submitted", {"excerpt": key, "length": len(key)}),
            ("mutation.observed", {"via": "tool", "files": [file]}),
            ("intent.changed", {"intent_id": "INT-1", "after": {"id": "INT-1", "name": key, "status": "DRAFT"}}),
            ("usage.recorded", {"usage_key": "m:r", "message_id": "m", "input_tokens": luck.randrange(9)}),
        ]
    )
    intent = luck.choice([None, "INT-1", "INT-2"])
    return Event(derived_id(now, key), rfc3339(now), kind, luck.choice("st"), AGENT, "ai", intent, None, data=data)


def follow(branch):
    """Return what the tables hold that grow with the ledger."""
    with tables_over(branch.repository, Parts(branch.repository, smallest=2, largest=8).current()) as tables:
        return everything(tables, branch.root / "holdings.json")


@pytest.mark.slow
@pytest.mark.promise("P2")
@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param([36], id="one in which everything happens"),
        pytest.param(range(300), id="many", marks=pytest.mark.fault),
    ],
)
def test_tables_that_followed_a_history_equal_those_from_nothing(tmp_path, figure, seeds):
    for seed in seeds:
        root = tmp_path / str(seed)
        history = History(root, f"interleaved {seed}", happening)
        merged = history.run(7, follow)
        followed = follow(merged)

        anew = Parts(merged.repository, keep=False, smallest=3, largest=100).current(anew=True)
        with tables_over(merged.repository, anew) as tables:
            assert everything(tables) == followed, f"seed {seed}"
            assert findings(tables) == []
            held = [row[0] for row in tables.ask("select event_id from events").rows]
        assert (len(held), set(held)) == (len(history.sealed), history.sealed)
        shutil.rmtree(root)

    figure(f"{len(seeds)} random histories")
