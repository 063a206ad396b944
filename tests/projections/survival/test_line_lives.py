"""Lines live from the change that wrote them to the change that ended them, wherever they go meanwhile."""

import json
import re
from collections import Counter

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linetrail.ledger.observe.mutation import transition
from linetrail.ledger.repository import find
from linetrail.projections.lines.replay import Replay
from linetrail.projections.lines.surviving_lines import holdings, numbers
from linetrail.projections.lines.transitions import Claim, Transition, read
from linetrail.projections.survival.line_lives import in_file, roots
from linetrail.projections.tables.computed_cache import folder, forget
from linetrail.projections.tables.partitions import Parts
from linetrail.projections.tables.tables import open_tables, tables_over
from tests.examples import examples
from tests.projections.tables.test_rebuild import mutations
from tests.story import Story

pytestmark = pytest.mark.in_turn

SPANS = """
select path, lines, contributor_type, session_id, born_event, killed_by, killed_by_type, killed_by_session
from v_line_spans
order by path, born_epoch, killed_by is null, killed_by
"""
ONE, TWO, THREE = "alpha = 1\n", "beta = 2\n", "gamma = 3\n"


@pytest.fixture
def told(repo):
    """Return a function that writes a story's events and answers with the spans they leave, as dictionaries."""
    repo.start_ledger()

    def spans(story: Story, sql: str = SPANS):
        story.written(repo.path)
        with open_tables(find(str(repo.path))) as tables:
            return list(tables.ask(sql).mappings())

    return spans


def write(story: Story, text: str | None, path: str = "a.py", session: str = "s1", **told: str | int):
    return story.tell("mutation.observed", session=session, edits={path: text}, **told).id


@pytest.mark.slow
def test_a_line_that_is_still_there_has_no_end(told):
    story = Story()
    born = write(story, ONE + TWO)

    [span] = told(story)

    assert span == {
        "path": "a.py",
        "lines": 2,
        "contributor_type": "ai",
        "session_id": "s1",
        "born_event": born,
        "killed_by": None,
        "killed_by_type": None,
        "killed_by_session": None,
    }


def test_a_change_ends_the_lines_that_it_takes_away(told):
    story = Story()
    write(story, ONE + TWO + THREE)
    killer = write(story, ONE, session="s2", contributor="human")

    ended, alive = told(story)

    assert (ended["lines"], ended["killed_by"]) == (2, killer)
    assert (ended["killed_by_type"], ended["killed_by_session"]) == ("human", "s2")
    assert (alive["lines"], alive["killed_by"]) == (1, None)


def test_a_changed_line_ends_and_another_is_born(told):
    story = Story()
    first = write(story, ONE + TWO)
    second = write(story, ONE + "beta = 22\n")

    assert [(span["born_event"], span["lines"], span["killed_by"]) for span in told(story)] == [
        (first, 1, second),
        (first, 1, None),
        (second, 1, None),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(ONE + TWO, "  alpha = 1\n\tbeta = 2\n", id="indented anew"),
        pytest.param(ONE + TWO, "alpha=1\nbeta  =  2", id="other spaces, no final newline"),
        pytest.param(ONE + TWO + THREE, TWO + THREE + ONE, id="moved within the file"),
        pytest.param("call(one, two)\n", "call(\n    one,\n    two\n)\n", id="broken anew"),
    ],
)
def test_what_is_no_change_of_substance_ends_no_life(told, before, after):
    story = Story()
    write(story, before)
    write(story, after, session="s2")

    assert {(span["session_id"], span["killed_by"]) for span in told(story) if span["session_id"] == "s1"} == {
        ("s1", None)
    }


@pytest.mark.slow
def test_a_change_that_was_taken_back_ended_nothing(told):
    story = Story()
    write(story, ONE + TWO)
    write(story, ONE)
    write(story, ONE + TWO)

    [span] = told(story)

    assert (span["lines"], span["killed_by"]) == (2, None)


@pytest.mark.slow
def test_a_second_removal_is_the_end(told):
    story = Story()
    write(story, ONE + TWO)
    write(story, ONE)
    write(story, ONE + TWO)
    last = write(story, ONE, session="s3")

    assert [span["killed_by"] for span in told(story)] == [last, None]


@pytest.mark.slow
def test_deleting_the_file_ends_all_its_lines(told):
    story = Story()
    write(story, ONE + TWO)
    deleted = write(story, None)

    [span] = told(story)

    assert (span["lines"], span["killed_by"]) == (2, deleted)


@pytest.mark.slow
def test_renaming_a_file_ends_nothing(told):
    story = Story()
    write(story, ONE + TWO + THREE)
    renamed = dict(story.events[0].data["files"][0])
    text = {"before_hash": renamed["after_hash"], "after_hash": renamed["after_hash"], "before_lines": 3, "hunks": []}
    story.tell(
        "mutation.observed",
        {"via": "shell", "files": [renamed | text | {"path": "b.py", "from_path": "a.py", "op": "rename"}]},
    )

    [span] = told(story, "select path, born_path, lines, killed_by from v_line_spans")

    assert span == {"path": "b.py", "born_path": "a.py", "lines": 3, "killed_by": None}


