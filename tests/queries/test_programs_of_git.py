"""What git is set to run for a person is not run when linetrail is asked: it would answer in the place of git."""

import pytest

from linetrail.ledger.repository import find
from linetrail.queries.work.merging import altered

pytestmark = pytest.mark.in_turn

SETTINGS = ("core.fsmonitor", "core.pager", "pager.log", "diff.external", "diff.told.command", "diff.told.textconv")
HOOKS = ("post-index-change", "reference-transaction")
QUESTIONS = [
    ("blame", "a.py"),
    ("blame", "-L", "/two/", "a.py"),
    ("diff", "HEAD~1..HEAD"),
    ("diff",),
    ("log",),
    ("stats",),
    ("classify", "HEAD~1..HEAD"),
    ("status",),
    ("verify", "--strict"),
]


@pytest.fixture
def ran(repo, agent, tmp_path_factory):
    """Return the file into which every program that a person has set writes its name."""
    agent()
    repo.commit("start", {"a.py": "one = 1\ntwo = 2\n", ".gitattributes": "*.py diff=told\n"})
    repo.commit("other", {"a.py": "one = 1\ntwo = 3\n"})
    ran = tmp_path_factory.mktemp("elsewhere") / "ran"
    for setting in SETTINGS:
        repo.git("config", setting, f"echo {setting} >> {ran}; cat")
    hooks = ran.with_name("hooks")
    hooks.mkdir()
    for name in HOOKS:
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >> {ran}\n")
        (hooks / name).chmod(0o755)
    repo.git("config", "core.hooksPath", str(hooks))
    ran.unlink(missing_ok=True)
    return ran


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_no_program_of_a_person_runs(ran, cli, question):
    cli(*question)

    assert not ran.exists(), ran.read_text()


def test_a_commit_that_is_tried_alone_runs_none(ran, repo):
    tip = repo.git("rev-parse", "HEAD").strip()

    tried = altered(find(str(repo.path)), tip, {"a.py": b"one = 2\n"}, tip)

    assert repo.git("show", f"{tried}:a.py") == "one = 2"
    assert not ran.exists(), ran.read_text()
