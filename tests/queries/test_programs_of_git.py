"""What git is set to run for a person is not run when linetrail is asked: it would answer in the place of git."""

import pytest

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


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_no_program_of_a_person_runs(repo, agent, cli, tmp_path_factory, question):
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

    cli(*question)

    assert not ran.exists(), ran.read_text()
