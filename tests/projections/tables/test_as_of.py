"""A ledger cut down to an earlier moment gives the answers of a ledger that ended there."""

import itertools
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linetrail.ledger.log import segments
from linetrail.ledger.log.chain import START
from linetrail.ledger.log.extent import Run
from linetrail.ledger.log.segments import Segment
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, find
from linetrail.projections.blame.blame import blame
from linetrail.projections.build import rebuild
from linetrail.projections.git.target import in_worktree
from linetrail.projections.tables import models
from linetrail.projections.tables.partitions import Parts
from linetrail.projections.tables.prefix import LedgerMovedError, before, begins, cut, reaching, up_to
from linetrail.projections.tables.tables import Tables, open_tables, tables_over
from tests.examples import examples
from tests.story import Story

pytestmark = pytest.mark.in_turn

OURS, THEIRS, BOTH = ("ours",), ("theirs",), ("ours", "theirs")
TELL, SEAL, MERGE = "tell", "seal", "merge"
steps = st.lists(
    st.tuples(st.sampled_from([TELL, TELL, TELL, SEAL, SEAL, MERGE]), st.sampled_from([OURS, THEIRS, BOTH])),
    min_size=4,
    max_size=14,
)


def a_ledger(folder: Path) -> Repository:
    (folder / ".orchestration").mkdir(parents=True)
    return find(str(folder))


def segment_files(repository: Repository) -> list[Path]:
    return sorted(Path(repository.folder).glob("segments/*.jsonl"))


def bring(files, repository: Repository) -> None:
    folder = Path(repository.folder, "segments")
    folder.mkdir(exist_ok=True)
    for file in files:
        shutil.copy(file, folder)


class Branches:
    """Two ledgers that seal for themselves and exchange what is sealed, as branches do."""

    def __init__(self, folder: Path) -> None:
        self.story = Story()
        self.ledgers = {name: a_ledger(folder / name) for name in BOTH}

    def step(self, what: str, where: tuple[str, ...]) -> None:
        here = [self.ledgers[name] for name in where]
        if what == TELL:
            number = len(self.story.events)
            self.story.tell("mutation.observed", intent=f"INT-{number % 3}", edits={f"{number % 2}.py": f"{number}\n"})
            for repository in here:  # in both: as when one transcript is imported twice
                Ledger(repository).append(self.story.events[-1:])
        elif what == SEAL:
            for repository in here:
                Ledger(repository).seal()
        else:
            for repository in here:
                for other in self.ledgers.values():
                    if other != repository:
                        bring(segment_files(other), repository)


def runs_of(repository: Repository) -> list[Run]:
    with Ledger(repository).extent() as extent:
        return list(extent.runs)


def ended(repository: Repository, lines: list[int], folder: Path) -> Repository:
    """Make a ledger by hand that has so many lines of each run, the last of them not sealed."""
    made = a_ledger(folder)
    with Ledger(repository).extent() as extent:
        for run, kept in zip(extent.runs, lines, strict=True):
            if run.segment is not None and kept == run.events:
                bring([Path(segments.path(repository.folder, run.segment.name))], made)
            elif kept:
                # a tail may begin with lines that were sealed elsewhere
                before = itertools.islice(extent.read_tail(START), extent.base.seq if run.segment is None else 0)
                raws = [line.raw for line in (*before, *itertools.islice(extent.read(run), kept))]
                Path(made.folder, "agent_trace.jsonl").write_bytes(b"".join(raws))
    return made


def everything(tables: Tables) -> dict[str, list]:
    for model in models.derived():
        tables.hold(model.name)
    return {
        model.name: sorted(tables.ask(f"from {model.name}").rows, key=repr)
        for model in (*models.stored(), *models.derived())
    }


