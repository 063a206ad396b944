"""How far long work has come: said at a terminal and nowhere else, true, and no loss when somebody interrupts it."""

import re
from pathlib import Path

import pytest

from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from linetrail.projections.tables import progress
from tests.story import Story

pytestmark = pytest.mark.in_turn

# The command line, without the patience that it has with work that is soon done.
AT_ONCE = (
    "import sys; from linetrail.queries.render import progress; progress.PATIENCE_SECONDS = progress.EVERY_SECONDS = 0;"
    "from linetrail.queries.cli import main; sys.exit(main())"
)
# The same, but for ever at an import of which so many events are found.
FOUND = 700
HELD_IMPORT = f"""
import itertools, threading
from linetrail.queries.importers.sink import Sink
add, found = Sink.add, itertools.count()
def held(sink, given):
    add(sink, given)
    if next(found) == {FOUND}:
        threading.Event().wait()
Sink.add = held
{AT_ONCE}
"""
# The same, but for ever at the second stretch of a ledger once the first one is kept.
HELD = f"""
import threading
from linetrail.projections.tables.partitions import Parts
kept, write, copied = threading.Event(), Parts._write, Parts._copied
def written(parts, *given):
    try:
        return write(parts, *given)
    finally:
        kept.set()
def held(parts, stream, first, last):
    if first:
        kept.wait()
        print("held", flush=True)
        threading.Event().wait()
    return copied(parts, stream, first, last)
Parts._write, Parts._copied = written, held
{AT_ONCE}
"""
CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
SAID = re.compile(r"(\w[\w ]*\w) [━╸╺ ]+ ([\d.,]+)/([\d.,]+) (\w[\w ,]*\w)  [\d.,]+ ")
CTRL_C = "\x03"


@pytest.fixture
def sessions(talk, tmp_path):
    """Return a folder of sessions that take a while to import."""
    for number in range(4):
        session = talk(f"session-{number}", after=number)
        text = "".join(f"    value_{at} = compute({at}, scale={at % 7})\n" for at in range(600))
        for at in range(150):
            text = session.edit(f"src/{number}.py", text, f"compute({at},", f"exactly(\n        {at},")
        session.save(tmp_path / "sessions" / f"{number}.jsonl")
    return tmp_path / "sessions"


@pytest.fixture
def told(repo):
    """Return a function that makes a sealed ledger of so many events, and a history."""

    def tell(events):
        repo.commit(files={"a.py": "def one():\n    return 1\n", "b.py": "two = 2\n"})
        repo.start_ledger()
        story = Story()
        for number in range(events):
            story.tell("session.started", {"source": "startup"}, session=f"s{number}")
        story.written(repo.path)
        Ledger(find(str(repo.path))).seal()

    return tell


def recorded(repo):
    """Return every event without what differs from one import to the next."""
    events = [line.event._replace(seq=None, prev=None) for line in Ledger(find(str(repo.path))).read()]
    return [event._replace(data=event.data | {"commitment": None}) for event in events]


def drawn(terminal, label):
    """Return what was said of a piece of work: how much of how much, in which unit."""
    found = [said for said in SAID.findall(CONTROLS.sub("", terminal.text)) if said[0] == label]
    return [(float(done.replace(",", "")), float(total.replace(",", "")), unit) for _, done, total, unit in found]


