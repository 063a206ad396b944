"""`usage`: what models took, each answer once, by day, week, month, session, model, agent or intent."""

import json
from pathlib import Path

import pytest

from tests.story import Story

GOLDEN = Path(__file__).parents[2] / "golden"
KINDS = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def spent(message, *tokens, model="anthropic/claude-opus-4-5", request="r"):
    """Return a report of an answer; what is left out of the four kinds of tokens is not known."""
    key = {"usage_key": f"{message}:{request}", "message_id": message, "request_id": request, "model_id": model}
    return key | dict(zip(KINDS, tokens, strict=False))


@pytest.fixture
def told(repo):
    repo.start_ledger()
    story = Story()  # from 2026-01-05T09:01 on, a minute for each event
    story.tell("usage.recorded", spent("m1", 1_000_000, 10, 0, 0), intent="INT-1")
    story.tell("usage.recorded", spent("m2", 1, 2, 3, 4, model="openai/gpt-6"), session="s2", agent="codex")
    story.tell("usage.recorded", spent("m1", 1_000_000, 100_000, 0, 0), intent="INT-1")
    story.tell("usage.recorded", spent("m3", 5, model=None), session="s3")
    story.written(repo.path)


@pytest.mark.usefixtures("told")
def test_an_answer_that_was_reported_twice_counts_once_as_it_was_reported_last(cli):
    [first, *_] = cli("usage", "intent", "--json").rows

    assert first == {
        "intent_id": "INT-1",
        "models": ["anthropic/claude-opus-4-5"],
        "answers": 1,
        "input_tokens": 1_000_000,
        "output_tokens": 100_000,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "total_tokens": 1_100_000,
        "cost_microusd": 7_500_000,
        "unpriced": 0,
    }


@pytest.mark.slow
def test_an_answer_that_names_no_intent_is_for_the_one_that_its_session_worked_on_then(repo, cli):
    repo.start_ledger()
    story = Story()
    call = {"tool_call_id": "c1", "tool_name": "Read", "operation": "read", "targets": []}
    story.tell("tool.requested", call, intent="INT-1", days=1)
    story.tell("prompt.submitted", {"excerpt": "go on", "hash": "x", "length": 5}, intent="INT-2", days=1)
    story.tell("tool.requested", call | {"tool_call_id": "c2"}, days=1)
    story.tell("tool.requested", call, session="s2", intent="INT-1")
    for nth, days in enumerate((-3, 1, 1, 1)):  # read when all was over, as an import does
        story.tell("usage.recorded", spent(f"m{nth}", 1), days=days)
    story.written(repo.path)

    rows = cli("sql", "select usage_key, intent_id from v_token_usage order by position", "--json").rows

    assert [row["intent_id"] for row in rows] == [None, "INT-1", "INT-2", None]


@pytest.mark.in_turn
@pytest.mark.daily(3)
@pytest.mark.usefixtures("told")
@pytest.mark.parametrize(
    ("by", "keys"),
    [
        ("daily", ["2026-01-05"]),
        ("weekly", ["2026-01-05"]),
        ("monthly", ["2026-01"]),
        ("session", ["s1", "s2", "s3"]),
        ("model", ["anthropic/claude-opus-4-5", "openai/gpt-6", "anthropic/claude-opus-5"]),
        ("agent", ["claude-code", "codex"]),
        ("intent", ["INT-1", None]),
    ],
)
def test_sums_add_up_whatever_they_are_taken_by(cli, by, keys):
    answer = json.loads(cli("usage", by, "--json").out)

    assert [next(iter(row.values())) for row in answer["rows"]] == keys
    assert sum(row["answers"] for row in answer["rows"]) == answer["meta"]["totals"]["answers"] == 3
    assert sum(row["total_tokens"] for row in answer["rows"]) == answer["meta"]["totals"]["total_tokens"]


@pytest.mark.slow
@pytest.mark.usefixtures("told")
def test_what_is_not_known_is_null(cli):
    [row] = [row for row in cli("usage", "session", "--json").rows if row["session_id"] == "s3"]

    assert (row["input_tokens"], row["output_tokens"], row["total_tokens"]) == (5, None, 5)
    assert (row["cost_microusd"], row["unpriced"]) == (None, 1)


@pytest.mark.daily(2)
@pytest.mark.usefixtures("told")
@pytest.mark.parametrize(
    ("options", "day"),
    [
        (["daily", "--timezone", "Asia/Kathmandu"], "2026-01-05"),
        (["daily", "--timezone", "Pacific/Kiritimati"], "2026-01-05"),
        (["daily", "--timezone", "Pacific/Pago_Pago"], "2026-01-04"),
        (["weekly", "--timezone", "Pacific/Pago_Pago"], "2025-12-29"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_day_is_a_day_of_the_time_zone(cli, options, day):
    assert {next(iter(row.values())) for row in cli("usage", *options, "--json").rows} == {day}


@pytest.mark.daily(2)
@pytest.mark.usefixtures("told")
@pytest.mark.parametrize(
    ("options", "answers"),
    [
        (["--since", "2026-01-05T09:03:00Z"], 2),
        (["--until", "2026-01-05T09:03:00Z"], 1),
        (["--since", "1h"], 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_time_is_chosen(cli, options, answers):
    assert json.loads(cli("usage", *options, "--json").out)["meta"]["totals"]["answers"] == answers


@pytest.mark.slow
@pytest.mark.usefixtures("told")
def test_people_get_numbers_below_each_other_and_their_sum(cli, golden):
    golden(GOLDEN / "usage.txt", cli("usage", "session").out)


@pytest.mark.slow
@pytest.mark.usefixtures("told")
def test_a_breakdown_tells_the_models_apart(cli):
    rows = cli("usage", "--breakdown", "--csv").out.splitlines()

    assert rows[0].startswith("date,model_id,answers,input_tokens")
    assert [row.split(",")[1] for row in rows[1:]] == [
        "anthropic/claude-opus-4-5", "anthropic/claude-opus-5", "openai/gpt-6",
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("told")
def test_a_time_zone_that_nobody_knows_is_refused(cli):
    refused = cli("usage", "--timezone", "Mars/Olympus")

    assert (refused.status, "no time zone is called 'Mars/Olympus'" in refused.err) == (2, True)


@pytest.mark.slow
def test_where_nothing_is_recorded_the_next_command_is_named(repo, cli):
    repo.start_ledger()
    assert cli("usage").out == "no answer of a model is recorded here (linetrail try)\n"

    story = Story()
    story.tell("session.started", {"source": "startup"}, session="s1", agent="gemini-cli")
    story.tell("session.started", {"source": "startup"}, session="s2", agent="codex")
    story.tell("session.started", {"source": "startup"}, session="s3", agent="amp")
    story.tell("session.started", {"source": "startup"}, session="s4", agent="cursor")
    story.written(repo.path)

    assert "(linetrail import codex and linetrail import gemini-cli)" in cli("usage").out
    assert cli("usage", "--json").rows == []
