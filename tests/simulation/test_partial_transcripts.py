"""Histories of which a part of the transcripts is imported: nobody wrote a line after the commit that has it."""

import json

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.simulation.choice import Choice
from tests.simulation.play import Step, plain, stage
from tests.simulation.random_histories import random_history
from tests.simulation.strategies import histories
from tests.simulation.transcripts import Partial, imported

pytestmark = pytest.mark.in_turn

LEAST_RECALL = 0.97
SHARES = (0, 30, 60)

_shares = st.sampled_from(SHARES)
_partials = st.builds(Partial, _shares, _shares, st.integers(0, 5), st.sampled_from((0, 50, 100)), _shares)
_headers = st.lists(
    st.builds(
        Step,
        st.just("somebody_writes_under_the_header"),
        st.builds(Choice, who=st.integers(0, 2), size=st.integers(0, 9), other=st.integers(0, 99)),
    ),
    max_size=3,
)


def answered(history, partial):
    with stage() as folder:
        return imported(history, partial, folder)


def drawn(number):
    return settings(
        derandomize=True,
        max_examples=number,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def holds(header, history, partial):
    found = answered([*header, *history], partial)

    assert not found.impossible, "\n".join([*found.story, json.dumps(plain([*header, *history])), str(partial)])


@pytest.mark.slow
@drawn(4)
@given(_headers, histories(), _partials)
def test_nobody_wrote_a_line_after_its_commit(header, history, partial):
    holds(header, history, partial)


@pytest.mark.soak
@drawn(150)
@given(_headers, histories(), _partials)
def test_nobody_wrote_a_line_after_its_commit_in_many_histories(header, history, partial):
    holds(header, history, partial)


@pytest.mark.slow
@pytest.mark.parametrize(
    "seeds", [pytest.param(range(3), id="3 histories"), pytest.param(range(60), id="60", marks=pytest.mark.soak)]
)
def test_lines_that_a_transcript_proves_are_its_sessions(seeds):
    proved = right = 0
    for seed in seeds:
        partial = Partial(SHARES[seed % 3], SHARES[seed // 3 % 2], seed, (0, 50, 100)[seed % 3], SHARES[seed % 2])
        found = answered(random_history(f"partial {seed}"), partial)
        assert not found.impossible, (seed, found.impossible)
        proved += len(found.proved)
        right += sum(one.answer.session_id == one.proved for one in found.proved)

    assert proved >= 4 * len(seeds)
    assert right >= LEAST_RECALL * proved, f"{right} of {proved}"
