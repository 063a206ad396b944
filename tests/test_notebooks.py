"""Every cell of every notebook runs, on the demonstration and on a repository of one's own, with no network."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*.py"))
# A name that resolves to nothing that listens: what wants a network fails there.
OFFLINE = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("marimo") is None, reason="needs the extra: pip install -e '.[notebooks]'"
    ),
    pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem),
]


def executed(notebook, folder, **variables):
    return subprocess.run(
        [sys.executable, notebook],
        cwd=folder,
        env=os.environ | OFFLINE | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_cell_runs_on_the_demonstration(notebook, tmp_path):
    done = executed(notebook, tmp_path)

    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.slow
def test_every_cell_runs_where_nothing_is_recorded(notebook, repo):
    repo.start_ledger()
    repo.commit(files={"a.py": "one\n"})

    done = executed(notebook, repo.path.parent, LINETRAIL_REPOSITORY=str(repo.path))

    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_cell_that_fails_fails_the_run(notebook, tmp_path):
    done = executed(notebook, tmp_path, LINETRAIL_REPOSITORY=str(tmp_path))

    assert done.returncode != 0
    assert "NotARepositoryError" in done.stderr
