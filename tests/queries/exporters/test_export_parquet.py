"""A lake is plain Parquet that any engine reads, equal for equal ledgers, and grows by what is new alone."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import NamedTuple

import duckdb
import pytest
from jsonschema import Draft202012Validator

from linetrail.ledger.repository import find
from linetrail.projections.tables import models
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.ask import question_files
from linetrail.queries.ask.ask import answer, understood
from linetrail.queries.exporters import parquet
from linetrail.queries.exporters.formats import Asked
from tests.story import Story, tell_cases

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]

NESTED = ("[]", "STRUCT", "MAP", "UNION", "JSON", "HUGEINT")


@pytest.fixture
def lake(repo, cli, tmp_path):
    """Return a function that exports into one folder and returns it."""
    repo.start_ledger()
    folder = tmp_path / "lake"

    def run(*options, status=0):
        done = cli("export", "parquet", "--out", str(folder), *options)
        assert done.status == status, done.err
        return folder

    return run


def two_months():
    """Return a story of two sessions, the second of which begins in another month."""
    told = Story()
    for session in ("s2", "s1"):
        told.tell("session.started", {"source": "startup"}, session=session)
        told.tell("mutation.observed", session=session, edits={f"{session}.py": "one\ntwo\n"})
    told.events[2] = told.events[2]._replace(timestamp="2026-02-01T00:00:00.000000Z")
    return told


@pytest.fixture
def story():
    return two_months()


class Made(NamedTuple):
    """A lake that was made, to be looked at, and the repository behind it."""

    repository: Path
    folder: Path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a lake that all tests look at and none changes."""
    root = tmp_path_factory.mktemp("made")
    (root / "project" / ".git").mkdir(parents=True)
    (root / "project" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (root / "project" / ".orchestration").mkdir()
    two_months().written(root / "project")
    parquet.export(Asked(find(str(root / "project")), str(root), "lake"))
    return Made(root / "project", root / "lake")


def files(folder):
    """Return the content of each file, by its path below the folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text())


def database(folder):
    """Open a lake as somebody without linetrail would: DuckDB, and the names of files."""
    connection = duckdb.connect()
    for table in manifest(folder)["tables"]:
        name = "v_events" if table["name"] == "events" else table["name"]
        hive = "true" if table["partitioned_by"] else "false"
        pattern = f"{folder}/{table['path']}/**/*.parquet"
        if table["files"]:
            connection.execute(f"create view {name} as from read_parquet('{pattern}', hive_partitioning = {hive})")
    return connection


def test_events_lie_by_month_and_every_view_is_a_table(made):
    names = set(files(made.folder))
    assert {name for name in names if name.startswith("events/")} == {
        "events/month=2026-01/part-0.parquet",
        "events/month=2026-02/part-0.parquet",
    }
    views = {view.name for view in models.views()} - {"v_events"}
    assert {name for name in names if name.startswith("tables/")} == {f"tables/{view}/part-0.parquet" for view in views}
    assert names - {name for name in names if "/" in name} == {"manifest.json", "dictionary.md", "schema.json"}


def test_rows_and_columns_are_those_of_the_views(made):
    connection = database(made.folder)

    for name in ("v_sessions", "v_mutations", "v_line_hashes"):
        wanted = answered(made.repository, f"select * from {name} order by all")
        assert connection.sql(f"select * exclude (repo_id) from {name} order by all").fetchall() == wanted
    assert connection.sql("select count(*), count(distinct month) from v_events").fetchall() == [(4, 2)]


def answered(repository, sql):
    with open_tables(find(str(repository))) as tables:
        return tables.ask(sql).rows


def test_events_are_sorted_by_session_and_place(made):
    rows = duckdb.sql(f"select session_id, seq from '{made.folder}/events/month=2026-01/part-0.parquet'").fetchall()

    assert rows == [("s1", 4), ("s2", 1), ("s2", 2)]


def test_no_column_has_a_type_that_other_engines_lack(made):
    for file in made.folder.rglob("*.parquet"):
        for name, kind, *_ in duckdb.sql(f"describe from '{file}'").fetchall():
            assert not any(word in kind for word in NESTED), (file, name, kind)


def test_the_named_questions_run_over_it_with_the_same_answers(repo, lake):
    """One ledger holds the stories of all cases; each question is asked as its case asks it."""
    cases = tell_cases(repo)
    connection = database(lake())

    with open_tables(find(str(repo.path))) as tables:
        for name, case in cases.items():
            question, given = question_files.find(name), understood(case.get("ask", {}), find(str(repo.path)))
            rows = connection.execute(question.sql, understood(question_files.bound(question, given))).fetchall()
            assert rows == answer(tables, name, **given).rows, name


def test_the_manifest_tells_every_file_with_its_hash(made):
    told = manifest(made.folder)

    listed = {file["path"]: file for table in told["tables"] for file in table["files"]}
    assert set(listed) == {name for name in files(made.folder) if name.endswith(".parquet")}
    for path, content in files(made.folder).items():
        if path in listed:
            assert listed[path]["sha256"] == hashlib.sha256(content).hexdigest()
            assert listed[path]["bytes"] == len(content)
            assert listed[path]["rows"] == duckdb.sql(f"select count(*) from '{made.folder / path}'").fetchall()[0][0]
    assert told["schema_version"] == 1
    assert told["tool"]["name"] == "linetrail"
    assert told["ledger"]["events"] == "4"
    (events,) = [table for table in told["tables"] if table["name"] == "events"]
    assert (events["rows"], events["sorted_by"]) == (4, ["repo_id", "session_id", "seq"])
    comments = {column["name"]: column["comment"] for column in events["columns"]}
    assert comments["event_id"] == "UUIDv7 of the event"


def test_the_numbers_of_fields_follow_from_their_names(made):
    """So a column that is added, wherever it stands, changes no other one's."""
    numbers = {}
    for table in manifest(made.folder)["tables"]:
        own = [column["field_id"] for column in table["columns"]]
        assert len(set(own)) == len(own)
        for column in table["columns"]:
            assert numbers.setdefault(column["name"], column["field_id"]) == column["field_id"]
        for file in table["files"]:
            schema = duckdb.sql(f"select name, field_id from parquet_schema('{made.folder / file['path']}')").fetchall()
            assert {name: number for name, number in schema if number is not None} == {
                column["name"]: column["field_id"] for column in table["columns"]
            }


def test_schema_and_dictionary_describe_the_rows(made):
    schema = json.loads((made.folder / "schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    connection = database(made.folder)
    for name, definition in schema["$defs"].items():
        view = "v_events" if name == "events" else name
        month = ", month" if name == "events" else ""
        for (row,) in connection.sql(
            f"select to_json(r) from (select * exclude (repo_id{month}), repo_id from {view}) r"
        ).fetchall():
            Draft202012Validator(definition).validate(json.loads(row))
    assert "| `event_id` | VARCHAR | UUIDv7 of the event |" in (made.folder / "dictionary.md").read_text()


def test_equal_ledgers_give_equal_files(repo, story, lake, cli, tmp_path):
    story.written(repo.path)
    first = files(lake())
    cli("seal")
    clone = tmp_path / "clone"
    shutil.copytree(repo.path, clone, ignore=shutil.ignore_patterns("cache"))

    assert cli("export", "parquet", "--out", str(tmp_path / "again"), cwd=clone).status == 0

    again = files(tmp_path / "again")
    changed = {name for name in first if first[name] != again[name]}
    assert changed <= {"manifest.json", "tables/v_meta/part-0.parquet", "tables/v_segments/part-0.parquet"}, (
        "sealed since"
    )


def test_another_export_rewrites_only_months_that_changed(repo, story, lake, cli):
    story.written(repo.path)
    folder = lake()
    before = {path: path.stat().st_ino for path in folder.rglob("*.parquet")}
    late = story.tell("prompt.submitted", {"excerpt": "more", "length": 4})
    story.events[-1] = late._replace(timestamp="2026-03-01T00:00:00.000000Z")
    story.written(repo.path)

    lake()

    kept = {str(path.relative_to(folder)) for path, inode in before.items() if path.stat().st_ino == inode}
    assert {"events/month=2026-01/part-0.parquet", "events/month=2026-02/part-0.parquet"} <= kept
    assert "tables/v_mutations/part-0.parquet" in kept
    assert "tables/v_prompts/part-0.parquet" not in kept
    assert (folder / "events/month=2026-03/part-0.parquet").exists()


def test_an_export_without_news_writes_nothing(repo, story, lake, cli):
    story.written(repo.path)
    folder = lake()
    stamps = {path: path.stat().st_ino for path in folder.rglob("*.parquet")}

    answer = cli("export", "parquet", "--out", str(folder))

    assert "0 files written" in answer.err
    assert stamps == {path: path.stat().st_ino for path in folder.rglob("*.parquet")}


def test_a_file_that_was_changed_or_lost_is_made_anew(repo, story, lake):
    story.written(repo.path)
    folder = lake()
    before = files(folder)
    (folder / "events/month=2026-01/part-0.parquet").write_bytes(b"broken")
    (folder / "tables/v_sessions/part-0.parquet").unlink()

    assert files(lake()) == before


def test_nothing_is_removed_that_no_export_wrote(repo, story, lake):
    story.written(repo.path)
    folder = lake()
    (folder / "notes.txt").write_text("mine")
    (folder / "tables" / "v_mine").mkdir()
    (folder / "tables" / "v_mine" / "part-0.parquet").write_bytes(b"mine")

    lake()

    assert (folder / "notes.txt").read_text() == "mine"
    assert (folder / "tables/v_mine/part-0.parquet").read_bytes() == b"mine"


def test_a_folder_that_holds_something_else_is_refused(repo, story, lake, cli, tmp_path):
    story.written(repo.path)
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / "thesis.tex").write_text("mine")

    answer = cli("export", "parquet", "--out", str(tmp_path / "lake"))

    assert answer.status == 2
    assert answer.err.splitlines() == [
        f"error: {tmp_path}/lake holds something else: thesis.tex",
        "next: give --out an empty folder, or one that an earlier export made",
    ]
    assert [path.name for path in (tmp_path / "lake").iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("no JSON", id="no JSON"),
        pytest.param("[]", id="another shape"),
        pytest.param('{"schema_version": 1, "tool": {"name": "other"}}', id="another tool's"),
        pytest.param('{"schema_version": 2, "tool": {"name": "linetrail"}}', id="another layout"),
        pytest.param(
            '{"schema_version": 1, "tool": {"name": "linetrail"}, "ledger": {"repo_id": null}, "tables": [{"files": '
            '[{"path": "../x", "rows": 1, "bytes": 1, "sha256": "", "fingerprint": ""}]}]}',
            id="names a file elsewhere",
        ),
    ],
)
def test_a_manifest_that_is_not_ours_is_refused(repo, story, cli, tmp_path, content):
    repo.start_ledger()
    story.written(repo.path)
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / "manifest.json").write_text(content)

    answer = cli("export", "parquet", "--out", str(tmp_path / "lake"))

    assert answer.status == 2
    assert "error: " in answer.err