@pytest.mark.slow
@pytest.mark.usefixtures("ledger")
def test_an_import_says_how_much_of_how_much_it_has_read(at_terminal, sessions):
    terminal = at_terminal("import", "claude-code", str(sessions), program=AT_ONCE)

    assert terminal.status() == 0
    said = drawn(terminal, "importing")
    megabytes = sum(path.stat().st_size for path in sessions.iterdir()) / 1_000_000
    assert {(total, unit) for _, total, unit in said} == {(round(megabytes, 1), "MB")}
    assert sorted(done for done, _, _ in said) == [done for done, _, _ in said]
    assert said[-1][0] == round(megabytes, 1)
    assert re.search(r"MB/s  0:00:\d\d left", terminal.text)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "label", "unit"),
    [
        pytest.param(["rebuild"], "reading the ledger", "events", id="reading the ledger"),
        pytest.param(["rebuild"], "rebuilding", "projections", id="rebuild"),
        pytest.param(["verify"], "verifying", "MB", id="verify"),
        pytest.param(["audit"], "auditing", "rules", id="audit"),
        pytest.param(["export", "csv", "--out", "out"], "exporting", "views", id="export"),
        pytest.param(["export", "parquet", "--out", "out"], "exporting", "files", id="export of a lake"),
        pytest.param(["stats"], "blaming", "MB", id="stats"),
        pytest.param(["sql", "from blame_lines"], "blaming", "MB", id="lines at HEAD"),
        pytest.param(["sql", "from nodes"], "following definitions", "commits", id="definitions"),
    ],
)
def test_what_takes_long_says_how_far_it_has_come(told, at_terminal, arguments, label, unit):
    told(50)

    terminal = at_terminal(*arguments, program=AT_ONCE, LINETRAIL_PAGER="cat")

    terminal.read()
    said = drawn(terminal, label)
    assert {each[2] for each in said} == {unit}
    assert said[-1][0] == said[-1][1]


@pytest.mark.slow
def test_what_is_done_before_anybody_waited_is_not_spoken_of(told, at_terminal):
    told(50)

    terminal = at_terminal("verify", program=AT_ONCE.replace("= 0", "= 3600"))

    assert terminal.status() == 0
    assert "verifying" not in terminal.text


@pytest.mark.slow
@pytest.mark.usefixtures("ledger")
def test_away_from_a_terminal_nothing_is_drawn(linetrail, sessions):
    done = linetrail("import", "claude-code", str(sessions))

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.usefixtures("ledger")
def test_an_interrupted_import_loses_nothing_and_goes_on_where_it_stopped(repo, cli, at_terminal, sessions, tmp_path):
    terminal = at_terminal("import", "claude-code", str(sessions), program=HELD_IMPORT)
    terminal.read(until="MB/s")
    terminal.type(CTRL_C)

    assert terminal.status() == 130
    assert "the same command goes on from there" in terminal.text
    first = recorded(repo)
    assert cli("verify").status == 0

    answer = cli("import", "claude-code", str(sessions), "--json")
    both = recorded(repo)
    assert both[: len(first)] == first
    assert sum(row["imported"] for row in answer.rows) == len(both) - len(first)
    assert sum(row["duplicates"] for row in answer.rows) == len(first)
    assert 0 < len(first) < len(both) == len({event.id for event in both})

    repo_folder = Path(repo.path)
    (repo_folder / ".orchestration").rename(tmp_path / "interrupted")
    (repo_folder / ".git" / "linetrail").rename(tmp_path / "kept")
    repo.start_ledger()
    cli("import", "claude-code", str(sessions))
    assert recorded(repo) == both


@pytest.mark.slow
def test_an_interrupted_rebuild_keeps_the_stretches_that_it_has_read(repo, cli, told, at_terminal):
    told(15_000)
    terminal = at_terminal("rebuild", program=HELD)
    terminal.read(until="held")
    terminal.type(CTRL_C)
    assert terminal.status() == 130
    parts = repo.path / ".orchestration" / "cache" / "parts"
    kept = {path: path.stat().st_mtime_ns for path in parts.glob("*/*/*.parquet")}
    assert kept
    assert not list(parts.glob("*/aside-*"))

    assert cli("rebuild").status == 0

    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert cli("sql", "select count(*) as events from events", "--json").rows == [{"events": 15_000}]


def test_nobody_need_listen():
    with progress.working("counting", 2, "things") as advance:
        advance(2)

    assert list(progress.each(["a", "b"], "counting", "things")) == ["a", "b"]