@pytest.mark.slow
@settings(
    max_examples=examples(5),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(steps=steps, data=st.data())
def test_the_tables_up_to_an_event_are_those_of_a_ledger_that_ended_there(tmp_path_factory, steps, data):
    folder = tmp_path_factory.mktemp("branches")
    branches = Branches(folder)
    for what, where in steps:
        branches.step(what, where)
    repository = branches.ledgers["ours"]
    runs = runs_of(repository)
    position = data.draw(st.integers(0, sum(run.events for run in runs)), label="position")

    lines = up_to(runs, position)
    parts = Parts(repository, smallest=2, largest=8).current(until=cut("then", runs, lines).of)

    assert sum(lines) == position
    with (
        tables_over(repository, parts) as then,
        open_tables(ended(repository, lines, folder / "ended")) as really,
    ):
        assert everything(then) == everything(really)


class Graph(NamedTuple):
    """Runs whose segments form a graph: parents come first."""

    runs: list[Run]

    def lines(self):
        """Yield (run, place) of every line."""
        for at, (run, begin) in enumerate(zip(self.runs, begins(self.runs), strict=True)):
            yield from ((at, begin + number) for number in range(1, run.events + 1))

    def parents(self, at: int) -> set[int]:
        segment = self.runs[at].segment
        if segment is None:
            return set(range(at))
        return {other for other in range(at) if self.runs[other].segment.name in segment.parents}


@st.composite
def graphs(draw):
    names: list[str] = []
    runs = []
    for number in range(draw(st.integers(0, 5))):
        parents = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
        names.append(f"{number:064x}")
        runs.append(
            Run(Segment(names[-1], tuple(parents), 1, events := draw(st.integers(1, 4)), "", "", "", ""), events)
        )
    return Graph([*runs, Run(None, draw(st.integers(0, 4)))])


@given(graph=graphs(), data=st.data())
def test_before_a_time_nothing_is_left_that_follows_a_later_line(graph, data):
    places = list(graph.lines())
    late = {place for _, place in places if data.draw(st.booleans())}

    first_late = {
        begin: min(found)
        for at, begin in enumerate(begins(graph.runs))
        if (found := [place for run, place in places if run == at and place in late])
    }
    kept = before(graph.runs, first_late)

    expected = [0] * len(graph.runs)
    for at, run in enumerate(graph.runs):
        if all(expected[parent] == graph.runs[parent].events for parent in graph.parents(at)):
            mine = [place for other, place in places if other == at]
            expected[at] = next((number for number, place in enumerate(mine) if place in late), run.events)
    assert kept == expected


@pytest.mark.slow
@given(graph=graphs(), data=st.data())
def test_what_a_line_cannot_do_without_is_kept_and_no_more(graph, data):
    wanted = [(at, place) for at, place in graph.lines() if data.draw(st.booleans())]
    named = [run.segment.name for run in graph.runs if run.segment is not None and data.draw(st.booleans())]

    starts = begins(graph.runs)
    kept = reaching(graph.runs, {starts[at]: place for at, place in wanted}, {*named, "f" * 64})

    whole = {at for at, run in enumerate(graph.runs) if run.segment is not None and run.segment.name in named}
    for at in reversed(range(len(graph.runs))):
        if at in whole or at in {run for run, _ in wanted}:
            whole |= graph.parents(at)
    expected = [
        run.events if at in whole else max((place - starts[at] for other, place in wanted if other == at), default=0)
        for at, run in enumerate(graph.runs)
    ]
    assert kept == expected


@pytest.fixture
def repository(repo) -> Repository:
    repo.start_ledger()
    return find(str(repo.path))


@pytest.fixture
def story(repo, repository) -> Story:
    """Four changes by an agent, the first two of them sealed."""
    story = Story()
    for sealed in (True, False):
        for number in (1, 2):
            text = f"x = {number}\n" if sealed else f"x = {number}\ny = {number}\n"
            story.tell("mutation.observed", intent=f"INT-{number}", edits={f"{number}.py": text})
        story.written(repo.path)
        if sealed:
            Ledger(repository).seal()
    return story


@pytest.mark.slow
def test_an_event_of_two_segments_is_told_by_the_one_that_was_there(tmp_path):
    branches = Branches(tmp_path)
    branches.step(TELL, OURS)
    branches.step(TELL, THEIRS)
    branches.step(TELL, BOTH)
    branches.step(SEAL, BOTH)
    branches.step(MERGE, OURS)
    repository = branches.ledgers["ours"]
    runs = runs_of(repository)
    shared = branches.story.events[-1].id

    without_the_first = cut("then", runs, [0, runs[1].events, 0])
    with open_tables(repository) as now, open_tables(repository, until=without_the_first) as then:
        assert len(now.ask("from events").rows) == 3
        assert shared in {event_id for (event_id,) in then.ask("select event_id from events").rows}


def test_segments_that_come_in_between_are_noticed(repository, story):
    runs = runs_of(repository)
    then = cut("then", runs, up_to(runs, 3))
    Ledger(repository).seal()

    with pytest.raises(LedgerMovedError, match="came to the ledger just now"):
        open_tables(repository, until=then)


def test_what_is_appended_in_between_is_not_there(repo, repository, story):
    runs = runs_of(repository)
    then = cut("then", runs, up_to(runs, 4))
    story.tell("session.ended", {"reason": "exit"})
    story.written(repo.path)

    with open_tables(repository, until=then) as tables:
        assert tables.ask("select count(*), max(position) from events").rows == [(4, 4)]


def cached(repository: Repository, *, parts: bool) -> dict[str, bytes]:
    cache = Path(repository.folder, "cache")
    files = (file for file in cache.rglob("*") if file.is_file())
    return {str(file): file.read_bytes() for file in files if parts or "parts" not in file.parts}


@pytest.mark.slow
def test_a_rebuild_as_of_then_leaves_nothing_behind_but_the_map(repository, story):
    for _ in range(2):  # the second remembers what the first found in the segments
        rebuild(repository)
    intent_map = Path(repository.folder, "intent_map.md")
    now, kept = intent_map.read_bytes(), cached(repository, parts=False)
    runs = runs_of(repository)

    rows = rebuild(repository, until=cut("then", runs, up_to(runs, 1)))

    assert {row.projection: row.rows for row in rows}["events"] == 1
    assert intent_map.read_bytes() != now
    assert b"INT-2" not in intent_map.read_bytes()
    assert cached(repository, parts=False) == kept
    rebuild(repository)
    assert (intent_map.read_bytes(), cached(repository, parts=False)) == (now, kept)


@pytest.mark.slow
def test_a_check_as_of_then_writes_nothing(repository, story):
    for _ in range(2):  # the second remembers what the first found in the segments
        rebuild(repository)
    intent_map = Path(repository.folder, "intent_map.md")
    now, kept = intent_map.read_bytes(), cached(repository, parts=True)
    runs = runs_of(repository)

    rows = rebuild(repository, check=True, until=cut("then", runs, up_to(runs, 1)))

    assert {row.projection: row.changed for row in rows}["intent_map"]
    assert (intent_map.read_bytes(), cached(repository, parts=True)) == (now, kept)


@pytest.mark.slow
def test_asking_about_the_past_removes_nothing_that_the_present_needs(repository, story, monkeypatch):
    monkeypatch.setattr("linetrail.projections.tables.cache.GRACE_SECONDS", -1)
    [part] = Parts(repository).current()
    runs = runs_of(repository)

    Parts(repository).current(until=cut("then", runs, up_to(runs, 1)).of)

    assert part.folder.exists()


@pytest.mark.slow
def test_blame_remembers_the_past_and_the_present_apart(repo, repository, story):
    repo.write("2.py", "x = 2\ny = 2\n")
    runs = runs_of(repository)
    target = in_worktree(repository, "2.py")

    for _ in range(2):  # the second time from memory
        then = [blame(repository, target, cut("then", runs, up_to(runs, at))).attributions for at in (1, 2, 4)]
        now = blame(repository, target).attributions

        assert [[line.event_id is not None for line in lines] for lines in then] == [
            [False, False],
            [True, False],
            [True, True],
        ]
        assert now == then[-1]
