"""Small programs that look like refactorings and change what happens, and some that look like it and do not.

`attacks.jsonl` has one a line: `id` says what happens, `want` is "evolution" or "harmless", `files` are path, before
and after. Most pairs were run: they print different things.
"""

import json
from pathlib import Path

import pytest

from tests.projections.proof.judging import judged_together

with (Path(__file__).parent / "attacks.jsonl").open(encoding="utf-8") as lines:
    ATTACKS = [json.loads(line) for line in lines]


@pytest.mark.parametrize("attack", ATTACKS, ids=[attack["id"] for attack in ATTACKS])
def test_what_changes_behaviour_is_never_called_harmless(attack):
    found = judged_together({one["path"]: (one["before"], one["after"]) for one in attack["files"]}).whole

    assert (found.label == "evolution") == (attack["want"] == "evolution"), found.evidence