@pytest.mark.slow
def test_a_copy_of_a_file_gives_birth_to_no_line(told):
    story = Story()
    write(story, ONE + TWO + THREE)
    copied = dict(story.events[0].data["files"][0])
    text = {"before_hash": copied["after_hash"], "after_hash": copied["after_hash"], "before_lines": 3, "hunks": []}
    story.tell(
        "mutation.observed",
        {"via": "shell", "files": [copied | text | {"path": "b.py", "from_path": "a.py", "op": "copy"}]},
    )

    assert [(span["path"], span["lines"]) for span in told(story)] == [("a.py", 3)]


@pytest.mark.slow
def test_a_block_that_a_session_moves_into_another_file_lives_on_there(told):
    story = Story()
    born = write(story, "import x\n" + ONE + TWO + THREE)
    write(story, "import x\n", session="s2")
    write(story, "import y\n" + ONE + TWO + THREE, path="b.py", session="s2")
    last = write(story, "import y\n" + ONE + TWO, path="b.py", session="s3")

    spans = told(story)

    assert [
        (span["path"], span["session_id"], span["lines"], span["killed_by"]) for span in spans if span["path"] == "b.py"
    ] == [("b.py", "s1", 1, last), ("b.py", "s1", 2, None), ("b.py", "s2", 1, None)]
    assert [(span["lines"], span["killed_by"]) for span in spans if span["path"] == "a.py"] == [(1, None)]
    assert {span["born_event"] for span in spans if span["session_id"] == "s1"} == {born}


@pytest.mark.slow
def test_equal_lines_that_another_session_wrote_elsewhere_are_its_own(told):
    story = Story()
    write(story, ONE + TWO + THREE)
    killer = write(story, "pass\n", session="s2")
    write(story, ONE + TWO + THREE, path="b.py", session="s3")

    spans = told(story)

    assert [(span["session_id"], span["killed_by"]) for span in spans if span["lines"] == 3] == [
        ("s1", killer),
        ("s3", None),
    ]


@pytest.mark.slow
def test_lines_that_were_only_found_have_no_birth_and_are_left_out(told):
    story = Story()
    write(story, ONE + TWO)
    [entry] = story.events.pop().data["files"]
    found = entry | {"op": "modify", "snapshot": True, "before_hash": None}
    story.tell("mutation.observed", {"via": "unseen", "files": [found]}, contributor="unknown")
    write(story, ONE + TWO + THREE)

    assert [(span["lines"], span["contributor_type"]) for span in told(story)] == [(1, "ai")]


@pytest.mark.slow
def test_the_change_counts_that_the_last_state_comes_from(told):
    story = Story()
    write(story, ONE + TWO)
    elsewhere = write(story, ONE, session="other-branch")
    story.hold("a.py", ONE + TWO)
    write(story, ONE + TWO + THREE, session="s3")
    here = write(story, ONE + THREE, session="s4")

    spans = told(story)

    assert elsewhere not in {span["killed_by"] for span in spans}
    assert [span["killed_by"] for span in spans if span["killed_by"]] == [here]


@pytest.mark.slow
def test_lines_that_went_out_of_sight_are_known_up_to_then(told):
    story = Story()
    write(story, ONE + TWO)
    write(story, ONE + TWO + THREE, session="branch")
    story.hold("a.py", ONE + TWO)
    write(story, TWO, session="s3")

    [lost] = told(story, "select lines, censored, seen_until_at, born_at from v_line_spans where session_id = 'branch'")

    assert lost == {"lines": 1, "censored": 1, "seen_until_at": lost["born_at"], "born_at": lost["born_at"]}


@pytest.mark.slow
def test_the_lines_alive_are_those_that_sessions_hold(told, repo):
    story = Story()
    for number in range(6):
        text = "".join(f"line {at // (number + 1)} {at % 5}\n" for at in range(12))
        write(story, text, path=f"{number % 2}.py", session=f"s{number % 3}")
    alive = told(
        story, "select path, session_id, sum(lines) as lines from v_line_spans where censored = 1 group by all"
    )

    with open_tables(find(str(repo.path))) as tables:
        held = Counter(
            (row["path"], row["session_id"]) for row in holdings(tables).mappings() for _ in numbers(row["lines"])
        )

    assert {(row["path"], row["session_id"]): row["lines"] for row in alive} == held


CONTENTS = st.lists(st.sampled_from(["alpha", "beta", "gamma = delta", "}", "", "call(a, b)", "call(", "  a,", "  b)"]))
STEPS = st.lists(st.tuples(st.integers(0, 9), CONTENTS.map("\n".join), st.sampled_from(["ai", "human", "unknown"])))


