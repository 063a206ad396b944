"""Who wrote the lines of many files, asked in one go: the same answers as one by one, for less."""

import sys
from pathlib import Path

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.blame.blame import Blamer, blame
from linetrail.projections.git.target import in_worktree

pytestmark = pytest.mark.slow


def remembered(repo):
    """Return the names of the answers in the cache."""
    return {file.name for file in (repo.path / ".orchestration" / "cache" / "blame").glob("*.json")}


def targets(repo, *paths):
    repository = find(str(repo.path))
    return [in_worktree(repository, path) for path in paths]


def test_many_files_have_the_answers_that_each_has_alone_and_in_order(repo, agent):
    names = [f"{name}.py" for name in "abcdefgh"]
    repo.commit("start", {name: f"{name}\none\ntwo\n" for name in names})
    for number, name in enumerate(names[:5]):
        agent(f"session-{number % 2}").edit(name, "two", "two\nthree")
    repo.commit("more")
    repo.write("h.py", "h.py\nlate\none\ntwo\n")
    repository = find(str(repo.path))
    alone = [blame(repository, target) for target in targets(repo, *names)]
    for file in (repo.path / ".orchestration" / "cache" / "blame").iterdir():
        file.unlink()

    with Blamer(repository) as blamer:
        answers = list(blamer.answers(targets(repo, *names)))

    assert answers == alone


def test_answers_are_remembered_and_taken_from_memory(repo, agent, monkeypatch):
    repo.commit("start", {"a.py": "one\n", "b.py": "one\n"})
    agent().edit("a.py", "one", "one\ntwo")
    repository = find(str(repo.path))
    with Blamer(repository) as blamer:
        first = list(blamer.answers(targets(repo, "a.py", "b.py")))
    assert len(remembered(repo)) == 2

    monkeypatch.setenv("PATH", "/nonexistent")
    with Blamer(repository) as blamer:
        assert list(blamer.answers(targets(repo, "b.py", "a.py"))) == first[::-1]


def test_lines_that_no_commit_has_are_told_alone_as_among_all_and_no_commit_is_looked_into(repo, agent, monkeypatch):
    block = "def total(order):\n    return sum(line.price for line in order.lines)\n"
    repo.commit("total", {"b.py": f"import sys\n{block}"})
    repo.commit("start", {"a.py": "import json\nimport os\n"})
    repo.commit("by hand", {"a.py": "import json\nimport os\nname = json.loads(os.environ['NAME'])\n"})
    agent().edit("a.py", "import os\n", "import os\nimport pathlib\n")
    repo.write("a.py", (repo.path / "a.py").read_text() + block)
    repo.write("b.py", "import sys\n")
    repository, [target] = find(str(repo.path)), targets(repo, "a.py")
    trace = repo.path.with_name("trace")
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(trace))

    with Blamer(repository, whole=False) as blamer:
        part = blamer.answer(target)
    asked = trace.read_text()
    whole = blame(repository, target)

    new = [at for at, by in enumerate(part.attributions) if by.vcs_revision is None]
    assert new == [at for at, by in enumerate(whole.attributions) if by.vcs_revision is None] == [2]
    assert part.attributions[2] == whole.attributions[2]
    assert {line.revision for line in whole.git.lines} - {None} == whole.git.commits.keys()
    assert "diff-tree" not in asked
    assert "diff-tree" in trace.read_text()[len(asked) :]


def test_targets_are_not_read_long_before_they_are_answered(repo, agent):
    repo.commit("start", {f"{number}.py": "one\n" for number in range(40)})
    agent()
    read = []

    def reading():
        for target in targets(repo, *(f"{number}.py" for number in range(40))):
            read.append(target.path)
            yield target

    with Blamer(find(str(repo.path))) as blamer:
        answers = blamer.answers(reading())
        next(answers)

        assert len(read) < 10
        answers.close()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_whoever_stops_early_leaves_no_process(repo, agent):
    repo.commit("start", {f"{number}.py": "one\n" for number in range(40)})
    agent()
    before = children()

    with Blamer(find(str(repo.path))) as blamer:
        answers = blamer.answers(targets(repo, *(f"{number}.py" for number in range(40))))
        next(answers)
        assert children() > before

        answers.close()

    assert children() == before


def children():
    """Return the processes that this one started and has not waited for."""
    return {name for path in Path("/proc/self/task").iterdir() for name in (path / "children").read_text().split()}
