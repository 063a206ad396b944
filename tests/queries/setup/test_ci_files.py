"""`linetrail init --ci`: the file of the service, what it runs, and that nothing of anybody else's is lost."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.conftest import command
from tests.queries.trees import tree

ROOT = Path(__file__).resolve().parents[3]
FILES = {"github": ".github/workflows/linetrail.yml", "gitlab": ".gitlab-ci.yml"}


def script(service, text):
    jobs = yaml.safe_load(text)
    return jobs["jobs"]["linetrail"]["steps"][3]["run"] if service == "github" else jobs["linetrail"]["script"][-1]


@pytest.mark.parametrize("service", FILES)
def test_the_file_is_written_once_and_undo_takes_it_back(repo, cli, service):
    before = tree(repo.path)

    assert cli("init", "--agent", "none", "--ci", service).status == 0
    written = tree(repo.path)
    again = cli("init", "--agent", "none", "--ci", service, "--json")

    assert yaml.safe_load((repo.path / FILES[service]).read_text())
    assert {row["action"] for row in again.rows} == {"keep"}
    assert tree(repo.path) == written
    assert cli("init", "--undo").status == 0
    assert tree(repo.path) == before


@pytest.mark.in_turn
@pytest.mark.slow
@pytest.mark.parametrize("service", FILES)
def test_what_it_runs_passes_on_a_branch_that_is_in_order(shop, session, cli, service):
    session("src/a.py")
    cli("init", "--agent", "none", "--ci", service)
    line = script(service, (shop.path / FILES[service]).read_text())
    path = f"{Path(command('linetrail')).parent}{os.pathsep}{os.environ['PATH']}"

    done = subprocess.run(
        ["bash", "-e", "-c", line], cwd=shop.path, env=os.environ | {"PATH": path}, capture_output=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert all((shop.path / name).stat().st_size for name in re.findall(r"--(?:sarif|junit|comment) (\S+)", line))


@pytest.mark.parametrize("service", FILES)
def test_a_file_that_somebody_changed_is_kept_by_both(repo, cli, service):
    cli("init", "--agent", "none", "--ci", service)
    file = repo.path / FILES[service]
    file.write_text(file.read_text().replace("linetrail ci ", "linetrail ci --advisory "))
    before = file.read_text()

    cli("init", "--agent", "none", "--ci", service)
    cli("init", "--undo")

    assert file.read_text() == before


def test_beside_a_pipeline_that_is_there_the_line_that_includes_ours_is_named(repo, cli):
    repo.write(".gitlab-ci.yml", b"test:\n  script: [make]\n")
    before = tree(repo.path)

    said = cli("init", "--agent", "none", "--ci", "gitlab")

    assert "created .gitlab/linetrail.yml  (add to .gitlab-ci.yml: include: {local: .gitlab/linetrail.yml})" in said.out
    cli("init", "--undo")
    assert tree(repo.path) == before


def test_nothing_is_written_through_a_link_that_leads_out_of_the_repository(repo, cli, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (repo.path / ".github").symlink_to(outside)

    said = cli("init", "--agent", "none", "--ci", "github")

    assert said.status == 2
    assert "symbolic link" in said.err
    assert list(outside.iterdir()) == []


def test_the_settings_of_a_person_have_no_such_file(cli):
    assert cli("init", "--user", "--agent", "codex", "--ci", "github").status == 2


def test_the_pages_show_what_is_written():
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")

    assert (ROOT / "queries" / "setup" / "forges" / "gitlab.yml").read_text("utf-8") in page


def test_linetrail_itself_is_checked_by_the_one_script_on_its_oldest_and_newest_python():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    versions = [text.rpartition(" ")[2] for text in project["classifiers"] if "Python :: 3." in text]

    (job,) = workflow["jobs"].values()
    assert [step["run"] for step in job["steps"] if "run" in step] == [".ci/run"]
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert job["strategy"]["matrix"]["python"] == [versions[0], versions[-1]]
