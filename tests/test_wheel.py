"""The wheel holds every file of the three rooms and the package around them, and nothing else."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("ledger", "projections", "queries")
# setup.py is a module of the package, for setuptools.
PACKAGE = ("__init__.py", "__main__.py", "py.typed", "setup.py")
BUILD = "import setuptools.build_meta as backend; print(backend.build_wheel(sys.argv[1]))"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build from a copy, so that neither old build folders get in nor new ones stay behind."""
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    for room in ROOMS:
        shutil.copytree(ROOT / room, tree / room, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "docs" / "man", tree / "docs" / "man")
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", *PACKAGE):
        shutil.copy(ROOT / name, tree)
    build = [sys.executable, "-W", "ignore", "-c", f"import sys; {BUILD}", str(out)]
    done = subprocess.run(build, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next(out.glob("*.whl"))) as archive:
        yield archive


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_rooms(wheel):
    in_tree = {
        f"linetrail/{path.relative_to(ROOT).as_posix()}"
        for room in ROOMS
        for path in (ROOT / room).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    in_wheel = {name for name in wheel.namelist() if ".dist-info/" not in name and ".data/" not in name}

    assert in_wheel == in_tree | {f"linetrail/{name}" for name in PACKAGE}


@pytest.mark.slow
def test_the_wheel_carries_the_licence_and_the_commands(wheel):
    names = {name.partition(".dist-info/")[2]: name for name in wheel.namelist()}

    assert "Apache License" in wheel.read(names["licenses/LICENSE"]).decode()
    assert "linetrail-hook" in wheel.read(names["entry_points.txt"]).decode()


def test_man_finds_a_page_by_either_name(wheel):
    data = [name for name in wheel.namelist() if ".data/" in name]
    pages = {name.partition(".data/data/")[2]: wheel.read(name).decode() for name in data}

    assert ".SH NAME\nlinetrail, git\\-linetrail" in pages["share/man/man1/linetrail.1"]
    assert pages["share/man/man1/git-linetrail.1"] == ".so man1/linetrail.1\n"
    assert len(pages) == 2


@pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed here")
def test_man_has_no_complaint_about_the_page():
    command = ["man", "--warnings", "--local-file", ROOT / "docs" / "man" / "linetrail.1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stderr == ""
