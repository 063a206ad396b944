"""What counts as right, and as which kind of fault."""

import pytest

from linetrail.projections.lines.attribution import Attribution
from tests.simulation.model import NOBODY, Line
from tests.simulation.score import Verdict, score

UNKNOWN = Attribution("unknown", False, *[None] * 10, "git", 0.0)
PERSON = UNKNOWN._replace(contributor_type="human", author="person-1")
AGENT = UNKNOWN._replace(contributor_type="ai", session_id="session-1")


def verdict(answer, *authors):
    kinds = frozenset("ai" if author.startswith("ai:") else "human" for author in authors)
    return Verdict("a.py:1", Line(1, "x = 1", frozenset(authors), kinds, "edit"), answer)


@pytest.mark.parametrize(
    ("answer", "authors", "failure"),
    [
        pytest.param(PERSON, ["ai:session-1"], "edit: ai -> human", id="an agent's line is not found"),
        pytest.param(AGENT, ["human:person-1"], "edit: human -> ai", id="a person's line is an agent's"),
        pytest.param(AGENT, ["ai:session-2"], "edit: ai -> another session", id="another session's line"),
        pytest.param(PERSON, ["human:person-2"], "edit: human -> another person", id="another person's line"),
        pytest.param(UNKNOWN, ["human:person-1"], "edit: human -> unknown", id="a committed line is nobody's"),
        pytest.param(PERSON, [NOBODY], "edit: human -> human before the commit", id="presumed before the commit"),
        pytest.param(
            UNKNOWN, ["ai:session-1", "human:person-1"], "edit: any -> unknown", id="a joined line is nobody's"
        ),
    ],
)
def test_a_wrong_answer_is_a_fault_of_its_kind(answer, authors, failure):
    found = verdict(answer, *authors)

    assert not found.right
    assert found.failure == failure


@pytest.mark.parametrize(
    ("answer", "authors"),
    [
        pytest.param(AGENT, ["ai:session-1"], id="an agent's line"),
        pytest.param(PERSON, ["human:person-1"], id="a person's line"),
        pytest.param(UNKNOWN, [NOBODY], id="a line before the commit"),
        pytest.param(PERSON, ["human:person-1", "human:person-2"], id="either of two people"),
        pytest.param(AGENT, ["human:person-1", "ai:session-1"], id="a line joined out of both kinds"),
    ],
)
def test_a_right_answer_names_one_of_those_who_may_be_named(answer, authors):
    assert verdict(answer, *authors).right


def test_figures_count_what_is_claimed_and_what_is_found():
    verdicts = [
        verdict(AGENT, "ai:session-1"),
        verdict(AGENT, "ai:session-2"),
        verdict(PERSON, "ai:session-1"),
        verdict(AGENT, "human:person-1"),
        verdict(PERSON, "human:person-1"),
    ]

    counts = score(verdicts)

    assert (counts.precision, counts.recall, counts.session, counts.person) == (2 / 3, 2 / 3, 1 / 2, 1 / 2)