@pytest.mark.slow
@given(STEPS)
def test_whatever_happened_the_lines_alive_are_those_of_the_last_state(steps):
    past: list[Transition] = []
    states: list[bytes | None] = [None]
    for number, (origin, text, kind) in enumerate(steps, 1):
        before, after = states[-1 - origin % len(states) if origin > 6 else -1], text.encode() or None
        claim = Claim(number, f"e{number}", session_id=kind, contributor_type=kind, via="tool", path="a.py")
        row = claim._asdict() | dict.fromkeys(("from_path", "before_blob", "part", "parts", "snapshot"))
        for entry in transition("a.py", before, after) if before != after else ():
            past += read([row | entry | {"hunks": json.dumps(entry["hunks"])}])
            states.append(after)
    found = in_file("a.py", past) if past else []

    state = Replay(past, lambda _: None).state(past[-1].after_hash or "") if past else None
    held = {id(root): root.claim for line in (state.lines if state else ()) for root in roots(line)}
    alive = Counter({each.born: 0 for each in found})
    for each in found:
        alive[each.born] += len(each.hashes) if each.killed is None and each.lost is None else 0
    assert +alive == Counter(claim.position for claim in held.values() if claim is not None)
    assert all(number for each in found if each.killed is not None for number in each.last_numbers)


batches = st.lists(st.lists(mutations, min_size=1, max_size=5), min_size=1, max_size=5)


@pytest.mark.slow
@settings(
    max_examples=examples(5),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(batches=batches, sessions=st.lists(st.sampled_from(["s1", "s2"]), min_size=25, max_size=25))
def test_spans_that_followed_the_ledger_equal_those_from_nothing(tmp_path_factory, batches, sessions):
    place = tmp_path_factory.mktemp("spans")
    (place / ".orchestration").mkdir()
    repository = find(str(place))
    story = Story()
    turn = iter(sessions)

    for batch in batches:
        story.told([record | {"session": next(turn)} for record in batch]).written(place)
        with open_tables(repository) as tables:
            in_steps = tables.ask("from v_line_spans").rows
            assert len({row[0] for row in in_steps}) == len(in_steps)
    forget(repository)
    with tables_over(repository, Parts(repository, keep=False).current(anew=True)) as tables:
        assert tables.ask("from v_line_spans").rows == in_steps


@pytest.mark.slow
@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda kept: kept.write_bytes(kept.read_bytes()[:-20]), id="cut short"),
        pytest.param(lambda kept: kept.write_bytes(b"PAR1" + bytes(kept.stat().st_size - 4)), id="overwritten"),
        pytest.param(lambda kept: kept.unlink(), id="gone"),
    ],
)
def test_whatever_becomes_of_what_is_kept_the_lives_are_the_same(told, repo, spoil):
    story = Story()
    write(story, ONE + TWO)
    told(story)
    [kept] = (folder(find(str(repo.path))) / "lives").glob("*.parquet")

    spoil(kept)
    killer = write(story, TWO)

    assert [(span["lines"], span["killed_by"]) for span in told(story)] == [(1, killer), (1, None)]


@pytest.mark.slow
def test_what_is_kept_of_a_file_holds_where_its_changes_have_moved_in_the_ledger(told, repo):
    story = Story()
    other = write(story, THREE, path="b.py")
    born = write(story, ONE + TWO)
    killer = write(story, TWO)
    every, story.events = story.events, story.events[1:]
    told(story)
    lives = folder(find(str(repo.path))) / "lives"
    [kept] = lives.glob("*.parquet")
    marked = lives / "marked"
    duckdb.sql(f"from '{kept}' select * replace ('kept' as content_hash)").write_parquet(str(marked))
    kept.unlink()
    status = marked.stat()
    marked.rename(lives / re.sub(r"\d+-\d+\.parquet", f"{status.st_size}-{status.st_mtime_ns}.parquet", kept.name))
    (repo.path / ".orchestration" / "agent_trace.jsonl").unlink()
    story.events = every

    spans = told(
        story, "select path, content_hash = 'kept' as kept, born_event, killed_by from v_line_spans order by all"
    )

    assert [tuple(span.values()) for span in spans] == [
        ("a.py", True, born, killer),
        ("a.py", True, born, None),
        ("b.py", False, other, None),
    ]


@pytest.mark.slow
def test_what_is_alive_is_known_up_to_the_latest_event_whatever_comes_last(told):
    story = Story()
    write(story, ONE, days=5)
    late = story.tell("session.ended", {"reason": "exit"}, days=5)
    early = story.tell("session.ended", {"reason": "exit"}, days=-8)

    [span] = told(story, "select seen_until_epoch - born_epoch as age, seen_until_at from v_line_spans")

    assert early.timestamp < late.timestamp
    assert span["age"] == 5 * 86_400 + 60
