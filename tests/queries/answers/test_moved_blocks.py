"""Blocks keep their authors wherever they are moved, by whom and in how many steps ever; equal lines prove nothing."""

import shutil
import subprocess
import textwrap
from collections import Counter

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]

PERSON = """\
import decimal

RATE = decimal.Decimal("0.2")


def gross(net):
    tax = net * RATE
    return net + tax


def rounded(value):
    cents = value.quantize(decimal.Decimal("0.01"))
    return cents
"""
GROSS = "def gross(net):\n    tax = net * RATE\n    return net + tax\n"
AGENT = """\
def discount(price, percent):
    if percent < 0:
        raise ValueError(percent)
    return price * (1 - percent / 100)
"""
LICENCE = "# Copyright the authors.\n# Licensed under the Apache License.\n# See the file LICENSE for details.\n"


@pytest.fixture
def authors(repo, cli):
    """Return a function that tells who wrote each line of a file, as the machine and as a fresh clone knows it."""
    (repo.path / ".git" / "info" / "exclude").write_text(".orchestration/\n")

    def told(path, *options):
        def ask():
            rows = cli("blame", path, "--json", *options).rows
            told = [row["session_id"] or row["author"] or row["contributor_type"] for row in rows]
            return [name for name, row in zip(told, rows, strict=True) if row["text"].strip()]

        here = ask()
        assert ask() == here, "what is remembered"
        for name in ("objects", "state", "cache"):
            shutil.rmtree(repo.path / ".orchestration" / name, ignore_errors=True)
        assert ask() == here, "a fresh clone"
        return here

    return told


@pytest.fixture
def shop(repo, agent):
    """Commit the person's file, with the agent's function at its end."""
    repo.commit("start", {"shop.py": PERSON, "prices.py": "import math\n\n\ndef half(price):\n    return price / 2\n"})
    claude = agent()
    claude.edit("shop.py", "    return cents\n", f"    return cents\n\n\n{AGENT}")
    repo.commit("agent")
    return claude


def text(repo, path):
    return (repo.path / path).read_text(encoding="utf-8")


def cut(repo, path, block):
    assert block in text(repo, path)
    repo.write(path, text(repo, path).replace(block, "", 1))


def put(repo, path, block):
    repo.write(path, text(repo, path) + "\n\n" + block)


OURS, THEIRS = ["session-1"] * 4, ["Author"] * 3


@pytest.mark.parametrize("committed", [True, False], ids=["committed", "not committed"])
@pytest.mark.parametrize("indent", ["", "    "], ids=["as it is", "into a class"])
def test_a_person_moves_an_agents_block_to_another_file(repo, shop, authors, committed, indent):
    cut(repo, "shop.py", AGENT)
    put(repo, "prices.py", "".join(indent + line for line in AGENT.splitlines(keepends=True)))
    if committed:
        repo.commit("move")

    assert authors("prices.py")[3:] == OURS


def test_a_block_is_followed_over_several_files(repo, shop, authors):
    cut(repo, "shop.py", AGENT)
    put(repo, "prices.py", AGENT)
    repo.commit("move")
    cut(repo, "prices.py", AGENT)
    repo.commit("move again", {"last.py": "START = 1\n\n\n" + AGENT})

    assert authors("last.py") == ["Author", *OURS]


@pytest.mark.parametrize("added_first", [True, False], ids=["added first", "deleted first"])
@pytest.mark.parametrize("committed", [True, False], ids=["committed", "not committed"])
def test_an_agent_moves_a_persons_block_to_another_file(repo, shop, authors, added_first, committed):
    steps = [
        lambda: shop.edit("prices.py", "    return price / 2\n", f"    return price / 2\n\n\n{GROSS}"),
        lambda: shop.edit("shop.py", GROSS + "\n\n", ""),
    ]
    for step in steps if added_first else reversed(steps):
        step()
    if committed:
        repo.commit("move")

    assert authors("prices.py")[3:] == THEIRS


@pytest.mark.parametrize("added_first", [True, False], ids=["added first", "deleted first"])
def test_an_agent_moves_a_persons_block_within_a_file_in_two_steps(repo, shop, authors, added_first):
    steps = [
        lambda: repo.write("shop.py", text(repo, "shop.py") + "\n\n" + GROSS),
        lambda: cut(repo, "shop.py", GROSS + "\n\n"),
    ]
    for step in steps if added_first else reversed(steps):
        given = {"file_path": str(repo.path / "shop.py"), "old_string": "not", "new_string": "looked at"}
        with shop.tool("Edit", given, {"userModified": False}):
            step()

    assert authors("shop.py")[-3:] == THEIRS


