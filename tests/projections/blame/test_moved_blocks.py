"""Lines that a commit only moved, asked of real repositories: whose were they before?"""

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.blame.blame import blame
from linetrail.projections.git.target import find_target

pytestmark = pytest.mark.slow

BLOCK = "def total(prices):\n    amount = sum(price.value for price in prices)\n    return round(amount, 2)\n"
OTHER = "".join(f"setting_{at} = 'value {at}'\n" for at in range(12))


@pytest.fixture
def revisions(repo, agent):
    """Return a function that tells the commit of each line of a file in which some words stand."""
    agent()

    def tell(path, words, revision=None):
        repository = find(str(repo.path))
        target = find_target(repository, path, revision)
        answer = blame(repository, target)
        lines = target.content.decode().splitlines()
        return [by.vcs_revision for by, line in zip(answer.attributions, lines, strict=True) if words in line]

    return tell


def test_a_block_moved_within_its_file_keeps_its_commit(repo, revisions):
    first = repo.commit("one", {"a.py": BLOCK + OTHER})
    repo.commit("moved", {"a.py": OTHER + BLOCK})

    assert revisions("a.py", "price") == [first] * 2
    assert revisions("a.py", "setting") == [first] * 12


def test_a_block_keeps_its_commit_where_lines_came_above_it_after_it_was_moved(repo, revisions):
    repo.commit("zero", {"a.py": OTHER})
    first = repo.commit("one", {"a.py": BLOCK + OTHER})
    repo.commit("moved", {"a.py": OTHER + BLOCK})
    repo.commit("above", {"a.py": "import os\n" * 5 + OTHER + BLOCK})

    assert revisions("a.py", "price") == [first] * 2


def test_each_line_that_a_revert_brought_back_keeps_its_own_commit(repo, revisions):
    first = repo.commit("one", {"a.py": BLOCK + OTHER})
    heading, sums, rest = BLOCK.splitlines(keepends=True)
    second = repo.commit("two", {"a.py": heading + "    check(prices, price=0)\n" + sums + rest + OTHER})
    repo.commit("gone", {"a.py": OTHER})
    repo.git("revert", "--no-edit", "HEAD")

    assert revisions("a.py", "price") == [first, second, first]


def test_a_block_moved_to_another_file_keeps_its_commit(repo, revisions):
    first = repo.commit("one", {"a.py": BLOCK + OTHER, "b.py": "import os\n"})
    second = repo.commit("moved", {"a.py": OTHER, "b.py": "import os\nimport sys\n" + BLOCK})

    assert revisions("b.py", "price") == [first] * 2
    assert revisions("b.py", "import sys") == [second]


def test_a_block_split_off_into_a_new_file_keeps_its_commit(repo, revisions):
    first = repo.commit("one", {"a.py": BLOCK + OTHER})
    repo.commit("split", {"a.py": OTHER, "new.py": BLOCK})

    assert revisions("new.py", "price") == [first] * 2


@pytest.mark.parametrize("copy", [OTHER + BLOCK, BLOCK + OTHER], ids=["below", "above"])
def test_a_block_that_several_files_lost_comes_from_the_oldest(repo, revisions, copy):
    first = repo.commit("one", {"b.py": "import os\n" + BLOCK + OTHER})
    repo.commit("copied", {"a.py": copy, "c.py": copy})
    repo.commit("united", {"a.py": OTHER, "b.py": "import os\n" + OTHER, "c.py": OTHER, "new.py": BLOCK})

    assert revisions("new.py", "price") == [first] * 2


def test_a_block_is_followed_over_several_moves_and_a_rename(repo, revisions):
    repo.commit("zero", {"a.py": OTHER})
    first = repo.commit("one", {"a.py": BLOCK + OTHER})
    repo.commit("down", {"a.py": OTHER + BLOCK})
    repo.commit("out", {"a.py": OTHER, "b.py": "import os\n" * 3 + BLOCK})
    repo.git("mv", "b.py", "c.py")
    repo.commit("renamed")
    repo.commit("indented", {"c.py": "import os\n" * 3 + BLOCK.replace("    ", "\t")})

    assert revisions("c.py", "price") == [first] * 2


def test_a_copy_is_the_copiers(repo, revisions):
    repo.commit("one", {"a.py": BLOCK + OTHER})
    second = repo.commit("copied", {"a.py": BLOCK + OTHER + "more = 1\n", "b.py": BLOCK})

    assert revisions("b.py", "price") == [second] * 2


def test_a_copy_within_the_file_is_the_copiers(repo, revisions):
    first = repo.commit("one", {"a.py": BLOCK + OTHER})
    repo.write("a.py", BLOCK + OTHER + BLOCK)
    assert revisions("a.py", "price") == [first] * 2 + [None] * 2

    second = repo.commit("copied")

    assert revisions("a.py", "price") == [first] * 2 + [second] * 2


def test_a_line_that_may_stand_anywhere_is_not_followed(repo, revisions):
    repo.commit("one", {"a.py": "x = 1\n" + OTHER})
    second = repo.commit("moved", {"a.py": OTHER + "x = 1\n"})

    assert revisions("a.py", "x = 1") == [second]


def test_what_was_changed_while_it_was_moved_is_the_movers(repo, revisions):
    first = repo.commit("one", {"a.py": BLOCK + OTHER})
    second = repo.commit("moved", {"a.py": OTHER + BLOCK.replace("round(amount, 2)", "amount")})

    assert revisions("a.py", "price") == [first] * 2
    assert revisions("a.py", "return") == [second]


def test_a_move_that_is_not_committed_is_followed(repo, revisions):
    first = repo.commit("one", {"a.py": BLOCK + OTHER})
    repo.write("a.py", OTHER + BLOCK + "late = 1\n")

    assert revisions("a.py", "price") == [first] * 2
    assert revisions("a.py", "late") == [None]


def test_a_move_is_followed_at_an_older_revision_too(repo, revisions):
    first = repo.commit("one", {"a.py": BLOCK + OTHER})
    second = repo.commit("moved", {"a.py": OTHER + BLOCK})
    repo.commit("gone", {"a.py": OTHER})

    assert revisions("a.py", "price", second) == [first] * 2


def test_the_author_is_who_wrote_the_moved_line(repo, agent):
    agent()
    repo.write("a.py", BLOCK + OTHER)
    repo.git("add", "a.py")
    repo.git("commit", "-q", "-m", "one", "--author", "Writer <writer@example.org>")
    repo.commit("moved", {"a.py": OTHER + BLOCK})
    repository = find(str(repo.path))

    answer = blame(repository, find_target(repository, "a.py", None))

    assert {by.author for by in answer.attributions} == {"Writer"}
    assert {by.contributor_type for by in answer.attributions} == {"human"}


def test_objects_that_are_missing_leave_lines_where_they_are(repo, revisions):
    repo.commit("one", {"a.py": BLOCK + OTHER, "0.txt": "some text\n"})
    second = repo.commit("moved", {"a.py": OTHER, "b.py": BLOCK, "0.txt": "other text\n"})
    repo.commit("later", {"0.txt": "git would read this file in the place of an object with the same content\n"})
    blob = repo.git("rev-parse", f"{second}:0.txt")
    (repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()

    assert revisions("b.py", "price") == [second] * 2
