"""Random histories with the truth about every line: how often is blame right, and does a fresh clone agree?

`python -m tests.simulation` plays more of them and tells the stories of what went wrong. A story that ever went wrong
stays in failed.json.
"""

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.conftest import command
from tests.examples import examples
from tests.simulation.play import OPERATIONS, plain, play, stage, told
from tests.simulation.random_histories import random_history
from tests.simulation.score import examine
from tests.simulation.strategies import histories

pytestmark = pytest.mark.in_turn

FAILED = json.loads((Path(__file__).parent / "failed.json").read_text(encoding="utf-8"))


def played(history):
    with stage() as folder:
        world = play(history, folder)
        return world.story, examine(world)


@pytest.mark.slow
@settings(
    derandomize=True,
    max_examples=examples(10),
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(histories())
def test_a_fresh_clone_says_the_same(history):
    story, found = played(history)

    assert not found.differences, "\n".join([*story, json.dumps(plain(history))])


@pytest.mark.slow
@pytest.mark.parametrize("case", [pytest.param(case, id=case["fault"]) for case in FAILED])
def test_what_ever_went_wrong_is_right(case):
    story, found = played(told(case["history"]))

    assert not found.wrong, story
    assert not found.differences


def by_process(payload, cwd):
    subprocess.run([command("linetrail-hook"), "claude-code"], cwd=cwd, input=payload, check=True, timeout=30)


@pytest.mark.daily(0, 1)
@pytest.mark.parametrize("seed", [1, 2])
def test_hooks_as_processes_make_no_difference(seed):
    with stage() as folder:
        found = examine(play(random_history(seed), folder, by_process))

    assert [verdict.right for verdict in found.verdicts] == [
        verdict.right for verdict in played(random_history(seed))[1].verdicts
    ]


@pytest.mark.soak
@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_is_played_in_some_history(name):
    """An operation that never applies would be scored nowhere."""
    assert any(
        sentence.startswith(f"[{name}]")
        for seed in range(6)
        for sentence in played(random_history(f"{name} {seed}", name))[0]
    )
