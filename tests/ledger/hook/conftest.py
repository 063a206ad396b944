"""An installation of hooks alone, always in the same folder: each test may change it, and finds it as it was made."""

import compileall
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.gated import REGISTRY

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """Copy what a hook needs, and compile it: a hook that has to do so is soon over its time."""
    folder = tmp_path_factory.mktemp("compiled") / "ledger"
    shutil.copytree(ROOT / "ledger", folder, ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(folder, quiet=2)
    return folder


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Return the folder in which the package is: a bundle counts only where it was made."""
    return tmp_path_factory.mktemp("site")


@pytest.fixture(scope="session")
def start(site):
    """Return the program of a hook, without what `site` would add: an editable installation would stand in for it."""
    folders = [str(site), sysconfig.get_path("platlib")]
    return f"import sys; sys.path[:0] = {folders!r}; from linetrail.ledger.hook.entry import run; run()"


def put(compiled, site):
    """Return the folder of the package, without a bundle; its files are those of all installations."""
    shutil.rmtree(site / "linetrail", ignore_errors=True)
    return Path(shutil.copytree(compiled, site / "linetrail" / "ledger", copy_function=os.link))


def bundle_of(ledger):
    return ledger / "hook" / "__pycache__" / f"bundle.{sys.implementation.cache_tag}"


@pytest.fixture(scope="session")
def kept(compiled, site, start, tmp_path_factory):
    """Return the bundle that hooks make before a write and before a command, and that each would make again."""
    ledger, repo = put(compiled, site), Repo(tmp_path_factory.mktemp("kept") / "project")
    prepare(repo)
    for tool, given in [
        ("Write", {"file_path": "src/billing/a.py", "content": "1\n"}),
        ("Bash", {"command": "make"}),
    ] * 3:
        call = {"tool_name": tool, "tool_input": given, "tool_use_id": "toolu_1", "hook_event_name": "PreToolUse"}
        text = json.dumps(call | {"session_id": "session-1", "cwd": str(repo.path)}).encode()
        command = [sys.executable, "-S", "-c", start, "claude-code"]
        subprocess.run(command, input=text, cwd=repo.path, capture_output=True, check=True)
    return bundle_of(ledger).read_bytes()


def prepare(repo, mode="block"):
    """Set a repository up with an intent that is selected."""
    repo.write(".orchestration/config.yaml", f"enforce: {mode}\n")
    repo.write(".orchestration/active_intents.yaml", REGISTRY)
    repo.write(".orchestration/state/selection/worktree.json", '{"intent_id": "INT-001"}')


@pytest.fixture
def ledger(compiled, site):
    """Return the folder of an installation that has no bundle yet."""
    return put(compiled, site)


@pytest.fixture
def bundle(ledger):
    """Return where the bundle of the installation is."""
    return bundle_of(ledger)


@pytest.fixture
def bundled(kept, compiled, site):
    """Return the folder of an installation that has its bundle."""
    ledger = put(compiled, site)
    bundle_of(ledger).write_bytes(kept)
    return ledger


@pytest.fixture
def spoil(site):
    """Return a function that puts another text in the place of a module, or nothing."""

    def put(module, text=None, *, more=""):
        path = site / "linetrail" / "ledger" / module
        before = path.read_text()
        path.unlink()  # it is the same file in every installation
        if text is not None or more:
            path.write_text(before + more if text is None else text)

    return put
