"""How long lines live: Kaplan and Meier's estimate, held against figures worked out by hand and in another way."""

import math
import random

import pytest

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import find
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.ask.ask import ask
from tests.story import Story

NORMAL = 1.959964
DAY = 86_400


@pytest.fixture
def written(repo):
    """Return a function that writes a story and nothing else."""
    repo.start_ledger()
    return lambda story: story.written(repo.path)


def lines(*numbers: int) -> str:
    return "".join(f"value_{number} = {number}\n" for number in numbers)


def survival(repo, **asked):
    return list(ask(str(repo.path), "survival", **asked).mappings())


def at(rows, t: int):
    [row] = [row for row in rows if row["t"] == t]
    return row


@pytest.mark.slow
def test_survival_is_what_was_worked_out_by_hand(repo, written):
    """Of 10 lines 3 end after 6 days; 2 more are only 10 days old at the end; of 7 at risk then, 1 ends after 20 days.

    S(7) = 7/10. Two are censored at 10 days, so 5 are at risk at 20 days: S(30) = 7/10 * 4/5 = 0.56.
    Greenwood: 3/(10*7) = 0.042857; + 1/(5*4) = 0.05.
    """
    story = Story()
    story.tell("mutation.observed", edits={"a.py": lines(*range(8))})
    story.tell("mutation.observed", days=6, edits={"a.py": lines(*range(3, 8))})
    story.tell("mutation.observed", days=14, edits={"a.py": lines(*range(4, 8))})
    story.tell("mutation.observed", days=25, edits={"b.py": lines(20, 21)})
    story.tell("session.ended", {"reason": "exit"}, days=10)
    written(story)

    rows = survival(repo)

    assert [(at(rows, t)["at_risk"], at(rows, t)["survival"]) for t in (7, 30, 90)] == [(7, 0.7), (4, 0.56), (0, None)]
    assert {(row["written"], row["ended"], row["censored"]) for row in rows} == {(10, 4, 6)}
    width = NORMAL * math.sqrt(3 / 70 + 1 / 20) / math.log(0.56)
    assert at(rows, 30)["ci_lo"] == pytest.approx(0.56 ** math.exp(-width), abs=1e-4)
    assert at(rows, 30)["ci_hi"] == pytest.approx(0.56 ** math.exp(width), abs=1e-4)


def estimate(lives: list[tuple[int, int, bool]], t: int) -> tuple[int, float | None, float | None, float | None]:
    """Work survival out one line after the other: each life is an age, how many lines had it, and whether it ended."""
    share, variance = 1.0, 0.0
    for age in sorted({age for age, _, ended in lives if ended and age <= t}):
        risk = sum(count for other, count, _ in lives if other >= age)
        gone = sum(count for other, count, ended in lives if ended and other == age)
        share *= 1 - gone / risk
        variance += gone / (risk * (risk - gone)) if risk > gone else math.inf
    left = sum(count for age, count, _ in lives if age >= t)
    if share == 0:
        return left, 0.0, None, None
    if not left:
        return left, None, None, None
    if share == 1:
        return left, 1.0, None, None
    width = NORMAL * math.sqrt(variance) / math.log(share)
    return left, share, share ** math.exp(-width), share ** math.exp(width)


@pytest.mark.in_turn
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_survival_equals_a_slow_and_plain_estimate(repo, written, seed):
    chance = random.Random(seed)
    story = Story()
    for number in range(40):
        path = f"{chance.randrange(4)}.py"
        held = [chance.randrange(30) + 100 * int(path[0]) for _ in range(chance.randrange(12))]
        kind = chance.choice(["ai", "ai", "human"])
        story.tell(
            "mutation.observed",
            session=f"s{number}",
            contributor=kind,
            days=chance.randrange(6),
            edits={path: lines(*held)},
        )
    story.tell("session.ended", {"reason": "exit"}, days=chance.randrange(60))
    written(story)
    rows = survival(repo)
    with open_tables(find(str(repo.path))) as tables:
        spans = list(tables.ask("from v_line_spans").mappings())

    for row in rows:
        lives = [
            (
                max((span["died_epoch"] or span["seen_until_epoch"]) - span["born_epoch"], 0),
                span["lines"],
                not span["censored"],
            )
            for span in spans
            if span["contributor_type"] == row["contributor_type"]
        ]
        expected = estimate(lives, row["t"] * DAY)
        told = (row["at_risk"], row["survival"], row["ci_lo"], row["ci_hi"])
        assert told == pytest.approx(expected, abs=1e-4)
        assert row["written"] == sum(count for _, count, _ in lives)
    assert {row["contributor_type"] for row in rows} == {span["contributor_type"] for span in spans}


@pytest.mark.slow
def test_no_figure_stands_without_its_unit_cohort_and_censoring(repo, written):
    story = Story()
    story.tell("mutation.observed", edits={"a.py": lines(1, 2)})
    written(story)

    assert {(row["unit"], row["cohort"], row["censored"]) for row in survival(repo)} == {("line", "all", 2)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cohort", "values"),
    [
        ("all", {"all"}),
        ("agent", {"claude-code", "codex"}),
        ("model", {"anthropic/claude-opus-5", "openai/gpt-6"}),
        ("intent", {"INT-1", None}),
        ("session", {"s1", "s2"}),
        ("via", {"tool"}),
        ("class", {None}),
    ],
)
def test_lines_are_counted_together_as_asked(repo, written, cohort, values):
    story = Story()
    story.tell("mutation.observed", edits={"a.py": lines(1, 2)}, intent="INT-1")
    story.tell("mutation.observed", edits={"b.py": lines(3)}, session="s2", agent="codex")
    written(story)

    assert {row["cohort_value"] for row in survival(repo, cohort=cohort)} == values


@pytest.mark.daily(3)
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        pytest.param({"unit": "node"}, "knows no unit 'node'; it knows line", id="definitions"),
        pytest.param({"cohort": "author"}, "knows no cohort 'author'; it knows all, agent", id="another cohort"),
    ],
)
def test_what_cannot_be_counted_is_refused(repo, written, asked, message):
    written(Story())

    with pytest.raises(UsageError, match=message):
        survival(repo, **asked)


@pytest.mark.slow
def test_an_empty_ledger_has_no_survival(repo, written):
    written(Story())

    assert survival(repo) == []
