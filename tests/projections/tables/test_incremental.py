"""A table that is kept for the long stretches of a ledger says what it would say if it were made anew."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linetrail.ledger.event.event import GENESIS, line_digest, to_line
from linetrail.ledger.repository import find
from linetrail.projections.tables.incremental import Grown, grown
from linetrail.projections.tables.partitions import Parts
from linetrail.projections.tables.tables import Tables, open_tables
from tests.examples import examples
from tests.story import Story

LONG, SHORT = 16, 2
SESSIONS = ("s1", "s2", "s3", None)


def work(seed, events):
    """Tell so many events of a few sessions: calls that end much later, prompts, usage, intents, tests, approvals."""
    chosen = random.Random(seed)
    story = Story()
    calls = []
    for number in range(events):
        place = {"session": chosen.choice(SESSIONS), "intent": chosen.choice(["INT-1", "INT-2", None])}
        kind = chosen.choice(("start", "prompt", "ask", "end", "end", "usage", "edit", "intent", "approval"))
        if kind == "start":
            story.tell(
                chosen.choice(("session.started", "session.ended")),
                {"source": "startup"} if number % 2 else {},
                **place,
            )
        elif kind == "prompt":
            story.tell("prompt.submitted", {"prompt_id": f"p{number}", "excerpt": "please", "length": 6}, **place)
        elif kind == "ask":
            calls.append((f"c{number}", place))
            call = {"tool_call_id": f"c{number}", "tool_name": "Bash", "operation": "shell", "command": "pytest -q"}
            story.tell("tool.requested", call, **place)
        elif kind == "end" and calls:
            call_id, place = chosen.choice(calls)
            call = {"tool_call_id": call_id, "tool_name": "Bash", "operation": "shell"}
            failed = chosen.random() < 0.5
            story.tell("tool.failed" if failed else "tool.completed", call | {"exit_code": int(failed)}, **place)
        elif kind == "usage":
            key = f"m{chosen.randrange(4)}"
            story.tell("usage.recorded", {"usage_key": key, "message_id": key, "input_tokens": number}, **place)
        elif kind == "edit":
            story.tell("mutation.observed", edits={f"{chosen.choice('ab')}.py": f"{number}\n"}, **place)
        elif kind == "approval":
            answer = {"approval_id": "A-1", "approved": True, "person": chosen.choice(["ana", "bo"])}
            story.tell("approval.decided", answer, contributor="human", **place)
        else:
            after = {"id": "INT-1", "name": f"n{number}", "status": chosen.choice(["IN_PROGRESS", "DONE"])}
            story.tell("intent.changed", {"intent_id": "INT-1", "after": after}, **place)
    return story


def chained(story):
    """Return the lines of a story as a tail has them."""
    lines, prev = [], GENESIS
    for seq, event in enumerate(story.events, 1):
        lines.append(to_line(event, seq, prev))
        prev = line_digest(lines[-1])
    return b"".join(lines)


@pytest.mark.in_turn
@pytest.mark.slow
def test_a_kept_table_is_the_table(repo, tmp_path):
    repo.start_ledger()
    tail = repo.path / ".orchestration" / "agent_trace.jsonl"

    @settings(max_examples=examples(5))
    @given(seed=st.integers(0, 2**32), events=st.integers(LONG, 3 * LONG))
    def says_the_same(seed, events):
        tail.write_bytes(chained(work(seed, events)))
        repository = find(str(repo.path))
        parts = Parts(repository, smallest=SHORT, largest=LONG).current()
        with Tables(parts, lambda *_: None) as tables:
            for name, usual in grown().items():
                anew = tables.ask(f"from {name} order by all")
                table, file = Grown(usual.model, LONG), tmp_path / f"{name}.parquet"
                table.rows(tables.connection, tables.parts).write_parquet(str(file))
                table.define(tables.connection, parts, file)

                assert tables.ask(f"from {name} order by all") == anew

    says_the_same()


@pytest.mark.slow
def test_a_kept_table_has_another_name_once_there_is_another_long_stretch(repo):
    repo.start_ledger()
    table = Grown(grown()["tool_calls"].model, LONG)

    def key(events):
        (repo.path / ".orchestration" / "agent_trace.jsonl").write_bytes(chained(work(1, events)))
        repository = find(str(repo.path))
        parts = Parts(repository, smallest=SHORT, largest=LONG).current()
        with Tables(parts, lambda *_: None) as tables:
            return table.key(tables.parts)

    first = key(LONG + 1)

    assert key(LONG + 3) == first
    assert key(2 * LONG) != first


def test_a_short_ledger_keeps_none(repo):
    repo.start_ledger()
    work(1, 50).written(repo.path)

    with open_tables(find(str(repo.path))) as tables:
        assert {name: tables.file(name) for name in grown()} == dict.fromkeys(grown())
