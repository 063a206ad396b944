"""The everyday ways in which people, agents and git change a file, played through real hooks and real git.

Each is told as a story over the same small file. An answer is right when every line an agent wrote is its session's
and no line a person wrote is any agent's; blank and closing lines count too.
"""

import shutil
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.slow

PERSON = """\
import math

TAX = 0.2


def gross(net):
    return net * (1 + TAX)


def rounded(value):
    return math.floor(value * 100) / 100
"""
AGENT = """\


def discount(price, percent):
    if percent < 0:
        raise ValueError(percent)
    return price * (1 - percent / 100)
"""


class World:
    """One repository with the person's file committed, and a session of an agent."""

    def __init__(self, repo: Any, agent: Callable[..., Any], cli: Callable[..., Any]) -> None:
        self.repo, self.start, self.cli = repo, agent, cli
        (repo.path / ".git" / "info" / "exclude").write_text(".orchestration/\n")
        repo.commit("start", {"shop.py": PERSON})
        self.agent = agent()

    def text(self, path: str = "shop.py") -> str:
        return str((self.repo.path / path).read_bytes().decode())

    def append(self, path: str = "shop.py", text: str = AGENT) -> None:
        """Let the agent add its function at the end."""
        last = self.text(path).splitlines()[-1]
        self.agent.edit(path, last, last + "\n" + text.removesuffix("\n"))

    def put(self, old: str, new: str, path: str = "shop.py") -> None:
        """Let a person replace a text, with nobody watching."""
        text = self.text(path)
        assert old in text
        self.repo.write(path, text.replace(old, new, 1))

    def agents(self, path: str = "shop.py", *options: str) -> dict[str, list[str]]:
        """Return the lines of each session without their margins, as a clone with ledger and git alone has them."""
        for name in ("objects", "state", "cache"):
            shutil.rmtree(self.repo.path / ".orchestration" / name, ignore_errors=True)
        found: dict[str, list[str]] = {}
        for row in self.cli("blame", path, "--json", *options).rows:
            if row["contributor_type"] == "ai":
                found.setdefault(row["session_id"], []).append(row["text"].strip())
        return found


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


@pytest.fixture
def world(repo, agent, cli) -> World:
    return World(repo, agent, cli)


OURS = {"session-1": lines(AGENT)}


def test_insert_by_edit(world):
    world.append()
    world.repo.commit()

    assert world.agents() == OURS


def test_new_file_by_write(world):
    world.agent.write("new.py", AGENT)
    world.repo.commit()

    assert world.agents("new.py") == OURS


@pytest.mark.parametrize("committed", [False, True], ids=["same commit", "later commit"])
def test_person_edits_an_agents_line(committed, world):
    world.append()
    if committed:
        world.repo.commit()
    world.put("raise ValueError(percent)", "raise ValueError(price, percent)")
    world.repo.commit()

    assert world.agents() == {"session-1": [line for line in lines(AGENT) if "raise" not in line]}


def test_person_inserts_above(world):
    world.append()
    world.put("TAX = 0.2", "TAX = 0.2\nLIMIT = 99\nSTEP = 1")
    world.repo.commit()

    assert world.agents() == OURS


@pytest.mark.parametrize("committed", [False, True], ids=["before the commit", "in a later commit"])
def test_rename(committed, world):
    world.append()
    if committed:
        world.repo.commit()
    world.repo.git("mv", "shop.py", "store.py")
    world.repo.commit()

    assert world.agents("store.py") == OURS


@pytest.mark.parametrize("committed", [False, True], ids=["same commit", "later commit"])
def test_formatter(committed, world):
    untidy = AGENT.replace(", ", " ,").replace(" * ", "*").replace("    ", " ")
    world.append(text=untidy)
    if committed:
        world.repo.commit()
    world.put(untidy, AGENT)
    world.repo.commit()

    assert world.agents() == OURS


def test_amend(world):
    world.append()
    world.repo.commit()
    world.put("TAX = 0.2", "TAX = 0.25")
    world.repo.git("commit", "--quiet", "--all", "--amend", "--message", "amended")

    assert world.agents() == OURS


def test_rebase(world):
    world.repo.git("checkout", "--quiet", "-b", "feature")
    world.append()
    world.repo.commit()
    world.repo.git("checkout", "--quiet", "main")
    world.put("TAX = 0.2", "TAX = 0.25")
    world.repo.commit()
    world.repo.git("rebase", "--quiet", "main", "feature")

    assert world.agents() == OURS


def test_cherry_pick(world):
    world.repo.git("checkout", "--quiet", "-b", "feature")
    world.append()
    revision = world.repo.commit()
    world.repo.git("checkout", "--quiet", "main")
    world.put("TAX = 0.2", "TAX = 0.25")
    world.repo.commit()
    world.repo.git("cherry-pick", revision)

    assert world.agents() == OURS