def test_what_an_agent_writes_after_it_deleted_something_else_is_its_own(repo, shop, authors):
    shop.edit("shop.py", GROSS, "")
    shop.write("tax.py", GROSS.replace("net", "amount").replace("tax", "share"))

    assert authors("tax.py") == ["session-1"] * 3


def test_equal_lines_that_are_still_where_they_came_from_were_not_moved(repo, shop, authors):
    repo.commit("a person's own", {"other.py": "X = 1\nY = 2\nZ = 3\nW = 4\nV = 5\n" + AGENT})

    assert set(authors("other.py")) == {"Author"}


def test_a_licence_that_an_agent_wrote_first_is_not_its_own_everywhere(repo, agent, authors):
    claude = agent()
    claude.write("first.py", LICENCE + "FIRST = 1\n")
    repo.commit("agent")
    repo.commit("person", {"second.py": LICENCE + "SECOND = 2\nOTHER = 3\nMORE = 4\nLAST = 5\n"})
    cut(repo, "first.py", LICENCE.splitlines(keepends=True)[0])
    repo.commit("a line less")

    assert set(authors("second.py")) == {"Author"}


HEADER = LICENCE + "import decimal\nimport logging\nimport math\nimport sys\n\nlogger = logging.getLogger(__name__)\n"
LONG = "".join(f"def step_{at}(value):\n    return value * {at}\n\n\n" for at in range(12))
OWN = "ORDER = 1\nLIMIT = 2\nSTART = 3\n"


@pytest.fixture
def header(repo, agent):
    """Let an agent write a file whose first lines stand in every file of the project, and commit it."""
    claude = agent()
    claude.write("first.py", HEADER + LONG)
    repo.commit("agent", {"short.py": OWN})
    return claude


@pytest.mark.parametrize("path", ["short.py", "new.py", "empty/__init__.py"])
def test_a_header_that_a_person_puts_above_little_else_is_no_copy_of_a_file(repo, header, authors, path):
    repo.commit("person", {path: HEADER + ("" if path.startswith("empty") else OWN)})

    assert set(authors(path)) == {"Author"}


