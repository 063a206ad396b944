"""The map of intents names definitions, and says the same before a commit, after it, and in a clone."""

import shutil
from pathlib import Path

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.build import rebuild
from linetrail.projections.lines.surviving_lines import holdings
from linetrail.projections.nodes.definition_lines import divided
from linetrail.projections.tables.tables import open_tables

pytestmark = pytest.mark.slow

UNKNOWN = "\N{EN DASH}"
ORDER = """\
import sys


class Order:
    def total(self):
        return sum(self.prices)

    def show(self):
        print(self.total())


def main():
    Order().show()
"""


@pytest.fixture
def mapped(repo):
    """Return a function that makes the map, and returns its text and what it says of files and definitions."""

    def read():
        rebuild(find(str(repo.path)))
        text = (repo.path / ".orchestration" / "intent_map.md").read_text(encoding="utf-8")
        rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| [")]
        return text, [(cells[1].strip("`"), cells[2].partition("]")[0].strip("[")) for cells in rows]

    return read


@pytest.fixture
def clone(repo, tmp_path):
    """Return a function that clones what is committed, makes the map anew there, and returns both texts."""

    def made(name):
        repo.git("clone", "--quiet", str(repo.path), str(tmp_path / name))
        path = tmp_path / name / ".orchestration" / "intent_map.md"
        committed = path.read_text(encoding="utf-8")
        path.unlink()
        rebuild(find(str(tmp_path / name)))
        return committed, path.read_text(encoding="utf-8")

    return made


def test_lines_are_shown_with_the_definition_around_them(repo, agent, mapped):
    repo.commit("start", {"a.py": ORDER})
    claude = agent()
    claude.edit("a.py", "return sum(self.prices)", "return round(sum(self.prices), 2)")
    claude.edit("a.py", "import sys", "import sys\nimport math")
    claude.edit("a.py", "def main():\n    Order().show()", "def begin():\n    Order().run()")
    repo.commit("agent")
    claude.prompt("and now")

    assert mapped()[1] == [(UNKNOWN, "2"), ("Order.total", "7"), ("begin", "13-14")]


def test_a_definition_of_which_all_is_held_stands_for_all_in_it(repo, agent, mapped):
    claude = agent()
    claude.write("a.py", ORDER)
    repo.commit("agent")
    claude.prompt("and now")

    assert mapped()[1] == [(UNKNOWN, "1-3"), ("Order", "4-11"), ("main", "12-13")]


def test_what_no_commit_has_is_named_once_its_change_is_judged(repo, agent, mapped, cli, clone):
    repo.commit("start", {"a.py": ORDER})
    claude = agent()
    claude.edit("a.py", "return sum(self.prices)", "return round(sum(self.prices), 2)")
    claude.write("b.py", ORDER)
    assert mapped()[1] == [(UNKNOWN, "6"), (UNKNOWN, "1-13")]

    cli("seal")

    text, rows = mapped()
    assert rows == [("Order.total", "6"), (UNKNOWN, "1-3"), ("Order", "4-11"), ("main", "12-13")]
    repo.write("b.py", "a person went on\n")
    repo.commit("agent and person")
    assert clone("one") == (text, text)


def test_only_the_last_recorded_state_of_a_file_is_told_with_what_it_defines(repo, agent, cli):
    claude = agent()
    claude.write("a.py", ORDER)
    claude.edit("a.py", "def main", "def begin")

    cli("seal")

    told = [event.data["files"][0] for event in repo.events("mutation.classified") if event.data["about"] == "mutation"]
    assert [one["name"] for file in told for one in file.get("definitions", ())] == [
        *("Order", "Order.total", "Order.show", "begin")
    ]


def test_of_more_definitions_than_an_event_has_room_for_the_first_are_told(repo, agent, cli):
    agent().write("a.py", "".join(f"def {'long' * 40}_{number}():\n    return 1\n" for number in range(300)))

    assert cli("seal").status == 0

    (event,) = repo.events("mutation.classified")
    (file,) = event.data["files"]
    assert 20 < len(file["definitions"]) < 100
    assert file["definitions"][0]["first"] == 1


def test_a_clone_makes_the_same_map_whenever_it_was_made(repo, agent, mapped, cli, clone):
    repo.commit("start", {"a.py": ORDER})
    claude = agent()
    claude.edit("a.py", "return sum(self.prices)", "return round(sum(self.prices), 2)")
    cli("seal")
    mapped()
    repo.commit("agent")
    first, again = clone("one")
    assert first == again
    assert cli("rebuild", "--check").status == 0

    claude.prompt("and now")
    cli("seal")
    text, rows = mapped()
    repo.commit("map")

    assert rows == [("Order.total", "6")]
    assert clone("two") == (text, text)


def test_rewritten_history_leaves_the_map_as_it_is(repo, agent, mapped, cli, clone):
    repo.commit("start", {"a.py": ORDER})
    claude = agent()
    claude.edit("a.py", "return sum(self.prices)", "return round(sum(self.prices), 2)")
    repo.commit("agent")
    claude.prompt("and now")
    cli("seal")
    text, rows = mapped()
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--amend", "--message", "agent, amended")

    assert rows == [("Order.total", "6")]
    assert clone("one") == (text, text)


def test_what_is_kept_makes_no_difference(repo, agent, tmp_path):
    repo.commit("start", {"a.py": ORDER})
    claude = agent()
    claude.write("b.py", ORDER)
    repository, revision, kept = find(str(repo.path)), repo.commit("agent"), Path(tmp_path, "kept.json")
    with open_tables(repository) as tables:
        held = holdings(tables)

        first = divided(repository, held, revision, kept)
        second = divided(repository, held, revision, kept)
        kept.write_text("[1]", encoding="utf-8")

        assert first == second == divided(repository, held, revision, kept) == divided(repository, held, revision, None)
    shutil.rmtree(Path(repository.folder, "cache"))
    with open_tables(repository) as tables:
        assert divided(repository, holdings(tables), revision, None) == first