def test_squash_merge(world):
    world.repo.git("checkout", "--quiet", "-b", "feature")
    world.append()
    world.repo.commit()
    world.agent.edit("shop.py", "TAX = 0.2\n", "TAX = 0.2\nMINIMUM_PRICE = 1\n")
    world.repo.commit()
    world.put("import math", "import math\nimport sys")
    world.repo.commit()
    world.repo.git("checkout", "--quiet", "main")
    world.repo.git("merge", "--quiet", "--squash", "feature")
    world.repo.commit()

    assert world.agents() == {"session-1": ["MINIMUM_PRICE = 1", *lines(AGENT)]}


def test_merge_commit_of_two_agents_work(world):
    world.repo.git("checkout", "--quiet", "-b", "feature")
    world.append()
    world.repo.commit()
    world.repo.git("checkout", "--quiet", "main")
    world.start("session-2").edit("shop.py", "import math", "import math\nimport decimal")
    world.repo.commit()
    world.repo.git("merge", "--quiet", "--no-edit", "feature")

    assert world.agents() == OURS | {"session-2": ["import decimal"]}


def test_file_written_by_a_command(world):
    world.agent.bash(f"cat > new.py <<'END'\n{AGENT}END")
    world.repo.commit()

    assert world.agents("new.py") == OURS


def test_same_trivial_lines_typed_by_a_person_elsewhere(world):
    world.append()
    text = "import math\n\n\ndef f(percent):\n    if percent < 0:\n        return None\n"
    world.repo.commit("other", {"other.py": text})

    assert world.agents() == OURS
    assert world.agents("other.py") == {}


def test_agents_edit_reverted_and_a_person_writes_something_else(world):
    world.append()
    revision = world.repo.commit()
    world.repo.git("revert", "--no-edit", revision)
    world.repo.write("shop.py", world.text() + "\n\ndef cheaper(amount):\n    return amount / 2\n")
    world.repo.commit()

    assert world.agents() == {}


def test_revert_of_a_revert(world):
    world.append()
    revision = world.repo.commit()
    world.repo.git("revert", "--no-edit", revision)
    world.repo.git("revert", "--no-edit", "HEAD")

    assert world.agents() == OURS


def test_write_over_a_file_that_keeps_a_persons_lines(world):
    world.agent.write("shop.py", PERSON + AGENT)
    world.repo.commit()

    assert world.agents() == OURS


def test_edit_whose_context_holds_a_persons_uncommitted_lines(world):
    world.put("TAX = 0.2", "TAX = 0.2\nLIMIT = 99")
    world.agent.edit("shop.py", "TAX = 0.2\nLIMIT = 99", "TAX = 0.2\nLIMIT = 99\nSTEP = 1")
    world.repo.commit()

    assert world.agents() == {"session-1": ["STEP = 1"]}


def test_not_committed_yet(world):
    world.append()

    assert world.agents() == OURS


def test_stash_other_commit_and_pop(world):
    world.append()
    world.repo.git("stash", "--quiet")
    world.put("TAX = 0.2", "TAX = 0.25")
    world.repo.commit()
    world.repo.git("stash", "pop", "--quiet")
    world.repo.commit()

    assert world.agents() == OURS


def test_two_models_on_one_block(world):
    world.append()
    other = world.start("session-2", "claude-model-y")
    other.edit("shop.py", "raise ValueError(percent)", "raise ValueError(price, percent)")
    world.repo.commit()

    expected = [line for line in lines(AGENT) if "raise" not in line]
    assert world.agents() == {"session-1": expected, "session-2": ["raise ValueError(price, percent)"]}


def test_block_moved_to_another_file(world):
    world.append()
    world.repo.commit()
    world.put(AGENT, "")
    world.repo.commit("move", {"prices.py": AGENT})

    assert world.agents("prices.py") == OURS


def test_crlf_file(world):
    world.repo.commit("windows", {"dos.py": PERSON.replace("\n", "\r\n")})
    world.agent.edit("dos.py", "TAX = 0.2\r\n", "TAX = 0.2\r\nLIMIT = 99\r\nSTEP = 1\r\n")
    world.repo.commit()

    assert world.agents("dos.py") == {"session-1": ["LIMIT = 99", "STEP = 1"]}


def test_non_ascii_path_with_a_space(world):
    world.repo.commit("path", {"größe und maß/シ ョップ.py": PERSON})
    world.append("größe und maß/シ ョップ.py")
    world.repo.commit()

    assert world.agents("größe und maß/シ ョップ.py") == OURS


def test_agent_commits_by_itself(world):
    world.append()
    world.agent.bash("git commit -qam 'by the agent\n\nCo-Authored-By: Claude <noreply@anthropic.com>'")

    assert world.agents() == OURS


@pytest.mark.parametrize("committed", [False, True], ids=["same commit", "later commit"])
def test_person_indents_the_block(committed, world):
    world.append()
    if committed:
        world.repo.commit()
    world.put(AGENT, AGENT.replace("\ndef", "\nif True:\n    def").replace("\n    ", "\n        "))
    world.repo.commit()

    assert world.agents() == OURS
