"""`linetrail fleet build` and `fleet sql`: the tables of many repositories, made from a store that they pushed to."""

import json
import re
import shutil
from pathlib import Path

import duckdb
import pytest

from linetrail.queries.cli import main
from linetrail.queries.fleet import build, layout, objects, partition_files, repositories
from linetrail.queries.fleet.questions import of_repositories
from tests.conftest import Repo
from tests.queries import rich
from tests.queries.ask.test_portable import TOLD, pinned, world  # noqa: F401  a fixture that ours ask for
from tests.story import Story

pytestmark = pytest.mark.in_turn


@pytest.fixture(scope="module")
def pushed(pinned, tmp_path_factory):  # noqa: F811  the fixture
    """Return a folder with two repositories, in both of which INT-001 was worked on, and a store with their tables."""
    folder = tmp_path_factory.mktemp("fleet")
    for name in ("one", "two"):
        repo = Repo(folder / name)
        repo.commit(f"begin {name}", {"a.txt": f"{name}\n"})
        repo.start_ledger()
        story = Story()
        intent = {"name": "The secret plan", "status": "IN_PROGRESS", "scope": ["**"]}
        story.tell("intent.created", {"intent_id": "INT-001", "after": intent})
        story.tell("prompt.submitted", {"excerpt": "a canary sang here", "length": 18}, intent="INT-001")
        story.tell("mutation.observed", edits={"same.py": f"y = '{name}'\n"}, intent="INT-001")
        push(story, repo.path, (folder / "store").as_uri())
    assert main(["fleet", "build", (folder / "store").as_uri()]) == 0
    return folder


def push(story, path, url):
    """Put what was told into the ledger of a repository, and all of that into a store."""
    story.written(path)
    for command in (["seal", "--no-classify", "--no-leaks"], ["push", url]):
        assert main(["-C", str(path), *command]) == 0


@pytest.fixture
def fleet(pushed, tmp_path):
    """Return a store of one's own with the two repositories."""
    return shutil.copytree(pushed / "store", tmp_path / "a store")


@pytest.fixture
def clone(pushed, tmp_path):
    """Return a copy of one of the repositories, to be worked in."""
    return shutil.copytree(pushed / "one", tmp_path / "one")


@pytest.fixture
def url(fleet):
    return fleet.as_uri()


def hashes(repository):
    """Return the hashes of the files that a repository has seen written."""
    with world(repository) as told:
        return {name for (name,) in told.tables.ask("select after_hash from v_mutations").rows}


HASHES = "select after_hash as h from v_mutations order by repo_id"


def built(cli, url, *options):
    answer = cli("fleet", "build", url, *options, "--json")
    assert answer.status == 0, answer.err
    return json.loads(answer.out)


def fingerprints(answer):
    return {(row["tier"], row["table"]): row["fingerprint"] for row in answer["rows"]}


def lake(fleet):
    return sorted(path for path in (fleet / "lake").rglob("*") if path.is_file())


@pytest.mark.slow
def test_two_repositories_have_two_intents_of_one_name(cli, fleet, url):
    assert built(cli, url)["meta"]["repositories"] == 2

    rows = cli("fleet", "sql", url, "@class_mix", "--json").rows

    assert len({row["intent_id"] for row in rows}) == 2
    assert {row["intent_id"].partition(":")[2] for row in rows} == {"INT-001"}
    assert [row["mutations"] for row in rows] == [1, 1]


@pytest.mark.slow
def test_processes_beside_each_other_make_the_same_rows(cli, fleet, url, monkeypatch):
    alone = fingerprints(built(cli, url, "--full"))
    monkeypatch.setattr(build, "_FEW", 0)

    assert fingerprints(built(cli, url, "--full")) == alone


@pytest.mark.slow
def test_a_second_build_has_nothing_to_do(cli, fleet, url):
    before = {path: path.stat().st_mtime_ns for path in lake(fleet)}

    again = built(cli, url)

    assert (again["meta"]["changed"], again["meta"]["written"]) == (0, 0)
    assert before == {path: path.stat().st_mtime_ns for path in lake(fleet)}


