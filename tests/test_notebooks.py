"""Every cell of every notebook runs, on the demonstration and on a repository of one's own, with no network."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from linetrail.queries.cli import main
from linetrail.queries.commands.records.demo import unpack

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9]*.md"))
# A name that resolves to nothing that listens: what wants a network fails there.
OFFLINE = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("marimo") is None, reason="needs the extra: pip install -e '.[notebooks]'"
    ),
    pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem),
]


def executed(notebook, folder, **variables):
    program = folder / f"{notebook.stem}.py"
    converted = [sys.executable, "-m", "marimo", "--yes", "convert", notebook, "--output", program]
    subprocess.run(converted, check=True, capture_output=True)
    return subprocess.run(
        [sys.executable, program],
        cwd=folder,
        env=os.environ | OFFLINE | variables | {"PYTHONPATH": str(notebook.parent)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "linetrail-demo"
    unpack(str(folder))
    return str(folder)


@pytest.fixture(scope="module")
def nothing(tmp_path_factory):
    """Return the URL of a store that no repository was ever put into."""
    url = tmp_path_factory.mktemp("store").as_uri()
    assert main(["fleet", "build", url]) == 0
    return url


def test_every_cell_runs_on_the_demonstration(notebook, demo, tmp_path):
    done = executed(notebook, tmp_path, LINETRAIL_REPOSITORY=demo)

    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.in_turn
def test_every_cell_runs_where_nothing_is_recorded(notebook, repo, nothing):
    repo.start_ledger()
    repo.commit(files={"a.py": "one\n"})

    done = executed(notebook, repo.path.parent, LINETRAIL_REPOSITORY=str(repo.path), LINETRAIL_FLEET=nothing)

    assert done.returncode == 0, done.stderr


@pytest.mark.in_turn
def test_its_form_for_jupyter_has_the_same_cells(notebook, tmp_path):
    maker = [sys.executable, ROOT / "tools" / "make_notebooks.py", "--source", "--out", tmp_path, notebook.stem]
    subprocess.run(maker, check=True, capture_output=True)

    made, kept = (
        json.loads((folder / f"{notebook.stem}.ipynb").read_text("utf-8"))["cells"]
        for folder in (tmp_path, notebook.parent)
    )
    assert [cell["source"] for cell in kept] == [cell["source"] for cell in made], "run: just notebooks"
    assert any(cell.get("outputs") for cell in kept)
    assert (notebook.parent / f"{notebook.stem}.ipynb").stat().st_size < 300_000


@pytest.mark.daily(0, 2)
def test_a_cell_that_fails_fails_the_run(notebook, tmp_path):
    done = executed(notebook, tmp_path, LINETRAIL_REPOSITORY=str(tmp_path), LINETRAIL_FLEET=tmp_path.as_uri())

    assert done.returncode != 0
    assert ("NotARepositoryError" in done.stderr) != ("NotBuiltError" in done.stderr)