@pytest.mark.parametrize("by", ["a person", "an agent"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_header_that_leaves_another_file_in_another_commit_was_not_moved(repo, header, authors, when, by):
    def leave():
        if by == "a person":
            cut(repo, "first.py", HEADER)
        else:
            header.bash("rm first.py")
        repo.commit("leave")

    if when == "before":
        leave()
        repo.commit("something else", {"other.txt": "one\n"})
    repo.commit("person", {"second.py": HEADER + LONG.replace("value", "amount").replace("step", "way")})
    if when == "after":
        leave()

    assert set(authors("second.py")) == {"Author"}


def test_a_block_moved_on_a_branch_is_followed_through_a_squash(repo, agent, authors):
    repo.commit("start", {"shop.py": PERSON, "prices.py": "import math\n"})
    repo.git("checkout", "--quiet", "-b", "side")
    agent().edit("shop.py", "    return cents\n", f"    return cents\n\n\n{AGENT}")
    repo.commit("agent")
    cut(repo, "shop.py", AGENT)
    put(repo, "prices.py", AGENT)
    repo.commit("move")
    repo.git("checkout", "--quiet", "main")
    repo.commit("meanwhile", {"shop.py": PERSON.replace("0.2", "0.25")})
    repo.git("merge", "--quiet", "--squash", "side")
    repo.commit("squash")

    assert authors("prices.py")[1:] == OURS


def test_what_was_committed_before_somebody_wrote_it_elsewhere_did_not_come_from_there(repo, agent, authors):
    repo.commit("person", {"old.py": "import os\n\n" + AGENT})
    claude = agent()
    claude.write("new.py", AGENT)
    claude.bash("rm new.py")
    repo.commit("agent")

    assert set(authors("old.py")) == {"Author"}


@pytest.mark.parametrize("committed", [True, False], ids=["committed", "not committed"])
def test_a_copy_of_an_agents_file_is_the_agents(repo, agent, authors, committed):
    claude = agent()
    claude.write("first.py", AGENT)
    repo.commit("agent")
    shutil.copy(repo.path / "first.py", repo.path / "second.py")
    if committed:
        repo.commit("copy")

    assert authors("second.py") == OURS


def test_an_agents_copy_of_a_persons_file_is_the_persons(repo, shop, authors):
    shop.bash("cp prices.py half.py")
    repo.commit("copy")

    assert authors("half.py") == THEIRS


@pytest.mark.parametrize("renamed", ["a file", "its folder"])
def test_a_renamed_file_that_git_was_not_told_of(repo, agent, authors, renamed):
    repo.commit("start", {"old/shop.py": PERSON})
    agent().edit("old/shop.py", "    return cents\n", f"    return cents\n\n\n{AGENT}")
    repo.commit("agent")
    old, new = ("old/shop.py", "old/store.py") if renamed == "a file" else ("old", "new")
    (repo.path / old).rename(repo.path / new)
    path = "old/store.py" if renamed == "a file" else "new/shop.py"
    repo.write(path, text(repo, path).replace("RATE = ", "TAX_RATE = "))

    assert authors(path) == ["Author", "unknown", *["Author"] * 6, *OURS]


def test_a_persons_block_that_an_agent_moved_away_and_a_revert_brought_back(repo, shop, authors):
    shop.edit("shop.py", GROSS + "\n\n", "")
    shop.edit("prices.py", "    return price / 2\n", f"    return price / 2\n\n\n{GROSS}")
    moved = repo.commit("move")
    repo.git("revert", "--no-edit", moved)

    assert authors("shop.py") == ["Author"] * 8 + OURS


def test_a_line_beside_the_marks_of_a_conflict_is_whose_it_is_on_its_branch(repo, agent, authors):
    repo.commit("start", {"shop.py": PERSON})
    repo.git("checkout", "--quiet", "-b", "side")
    agent().edit("shop.py", "net * RATE", "net * RATE_OF_ONE")
    repo.commit("side")
    repo.git("checkout", "--quiet", "main")
    agent("session-2").edit("shop.py", "net * RATE", "net * RATE_OF_TWO")
    repo.commit("main")
    with pytest.raises(subprocess.CalledProcessError):
        repo.git("merge", "--quiet", "side")

    told = authors("shop.py")
    assert (told.count("session-1"), told.count("session-2")) == (1, 1)


def test_an_answer_is_forgotten_when_the_block_is_back_in_its_old_place(repo, shop, cli):
    cut(repo, "shop.py", AGENT)
    repo.write("prices.py", AGENT)
    first = [row["contributor_type"] for row in cli("blame", "prices.py", "--json").rows]

    put(repo, "shop.py", AGENT)
    second = [row["contributor_type"] for row in cli("blame", "prices.py", "--json").rows]

    assert (first, second) == (["ai"] * 4, ["unknown"] * 4)


def test_a_block_that_was_moved_stays_so_when_somebody_types_it_in_its_old_place(repo, shop, authors):
    cut(repo, "shop.py", AGENT)
    put(repo, "prices.py", AGENT)
    repo.commit("move")
    put(repo, "shop.py", AGENT)

    assert authors("prices.py")[3:] == OURS


def test_a_paragraph_of_which_no_line_is_left_as_it_was(repo, agent, authors):
    words = " ".join(f"word{at} and some more" for at in range(20))
    agent().write("notes.md", "\n".join(textwrap.wrap(words, 70)) + "\n")
    repo.commit("agent")
    repo.commit("person", {"notes.md": "\n".join(textwrap.wrap(words, 48)) + "\n"})

    assert set(authors("notes.md")) == {"session-1"}


@pytest.mark.parametrize("committed", [True, False], ids=["committed", "not committed"])
def test_a_copy_of_a_persons_file_with_one_line_of_an_agent(repo, agent, authors, committed):
    repo.commit("start", {"shop.py": PERSON})
    agent().edit("shop.py", "net * RATE", "net * TAX_RATE")
    repo.commit("agent")
    shutil.copy(repo.path / "shop.py", repo.path / "copy.py")
    if committed:
        repo.commit("copy")

    assert Counter(authors("copy.py")) == {"Author": 7, "session-1": 1}


def test_a_file_that_was_put_aside_for_a_new_one_of_its_name(repo, agent, authors):
    text = "".join(f"def step_{at}(value):\n    return value * {at}\n" for at in range(9))
    agent().write("steps.py", text)
    repo.commit("agent")
    repo.git("mv", "steps.py", "old.py")
    repo.commit("person", {"steps.py": text.replace("value *", "value +").replace("step_3", "way_3")})

    assert set(authors("old.py")) == {"session-1"}


@pytest.mark.parametrize("by", ["a person", "an agent"])
def test_a_persons_block_that_an_agent_moved_stays_theirs_when_it_is_moved_again(repo, shop, authors, by):
    shop.edit("shop.py", GROSS + "\n\n", "")
    shop.edit("prices.py", "    return price / 2\n", f"    return price / 2\n\n\n{GROSS}")
    repo.commit("move")
    if by == "a person":
        cut(repo, "prices.py", GROSS)
        repo.write("last.py", "START = 1\n\n\n" + GROSS)
    else:
        shop.edit("prices.py", f"\n\n{GROSS}", "")
        shop.write("last.py", "START = 1\n\n\n" + GROSS)
    repo.commit("move again")

    assert authors("last.py")[1:] == THEIRS