@pytest.mark.slow
def test_a_build_after_a_new_segment_has_the_rows_of_one_from_nothing(cli, clone, fleet, url):
    there = files(url, "v_mutations")
    late(clone, url)

    after = built(cli, url)
    beside = files(url, "v_mutations")
    anew = built(cli, url, "--full")

    assert after["meta"]["changed"] == 1
    assert fingerprints(after) == fingerprints(anew)
    assert (there < beside, len(beside - there), len(files(url, "v_mutations"))) == (True, 1, len(there))


@pytest.mark.slow
def test_a_slice_with_as_many_files_as_it_may_have_is_written_as_one(cli, clone, fleet, url, monkeypatch):
    monkeypatch.setattr(build, "MOST_FILES", 2)
    there = files(url, "v_mutations")
    for number in range(2):
        late(clone, url, days=40 + number)
        after = built(cli, url)

    merged = files(url, "v_mutations")
    anew = built(cli, url, "--full")

    assert fingerprints(after) == fingerprints(anew)
    assert len(merged) == len(there)
    assert merged == files(url, "v_mutations")


@pytest.mark.slow
def test_the_manifest_names_the_rows_that_its_files_have(cli, clone, fleet, url):
    late(clone, url)
    built(cli, url)

    with duckdb.connect() as connection:
        tables = layout.require(objects.open_store(url), url).tables
        for table in tables:
            for file in table.files:
                source = f"read_parquet('{fleet / file.path}', hive_partitioning = false)"
                assert [*partition_files.rows_in(connection, table, source).values()] == [file.content]


def files(url, name):
    """Return the paths of the files of a table."""
    tables = layout.require(objects.open_store(url), url).named(layout.FACTS)
    return {file.path for file in tables[name].files}


def late(clone, url, days=40):
    """Push one more segment."""
    story = Story()
    story.tell("mutation.observed", session=f"late-{days}", edits={f"late{days}.py": "z = 1\n"}, days=days)
    push(story, clone, url)


@pytest.mark.slow
def test_with_a_folder_for_its_work_a_build_reads_new_segments_alone(cli, clone, fleet, url, tmp_path):
    kept = ("--work", str(tmp_path / "work"))
    built(cli, url, *kept, "--full")
    old = sorted((fleet / "segments").rglob("*.jsonl"))
    late(clone, url)
    anew = built(cli, shutil.copytree(fleet, tmp_path / "copy").as_uri(), "--full")
    for path in old:
        path.write_bytes(path.read_bytes()[::-1])

    assert fingerprints(built(cli, url, *kept)) == fingerprints(anew)


@pytest.mark.slow
@pytest.mark.parametrize(
    "harm",
    [
        pytest.param(lambda work: [path.write_bytes(b"{") for path in work.rglob("*.jsonl")], id="segments cut"),
        pytest.param(lambda work: [shutil.rmtree(path) for path in work.rglob("cache")], id="no cache"),
        pytest.param(
            lambda work: [path.write_bytes(b"PAR1") for path in work.rglob("parts/**/*.parquet")], id="partitions cut"
        ),
        pytest.param(lambda work: [(path / "x.jsonl").touch() for path in work.rglob("segments")], id="a stranger"),
    ],
)
def test_what_became_of_the_folder_for_the_work_changes_no_row(cli, clone, fleet, url, tmp_path, harm):
    work = tmp_path / "work"
    built(cli, url, "--work", str(work), "--full")
    late(clone, url)
    harm(work)

    after = built(cli, url, "--work", str(work))

    assert fingerprints(after) == fingerprints(built(cli, url, "--full"))


@pytest.mark.slow
def test_the_folder_for_the_work_keeps_nothing_of_a_repository_that_left(cli, fleet, url, tmp_path):
    built(cli, url, "--work", str(tmp_path / "work"), "--full")
    gone = min((fleet / "segments").iterdir())
    shutil.rmtree(gone)
    built(cli, url)

    built(cli, url, "--work", str(tmp_path / "work"))

    assert not [*(tmp_path / "work").rglob(f"{gone.name.partition('=')[2]}*")]


@pytest.mark.slow
def test_a_folder_for_the_work_that_is_a_file_is_refused(cli, url, tmp_path):
    (tmp_path / "work").touch()

    answer = cli("fleet", "build", url, "--work", str(tmp_path / "work"))

    assert (answer.status, "no folder that can be written" in answer.err) == (2, True)


@pytest.mark.slow
def test_other_buckets_hold_the_same_rows(cli, fleet, url):
    few, many = built(cli, url, "--buckets", "1"), built(cli, url, "--buckets", "64")

    assert [row["rows"] for row in few["rows"]] == [row["rows"] for row in many["rows"]]
    assert cli("fleet", "build", url, "--buckets", "0").status == 2