def test_the_lake_of_another_repository_is_refused(repo, story, lake, cli, tmp_path):
    story.written(repo.path)
    repo.commit("first")
    folder = lake()
    told = manifest(folder)
    told["ledger"]["repo_id"] = "f" * 40
    (folder / "manifest.json").write_text(json.dumps(told))

    answer = cli("export", "parquet", "--out", str(folder))

    assert answer.status == 2
    assert "is the lake of another repository" in answer.err


def test_a_dry_run_writes_nothing(repo, story, lake, tmp_path, cli):
    story.written(repo.path)

    answer = cli("export", "parquet", "--out", str(tmp_path / "no"), "--dry-run")

    assert "files would be written" in answer.err
    assert not (tmp_path / "no").exists()


def test_it_needs_a_folder(repo, cli):
    repo.start_ledger()
    repo.write("file", "in the way")

    said = "parquet is many files: name a folder with --out"
    assert cli("export", "parquet").err == f"error: {said}\nnext: linetrail help export\n"
    assert cli("export", "parquet", "--out", "file").status == 2


def test_an_empty_ledger_has_tables_without_rows(lake):
    folder = lake()

    connection = database(folder)

    assert connection.sql("select count(*) from v_mutations").fetchall() == [(0,)]
    assert connection.sql("select count(*) from v_events").fetchall() == [(0,)]
