"""The tables follow from the ledger: however it grew, whatever became of the cache, whoever else is at work."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linetrail.ledger.errors import DamageWarning, FutureLedgerError, UsageError
from linetrail.ledger.repository import Repository, find
from linetrail.projections.build import findings, rebuild
from linetrail.projections.lines.surviving_lines import holdings
from linetrail.projections.tables import models
from linetrail.projections.tables.intent_map import intent_map
from linetrail.projections.tables.partitions import Parts, stretches
from linetrail.projections.tables.tables import Tables, made_of, open_tables, tables_over
from tests.conftest import command
from tests.examples import examples
from tests.story import Story

pytestmark = pytest.mark.in_turn

LINES = ["alpha\n", "beta\n", "gamma\n", "}\n", "\n", "  beta\n", "delta\n"]
contents = st.lists(st.sampled_from(LINES), max_size=8).map("".join)
edits = st.dictionaries(st.sampled_from(["a.py", "b.py", "dir/c.py"]), st.none() | contents, min_size=1, max_size=2)
mutations = st.fixed_dictionaries(
    {"mutation.observed": st.sampled_from([{"via": "tool"}, {"via": "shell"}]), "edits": edits},
    optional={"contributor": st.sampled_from(["ai", "human", "unknown"])},
)
others = st.sampled_from(
    [
        {"session.started": {"source": "startup"}},
        {"session.ended": {"reason": "exit"}},
        {"prompt.submitted": {"excerpt": "do it", "sha256": f"sha256:{'0' * 64}", "length": 5}},
        {"tool.requested": {"tool_call_id": "c1", "tool_name": "Edit", "operation": "edit"}},
        {"tool.completed": {"tool_call_id": "c1", "tool_name": "Edit", "operation": "edit", "duration_ms": 7}},
        {"usage.recorded": {"usage_key": "m:r", "message_id": "m", "input_tokens": 1}},
        {"intent.changed": {"intent_id": "INT-1", "after": {"id": "INT-1", "name": "One", "status": "DRAFT"}}},
        {"intent.completed": {"intent_id": "INT-1", "after": {"id": "INT-1", "name": "One", "status": "DONE"}}},
        {"decision.recorded": {"decision_id": "D-1", "title": "So", "status": "accepted"}},
        {"commit.observed": {"revision": "b" * 40, "parents": ["a" * 40], "files": ["a.py"]}},
    ]
)
records = st.builds(
    lambda record, place: record | place,
    mutations | others,
    st.fixed_dictionaries(
        {"session": st.sampled_from(["s1", "s2"]), "intent": st.sampled_from([None, "INT-1", "INT-2"])}
    ),
)


@pytest.fixture
def repository(repo) -> Repository:
    repo.start_ledger()
    return find(str(repo.path))


@pytest.fixture
def story(repo, repository) -> Story:
    """A few sessions with edits, in the ledger already."""
    story = Story()
    for number in range(1, 4):
        session = f"s{number}"
        story.tell("session.started", {"source": "startup"}, session=session)
        story.tell("prompt.submitted", {"excerpt": "do it", "sha256": f"sha256:{'0' * 64}", "length": 5})
        text = "".join(f"line {line} of {session}\n" for line in range(5))
        story.tell(
            "mutation.observed", session=session, intent=f"INT-{number}", edits={f"{session}.py": text, "a": text}
        )
    story.written(repo.path)
    return story


def everything(tables: Tables, kept: Path | None = None) -> dict[str, object]:
    """Return all rows of all tables in an order of their own, and the text of the map."""
    for model in models.derived():
        tables.hold(model.name)  # each would be planned again for every table over it
    found: dict[str, object] = {
        model.name: sorted(tables.ask(f"from {model.name}").rows, key=repr)
        for model in (*models.stored(), *models.derived(), *models.views())
    }
    intents = tables.ask("select intent_id, title, status from intents")
    return found | {"intent_map": intent_map(holdings(tables, kept), intents)}


def answers(repository: Repository) -> dict[str, object]:
    with open_tables(repository) as tables:
        return everything(tables)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.promise("P2")
@settings(
    max_examples=examples(3),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(batches=st.lists(st.lists(records, min_size=1, max_size=7), min_size=1, max_size=5))
def test_a_rebuild_in_steps_equals_one_from_nothing(tmp_path_factory, batches):
    folder = tmp_path_factory.mktemp("steps")
    (folder / ".orchestration").mkdir()
    repository = find(str(folder))
    kept = folder / "holdings.json"
    story = Story()

    for batch in batches:
        story.told(batch).written(folder)
        with tables_over(repository, Parts(repository, smallest=2, largest=8).current()) as tables:
            in_steps = everything(tables, kept)
    with tables_over(repository, Parts(repository, keep=False, smallest=3, largest=100).current(anew=True)) as tables:
        assert everything(tables) == in_steps
        assert findings(tables) == []


@pytest.mark.slow
def test_a_database_for_one_ledger_after_the_other_says_of_each_what_its_own_would(tmp_path):
    database, ledgers = Tables((), lambda *_: None), []
    for number in (1, 2):
        folder = tmp_path / str(number)
        (folder / ".orchestration").mkdir(parents=True)
        story = Story()
        for session in range(number):
            story.tell("session.started", {"source": "startup"}, session=f"s{number}{session}")
            edits = {f"{number}.py": f"line {session}\n"}
            story.tell("mutation.observed", session=f"s{number}{session}", intent=f"INT-{number}", edits=edits)
        story.written(folder)
        ledgers.append(find(str(folder)))

    of_sessions = made_of(["v_sessions"])
    for ledger in (*ledgers, *ledgers):
        with open_tables(ledger) as alone:
            found = alone.ask("from v_sessions order by session_id").rows
        with database.over(open_tables(ledger)) as tables:
            for model in (*models.stored(), *models.derived()):
                if model.name in of_sessions:
                    tables.hold(model.name)
            assert tables.ask("from v_sessions order by session_id").rows == found != []
    with pytest.raises(duckdb.CatalogException):
        database.connection.execute("from v_sessions")


@pytest.mark.slow
def test_a_table_without_a_row_stays_for_ledgers_that_say_nothing_of_it(tmp_path):
    database, found, made = Tables((), lambda *_: None), [], []

    for number, prompts in enumerate((0, 1, 0, 0)):
        (tmp_path / str(number) / ".orchestration").mkdir(parents=True)
        story = Story()
        story.tell("session.started", {"source": "startup"})
        for _ in range(prompts):
            story.tell("prompt.submitted", {"excerpt": "do it", "length": 5})
        story.written(tmp_path / str(number))
        with database.over(open_tables(find(str(tmp_path / str(number))))) as tables:
            tables.work_out(["prompt_submissions"])
            tables.hold("prompts")
            found.append((tables.count("v_prompts"), tables.is_empty("prompts"), tables.is_empty("v_prompts")))
            made += tables.connection.execute(
                "select table_oid from duckdb_tables() where table_name = 'prompts'"
            ).fetchall()

    with database.over(open_tables(find(str(tmp_path / "1")))) as tables:
        assert tables.count("prompts") == 1  # in place of a table that was held without a row

    assert found == [(0, True, True), (1, False, False), (0, True, True), (0, True, True)]
    assert made[2] == made[3] != made[1]


@given(st.integers(0, 500), st.integers(1, 8), st.integers(0, 4))
def test_stretches_cover_every_event_once(events, smallest, doublings):
    cuts = stretches(events, smallest, smallest << doublings)

    assert [last for _, last in cuts[:-1]] == [first for first, _ in cuts[1:]]
    assert (cuts[0][0], cuts[-1][1]) == (0, events)
    assert all(last > first for first, last in cuts) or events == 0


def whole(cache: Path) -> None:
    shutil.rmtree(cache)


def one_part(cache: Path) -> None:
    shutil.rmtree(next(cache.glob("parts/*/*-*-*")))


def one_file(cache: Path) -> None:
    next(cache.glob("parts/*/*/events.parquet")).unlink()


def cut_file(cache: Path) -> None:
    file = next(cache.glob("parts/*/*/mutation_files.parquet"))
    file.write_bytes(file.read_bytes()[:-20])


def turned_bit(cache: Path) -> None:
    file = next(cache.glob("parts/*/*/events.parquet"))
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def stamps(cache: Path) -> None:
    for file in next(cache.glob("parts/*/*/events.json")).parent.glob("*.json"):
        file.write_text("{")


def foreign(cache: Path) -> None:
    next(cache.glob("parts/*")).joinpath("0-9-1-2").mkdir()
    cache.joinpath("holdings.json").write_text('{"made_by": [1, 1], "files": 7}')
    cache.joinpath("built.json").write_text("[]")


@pytest.mark.daily(1, 3)
@pytest.mark.promise("R4")
@pytest.mark.parametrize("spoil", [whole, one_part, cut_file, foreign, one_file, turned_bit, stamps])
def test_whatever_becomes_of_the_cache_the_answers_are_the_same(repo, repository, story, spoil):
    rebuild(repository)
    before, text = answers(repository), (Path(repository.folder) / "intent_map.md").read_bytes()

    spoil(Path(repository.folder) / "cache")

    rebuild(repository)
    assert answers(repository) == before
    assert (Path(repository.folder) / "intent_map.md").read_bytes() == text


@pytest.mark.slow
def test_another_ledger_of_the_same_length_is_not_mistaken_for_the_old_one(repo, repository):
    Story().told([{"mutation.observed": {}, "edits": {"old.py": "x\n"}}] * 3).written(repo.path)
    answers(repository)
    (Path(repository.folder) / "agent_trace.jsonl").write_bytes(b"")
    shutil.rmtree(repo.path / ".git" / "linetrail")

    Story().told([{"mutation.observed": {}, "edits": {"new.py": "x\n"}}] * 3).written(repo.path)

    assert {row[0] for row in open_tables(repository).ask("select path from v_mutations").rows} == {"new.py"}


def test_a_cache_that_cannot_be_written_keeps_nobody_from_asking(repo, repository, story):
    (Path(repository.folder) / "cache").write_text("a file where the folder would be")

    with open_tables(repository) as tables:
        assert tables.ask("select count(*) from v_events").rows == [(9,)]


@pytest.mark.slow
@pytest.mark.promise("R5")
def test_a_disk_that_is_full_is_said_and_leaves_everything_as_it_was(repo, repository, linetrail):
    story = Story()
    for number in range(200):
        story.tell("mutation.observed", intent="INT-1", edits={"a.py": f"line {number}\n"})
    story.written(repo.path)
    for _ in range(2):  # the second remembers what it read of the tail
        assert linetrail("rebuild").returncode == 0
    before = tree(repo.path)
    full = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (9_000, 9_000));"
    run = "from linetrail.queries.cli import main; sys.exit(main(['rebuild', '--full']))"

    done = subprocess.run(
        [sys.executable, "-c", full + run], cwd=repo.path, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: cannot write the cache in ")
    assert tree(repo.path) == before
    assert linetrail("rebuild", "--check").returncode == 0


@pytest.mark.slow
def test_asking_in_a_worktree_where_nothing_happened_leaves_it_clean(repo, story, linetrail):
    assert story
    repo.commit("one", {"a.py": "one\n", ".gitignore": ".orchestration\n"})
    other = repo.path.parent / "other"
    repo.git("worktree", "add", "--quiet", str(other))

    assert linetrail("log", "--nl", cwd=other).stdout == ""
    assert not (other / ".orchestration").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "we[i]rd *? 'q\" {a,b} é",
        pytest.param(
            os.fsdecode(b"caf\xe9"),
            marks=pytest.mark.skipif(sys.platform != "linux", reason="names are UTF-8 elsewhere"),
            id="no UTF-8",
        ),
    ],
)
def test_a_folder_may_be_called_anything(tmp_path, linetrail, name):
    root = tmp_path / name
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (root / ".orchestration").mkdir()
    Story().told([{"mutation.observed": {}, "edits": {"a.py": "one\n"}}]).written(root)

    for command_line in (["rebuild"], ["log", "--nl"], ["sql", "select path from v_mutations", "--nl"]):
        done = linetrail(*command_line, cwd=root)
        assert (done.returncode, done.stderr) == (0, "")
        assert "a.py" in done.stdout or command_line == ["rebuild"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_keeps_nobody_from_asking(repo, repository, story, cli):
    folder = Path(repository.folder)
    folder.chmod(0o500)
    try:
        assert len(cli("log", "--json").rows) == 9
        assert cli("rebuild").status == 2
    finally:
        folder.chmod(0o700)


def test_a_torn_tail_is_left_out_and_what_comes_after_it_is_there(repo, repository, story):
    ledger = Path(repository.folder) / "agent_trace.jsonl"
    with ledger.open("ab") as file:
        file.write(b'{"v":1,"id":"half a li')

    assert open_tables(repository).ask("select count(*) from v_events").rows == [(9,)]

    story.tell("session.ended", {"reason": "exit"})
    story.written(repo.path)
    repaired = "select event_type from v_events where position > 9 order by position"
    assert open_tables(repository).ask(repaired).rows == [("ledger.repaired",), ("session.ended",)]


@pytest.mark.slow
@pytest.mark.promise("R2")
@pytest.mark.parametrize("kept", [False, True], ids=["nothing kept", "the lines before kept"])
def test_damage_in_the_middle_names_file_and_offset(repo, repository, story, kept):
    ledger = Path(repository.folder) / "agent_trace.jsonl"
    if kept:
        answers(repository)
    lines = ledger.read_bytes().splitlines(keepends=True)
    story.tell("session.ended", {"reason": "exit"})
    story.written(repo.path)
    whole_lines = ledger.read_bytes().splitlines(keepends=True)
    whole_lines[4] = whole_lines[4].replace(b"do it", b"do that")
    ledger.write_bytes(b"".join(whole_lines))

    with pytest.warns(DamageWarning, match=rf"agent_trace\.jsonl: offset {len(b''.join(lines[:5])) + 2}: "):
        answers(repository)


def test_a_ledger_of_the_future_is_not_guessed_at(repo, repository, story):
    ledger = Path(repository.folder) / "agent_trace.jsonl"
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join([*lines[:-1], lines[-1].replace(b'{"v":1,', b'{"v":2,')]))

    with pytest.raises(FutureLedgerError):
        answers(repository)


# What has rows without any event.
CONSTANT = {"intent_map", "ledger_end", "prices", "protected_paths", "repository_facts", "v_meta", "v_prices"}


@pytest.mark.slow
def test_an_empty_ledger_has_every_table(repository):
    rows = rebuild(repository)

    assert {row.projection for row in rows if row.rows} <= CONSTANT
    assert all(rows == [] for name, rows in answers(repository).items() if name not in CONSTANT)


@pytest.mark.slow
def test_a_rebuild_says_what_changed(repo, repository, story):
    assert all(row.changed for row in rebuild(repository))
    assert not any(row.changed for row in rebuild(repository))

    story.tell("usage.recorded", {"usage_key": "m:r", "message_id": "m", "input_tokens": 1})
    story.written(repo.path)

    changed = {row.projection for row in rebuild(repository) if row.changed}
    assert changed == {"events", "usage_records", "sessions", "intents", "intent_scope", "token_usage"}


@pytest.mark.slow
def test_only_some_projections_may_be_asked_for(repository, story):
    assert [row.projection for row in rebuild(repository, only=["intents"])] == ["intents"]
    assert not (Path(repository.folder) / "intent_map.md").exists()
    with pytest.raises(UsageError, match="no projection is called leaves"):
        rebuild(repository, only=["intents", "leaves"])


@pytest.mark.slow
@pytest.mark.promise("O3")
def test_threads_change_nothing(repository, story):
    parts = Parts(repository).current()

    def with_threads(number):
        with tables_over(repository, parts, config={"threads": number}) as tables:
            return everything(tables)

    assert with_threads(1) == with_threads(4)


@pytest.mark.slow
@pytest.mark.promise("O3")
def test_time_zone_and_language_change_nothing(repo, repository, story, linetrail):
    answered = {}
    for zone, language in (("UTC", "C.UTF-8"), ("Asia/Kathmandu", "C"), ("America/St_Johns", "tr_TR.UTF-8")):
        surroundings = {"TZ": zone, "LC_ALL": language}
        assert linetrail("rebuild", "--full", env=surroundings).returncode == 0
        log = linetrail("log", "--json", env=surroundings).stdout
        answered[zone] = log, (Path(repository.folder) / "intent_map.md").read_bytes()

    assert len(set(answered.values())) == 1


@pytest.mark.slow
@pytest.mark.promise("R5", "D5")
def test_a_rebuild_that_is_killed_leaves_what_was_there(repo, repository, linetrail):
    story = Story()
    for number in range(1_500):
        story.tell("mutation.observed", edits={"a.py": f"line {number}\n"})
    story.written(repo.path)
    before = linetrail("log", "--json").stdout

    for delay in (0.05, 0.15, 0.25, 0.35):
        process = subprocess.Popen(
            [command("linetrail"), "rebuild", "--full"], cwd=repo.path, stdout=subprocess.DEVNULL
        )
        time.sleep(delay)
        process.kill()
        process.wait()
        assert linetrail("log", "--json").stdout == before

    assert linetrail("rebuild").returncode == 0


@pytest.mark.slow
def test_rebuilds_at_the_same_time_do_not_disturb_each_other(repo, repository, story):
    commands = [[command("linetrail"), "rebuild", *full] for full in ([], ["--full"], [], ["--full"])]
    processes = [
        subprocess.Popen(each, cwd=repo.path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for each in commands
    ]

    ended = [(process.communicate()[1], process.returncode) for process in processes]

    assert ended == [(b"", 0)] * 4
    with tables_over(repository, Parts(repository, keep=False).current(anew=True)) as tables:
        assert everything(tables) == answers(repository)


@pytest.mark.usefixtures("repository")
class TestCheck:
    @pytest.mark.slow
    @pytest.mark.usefixtures("story")
    def test_writes_nothing(self, repo, cli):
        before = tree(repo.path)

        assert cli("rebuild", "--check").status == 0
        assert tree(repo.path) == before

    @pytest.mark.slow
    def test_fails_when_the_tracked_map_is_out_of_date_and_says_how_to_mend_it(self, repo, story, cli):
        cli("rebuild")
        assert cli("rebuild", "--check").status == 0
        story.tell("mutation.observed", intent="INT-9", edits={"new.py": "x\n"})
        story.written(repo.path)

        answer = cli("rebuild", "--check")

        assert answer.status == 1
        assert "next: linetrail rebuild --only intent_map && git add .orchestration/intent_map.md" in answer.err
        cli("rebuild", "--only", "intent_map")
        assert cli("rebuild", "--check").status == 0

    @pytest.mark.slow
    @pytest.mark.usefixtures("story")
    def test_fails_when_the_tracked_map_is_gone(self, repo, repository, cli):
        cli("rebuild")
        repo.git("add", "--force", ".orchestration/intent_map.md")
        (Path(repository.folder) / "intent_map.md").unlink()

        assert cli("rebuild", "--check").status == 1

    @pytest.mark.slow
    def test_finds_what_must_not_be(self, repo, cli):
        story = Story()
        event = story.tell("mutation.observed", edits={"a.py": "one\ntwo\n"})
        story.events = [event._replace(data=event.data | {"files": [event.data["files"][0] | {"after_lines": 7}]})]
        story.written(repo.path)

        answer = cli("rebuild", "--check")

        assert answer.status == 1
        assert "hunks_explain_the_lines: 1 transitions whose hunks do not lead" in answer.err
