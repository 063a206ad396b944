"""What is exported goes where it was asked for, whole or not at all; each format says which options it takes."""

import json
import os
import subprocess

import pytest

from linetrail.queries.exporters.formats import FORMATS, exporter

pytestmark = pytest.mark.in_turn


@pytest.fixture
def told(repo, agent):
    repo.commit("first", {"README": "read\n"})
    session = agent()
    session.write("a.py", "one = 1\n")
    repo.commit("second")


def options(name, tmp_path):
    """Return what a format must be told besides its name."""
    return {"csv": ["--table", "v_events"], "parquet": ["--out", str(tmp_path / "lake")]}.get(name, [])


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_of_the_contract_is_written(told, cli, tmp_path, name):
    answer = cli("export", name, *options(name, tmp_path))

    assert answer.status == 0, answer.err
    assert callable(exporter(name).export)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_a_dry_run_prints_nothing_on_stdout(told, cli, tmp_path, name):
    answer = cli("export", name, "--dry-run", *options(name, tmp_path))

    assert (answer.status, answer.out) == (0, "")
    assert "would be written" in answer.err


@pytest.mark.daily(1)
@pytest.mark.parametrize("name", FORMATS)
def test_without_a_ledger_every_format_says_what_to_do(repo, cli, tmp_path, name):
    answer = cli("export", name, *options(name, tmp_path))

    assert answer.status == 2
    assert "next: linetrail init" in answer.err


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, each in FORMATS.items() if each.out == "a file"])
def test_a_dash_is_stdout(told, cli, name):
    assert cli("export", name, "--out", "-").out == cli("export", name).out


@pytest.mark.slow
def test_a_file_stays_as_it_was_where_an_export_fails(told, cli, tmp_path, monkeypatch):
    target = tmp_path / "traces.jsonl"
    target.write_text("before")

    def broken(*_):
        yield b"half"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("linetrail.queries.exporters.otlp.otlp._requests", broken)
    answer = cli("export", "otlp", "--out", str(target))

    assert (answer.status, answer.err) == (2, f"error: cannot write {target}: No space left on device\n")
    assert target.read_text() == "before"
    assert os.listdir(tmp_path).count("traces.jsonl") == 1
    assert not [name for name in os.listdir(tmp_path) if name.startswith("traces.jsonl.")]


@pytest.mark.slow
def test_a_pipe_can_be_written_to(told, cli, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)

    answer = cli("export", "otlp", "--out", str(pipe))

    assert answer.status == 0
    assert json.loads(reader.communicate()[0].splitlines()[0])
    assert pipe.is_fifo()


@pytest.mark.slow
def test_a_reader_that_has_seen_enough_is_no_error(told, repo, linetrail):
    program = linetrail("--version").args[0]

    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {program} export otlp | head -c 1"],
        cwd=repo.path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "{", "")


@pytest.mark.slow
def test_sarif_is_what_an_audit_prints(told, cli):
    document = json.loads(cli("export", "sarif").out)

    assert document["version"] == "2.1.0"
    audited = json.loads(cli("audit", "--format", "sarif").out)
    assert document["runs"][0]["results"] == audited["runs"][0]["results"]


def test_help_lists_the_formats(cli):
    out = cli("export", "--help").out

    assert all(f"  {name}" in out for name in FORMATS)
