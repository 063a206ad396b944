"""What the named questions must not fall for: records that come twice, clocks that go back, lines that are gone."""

import pytest

from linetrail.ledger.errors import DamageWarning, UsageError
from linetrail.queries.ask.ask import ask
from tests.story import Story

ANSWER = {"usage_key": "m1:r1", "message_id": "m1", "request_id": "r1", "model_id": "anthropic/claude-opus-5"}


@pytest.fixture
def told(repo):
    """Return a function that writes a story and asks one question about it."""
    repo.start_ledger()

    def asked(story, name, **parameters):
        story.written(repo.path)
        return list(ask(str(repo.path), name, **parameters).mappings())

    return asked


def backwards(story):
    """Let every event of a story say that it happened before the one before it."""
    times = [event.timestamp for event in story.events]
    story.events = [event._replace(timestamp=at) for event, at in zip(story.events, reversed(times), strict=True)]
    return story


@pytest.mark.slow
@pytest.mark.parametrize("records", [1, 2, 7])
def test_usage_counts_once_for_a_message_and_request_however_many_records_it_has(told, records):
    story = Story()
    for output in range(1, records + 1):
        story.tell("usage.recorded", ANSWER | {"input_tokens": 100, "output_tokens": output}, intent="INT-1")

    (cost,) = told(story, "intent_cost")

    assert (cost["answers"], cost["input_tokens"], cost["output_tokens"]) == (1, 100, records)


def test_usage_counts_once_where_another_session_copied_the_transcript(told):
    story = Story()
    for session, intent in (("s1", "INT-1"), ("s2", "INT-2"), ("s3", None)):
        story.tell("usage.recorded", ANSWER | {"input_tokens": 100, "output_tokens": 9}, session=session, intent=intent)

    (cost,) = told(story, "cost_by", dim="session")

    assert (cost["dim"], cost["tokens"], cost["answers"]) == ("s1", 109, 1)


@pytest.mark.slow
def test_tokens_of_which_nobody_knows_the_price_cost_nothing_known(told):
    story = Story()
    story.tell("usage.recorded", ANSWER | {"model_id": "local/model", "input_tokens": 100, "output_tokens": 9})

    (cost,) = told(story, "cost_by", dim="model")

    assert (cost["cost_microusd"], cost["unpriced"]) == (None, 1)


@pytest.mark.slow
def test_what_came_after_the_completion_of_an_intent_is_told_by_place_and_not_by_clock(told):
    story = Story()
    story.tell("mutation.observed", intent="INT-1", edits={"a.py": "one\n"})
    story.tell("intent.completed", {"intent_id": "INT-1", "after": {"id": "INT-1", "status": "DONE"}})
    story.tell("mutation.observed", intent="INT-2", edits={"a.py": "two\n"})

    (row,) = told(backwards(story), "done_intents_touched")

    assert (row["intent_id"], row["by_intent"]) == ("INT-1", "INT-2")


@pytest.mark.slow
def test_what_happened_after_a_denial_is_told_by_place_and_not_by_clock(told):
    story = Story()
    story.tell("mutation.observed", edits={"a.py": "before\n"})
    story.tell("gate.decided", {"verdict": "deny", "tool_call_id": "c1", "paths": [{"path": "a.py"}]})
    story.tell("mutation.observed", {"via": "shell"}, edits={"a.py": "after\n"})

    (row,) = told(backwards(story), "denied_but_executed")

    assert (row["path"], row["via"]) == ("a.py", "shell")


@pytest.mark.slow
def test_a_ledger_is_whole_or_it_is_told_what_is_missing(repo, told, cli):
    for session in ("s1", "s2"):
        story = Story()
        story.tell("session.started", {"source": "startup"}, session="s1", days=int(session[1]))
        story.tell("session.started", {"source": "startup"}, session=session)
        told(story, "integrity")
        assert cli("seal", "--no-leaks").status == 0

    whole = list(ask(str(repo.path), "integrity").mappings())
    assert {(row["session_id"], row["gaps"], row["chain_ok"], row["sealed"]) for row in whole} == {
        ("s1", 0, True, True),
        ("s2", 0, True, True),
    }

    first = next(
        path for path in (repo.path / ".orchestration/segments").iterdir() if b'"parents":[]' in path.read_bytes()
    )
    first.unlink()
    with pytest.warns(DamageWarning):
        rest = list(ask(str(repo.path), "integrity").mappings())
    assert [(row["session_id"], row["gaps"], row["chain_ok"], row["state"]) for row in rest] == [
        ("s1", 1, False, "read"),
        ("s2", 1, False, "read"),
        (None, 1, False, "missing"),
    ]
    assert rest[-1]["segment"] == first.stem


@pytest.mark.slow
def test_a_damaged_segment_that_nothing_goes_on_from_has_a_row(repo, told, cli):
    story = Story()
    story.tell("session.started", {"source": "startup"}, session="s1")
    told(story, "integrity")
    assert cli("seal", "--no-leaks").status == 0
    [segment] = (repo.path / ".orchestration/segments").iterdir()
    segment.chmod(0o644)
    segment.write_bytes(segment.read_bytes().replace(b"startup", b"STARTUP"))

    with pytest.warns(DamageWarning):
        [row] = ask(str(repo.path), "integrity").mappings()

    assert (row["session_id"], row["events"], row["chain_ok"]) == (None, None, False)
    assert (row["segment"], row["state"]) == (segment.stem, "damaged")


@pytest.mark.daily(3)
@pytest.mark.parametrize("told", ["", "abc", "-1", "1.5", "2147483648", "9223372036854775808", "٣"])
def test_a_number_that_is_none_is_refused_in_words_of_the_question(repo, told):
    repo.start_ledger()

    with pytest.raises(UsageError, match="@log: limit is a whole number"):
        ask(str(repo.path), "log", limit=told)


@pytest.mark.slow
def test_a_number_may_come_as_text(repo):
    repo.start_ledger()
    story = Story()
    for _ in range(3):
        story.tell("prompt.submitted")
    story.written(repo.path)

    assert [len(ask(str(repo.path), "log", limit=told).rows) for told in ("2", str(2**31 - 1))] == [2, 3]