@pytest.mark.slow
def test_a_repository_that_left_the_store_has_no_row(cli, fleet, url):
    gone = min((fleet / "segments").iterdir())
    shutil.rmtree(gone)

    answer = built(cli, url)

    assert (answer["meta"]["gone"], answer["meta"]["left"]) == (1, 0)
    [row] = cli("fleet", "sql", url, "select distinct repo_id from v_events", "--json").rows
    assert row["repo_id"] != gone.name.partition("=")[2]


@pytest.mark.slow
def test_words_are_kept_only_on_request_and_apart(cli, fleet, url):
    from pyarrow import parquet

    def said():
        files = {path: str(parquet.read_table(path).to_pylist()) for path in lake(fleet) if path.suffix == ".parquet"}
        return {
            path.relative_to(fleet).parts[1] for path, rows in files.items() if re.search("canary|secret plan", rows)
        }

    built(cli, url)
    assert said() == set()
    built(cli, url, "--excerpts")
    assert said() == {"excerpts"}
    asked = ("fleet", "sql", url, "select prompt_excerpt from v_prompts where prompt_excerpt like '%canary%'", "--json")
    assert (len(cli(*asked).rows), len(cli(*asked, "--excerpts").rows)) == (0, 2)
    built(cli, url)
    assert not (fleet / "lake" / "excerpts").exists() or not [*(fleet / "lake" / "excerpts").rglob("*.parquet")]


@pytest.mark.slow
def test_what_a_person_had_erased_has_no_row(cli, clone, fleet, url):
    built(cli, url, "--excerpts")
    [name] = {row["h"] for row in cli("fleet", "sql", url, HASHES, "--json").rows} & hashes(clone)
    story = Story()
    story.tell("payload.erased", {"sha256": name, "kind": "content"}, session=None, days=1)
    push(story, clone, url)

    answer = built(cli, url, "--excerpts")

    assert (answer["meta"]["erased"], answer["meta"]["left"]) == (1, 0)
    assert name not in [row["h"] for row in cli("fleet", "sql", url, HASHES, "--json").rows]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("harm", "code"),
    [
        pytest.param(lambda path: path.unlink(), "OBJECT_MISSING", id="removed"),
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:-1] + b"!"), "OBJECT_CHANGED", id="changed"),
        pytest.param(
            lambda path: shutil.copy(next(p for p in sorted(path.parents[2].rglob("*.parquet")) if p != path), path),
            "OBJECT_CHANGED",
            id="replaced",
        ),
        pytest.param(lambda path: shutil.copy(path, path.with_name("part-0.parquet")), "OBJECT_STRANGE", id="added"),
    ],
)
def test_verify_notices_what_was_done_to_an_object(cli, fleet, url, harm, code):
    assert cli("fleet", "build", url, "--verify").status == 0
    harm(next(path for path in lake(fleet) if "v_sessions" in path.parts))

    answer = cli("fleet", "build", url, "--verify", "--json")

    assert answer.status == 3
    assert [row["code"] for row in answer.rows] == [code]
    assert built(cli, url, "--full")
    assert cli("fleet", "build", url, "--verify").status == 0


@pytest.mark.parametrize(("harm", "code"), [("remove", "CHECKPOINT_SEGMENT_MISSING"), ("change", "WRONG_NAME")])
@pytest.mark.daily(1)
def test_verify_notices_what_was_done_to_a_segment(cli, fleet, url, harm, code):
    segment = min((fleet / "segments").rglob("*.jsonl"))
    segment.unlink() if harm == "remove" else segment.write_bytes(segment.read_bytes().replace(b"canary", b"CANARY"))

    answer = cli("fleet", "build", url, "--verify", "--json")

    assert answer.status == 3
    assert code in {row["code"] for row in answer.rows}


@pytest.mark.slow
def test_a_damaged_segment_is_left_out_and_said_every_time(cli, fleet, url):
    harmed = min((fleet / "segments").rglob("*.jsonl"))
    harmed.write_bytes(harmed.read_bytes().replace(b"session", b"SESSION", 1))

    for command in (("build", url, "--full"), ("build", url), ("sql", url, "select count(*) from v_events")):
        assert harmed.stem in cli("fleet", *command).err


