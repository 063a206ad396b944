"""What an agent tried and gave up in the same turn is told from what it did."""

import pytest

from linetrail.queries.ask.ask import ask

pytestmark = pytest.mark.slow


def rejected(repo):
    return list(ask(str(repo.path), "rejected_versions").mappings())


def test_a_version_that_is_undone_or_written_anew_in_its_turn_was_rejected(repo, agent):
    repo.commit("start", {"a.py": "x = 1\n", "b.py": "y = 1\n", "c.py": "z = 1\n"})
    claude = agent()
    claude.prompt("try")
    claude.edit("a.py", "x = 1", "x = 2")
    claude.edit("a.py", "x = 2", "x = 1")
    claude.write("b.py", "y = 2\n")
    claude.write("b.py", "y = 3\n")
    claude.edit("c.py", "z = 1", "z = 2")
    claude.edit("c.py", "z = 2", "z = 3")

    first, second = rejected(repo)
    assert (first["path"], first["outcome"]) == ("a.py", "undone")
    assert (second["path"], second["outcome"]) == ("b.py", "replaced")
    assert first["version_hash"] == repo.events("mutation.observed")[0].data["files"][0]["after_hash"]


def test_what_is_changed_in_another_turn_was_none(repo, agent):
    repo.commit("start", {"a.py": "x = 1\n"})
    claude = agent()
    claude.prompt("one")
    claude.edit("a.py", "x = 1", "x = 2")
    claude.prompt("two, undo it")
    claude.edit("a.py", "x = 2", "x = 1")

    assert rejected(repo) == []