def test_one_build_at_a_time(cli, fleet, url):
    assert objects.put(objects.open_store(url), "lake/lease.json", b"{}")

    assert cli("fleet", "build", url).status == 2
    assert cli("fleet", "build", url, "--take-over").status == 0
    assert cli("fleet", "build", url).status == 0
    assert cli("fleet", "build", url, "--take-over").status == 0  # from nobody


@pytest.mark.slow
def test_of_two_builds_the_one_that_put_its_manifest_counts(cli, fleet, url):
    store = objects.open_store(url)
    objects.put(store, layout.name_of(2), objects.get(store, layout.name_of(1)))

    assert layout.manifests(store)[-1] == layout.name_of(2)


@pytest.mark.slow
def test_a_question_that_asks_git_is_refused_and_says_so(cli, fleet, url):
    answer = cli("fleet", "sql", url, "@line_owner", "-p", "path", "same.py", "-p", "line", "1")

    assert answer.status == 2
    assert "the git of one repository" in answer.err


@pytest.mark.slow
@pytest.mark.parametrize("query", ["insert into v_events select 1", "from read_csv('/etc/passwd')", "attach 'x.db'"])
def test_a_query_can_do_nothing_but_ask(cli, fleet, url, query):
    assert cli("fleet", "sql", url, query).status == 2


@pytest.mark.slow
def test_options_stand_before_behind_and_between_store_and_query(cli, fleet, url):
    words, option = [url, "select $a as x"], ["-p", "a", "1"]

    for at in range(3):
        assert cli("fleet", "sql", *words[:at], *option, *words[at:], "--json").rows == [{"x": "1"}]
    assert cli("fleet", "sql", url, "--nope", "select 1").status == 2


def test_a_store_without_tables_says_what_to_do(cli, fleet, url):
    shutil.rmtree(fleet / "lake")
    answer = cli("fleet", "sql", url, "@activity")

    assert answer.status == 2
    assert f"next: linetrail fleet build {url}" in answer.err
    assert cli("fleet", "sql", url, "select 1", "--engine", "abacus").status == 2


@pytest.fixture(scope="module")
def story(pinned, tmp_path_factory):  # noqa: F811  the fixture
    """Return a repository in which something happened that every question asks about, and a store that has it."""
    folder = tmp_path_factory.mktemp("rich")
    repo = Repo(folder / "project")
    rich.tell(repo)
    store = (folder / "store").as_uri()
    push(Story(), repo.path, store)
    assert main(["fleet", "build", "--excerpts", store]) == 0
    with world(repo.path) as told:
        yield told, store


ASKED = TOLD | {"tokens_by": {"by": "model"}}


@pytest.mark.slow
# the groups of @approvals are people, whom no store names; of the others the story has none
@pytest.mark.parametrize("name", sorted(of_repositories().keys() - {"approvals", "corrections", "rejected_versions"}))
def test_one_repository_is_answered_as_it_answers_itself(story, cli, name):
    told, store = story
    mine = told.tables.ask("select val from v_meta where name = 'repo_id'").rows[0][0]
    here, there = asked(cli, told, store, name, mine)

    assert [unlike(one, other) for one, other in zip(here, there, strict=True)] == [{}] * len(here)
    assert here, "nothing is proved by an empty answer"


def asked(cli, told, store, name, mine):
    """Return what a repository answers itself, and what a store answers that has nothing else."""
    given = ASKED.get(name, {})
    plain = [word for key, value in given.items() for word in ("-p", key, value)]
    named = [f"{mine[:12]}:{word}" if word.startswith("src/") else word for word in plain]
    here = cli("sql", f"@{name}", *plain, "--json", cwd=Path(told.repository.root)).rows
    there = cli("fleet", "sql", store, f"@{name}", *named, "--excerpts", "--json").rows
    number = repositories.numbered([mine])[mine]
    return here, [{key: shortened(value, mine, number) for key, value in row.items()} for row in there]


def shortened(value, mine, number):
    """Return a value as the repository itself tells it."""
    if isinstance(value, str):
        return value.replace(f"{mine[:12]}:", "")
    return value - number if isinstance(value, int) and value >= number else value


def unlike(one, other):
    """Return in what two rows differ; what no store keeps is null there."""
    return {key: (one[key], other[key]) for key in one if one[key] != other[key] and other[key] is not None}
