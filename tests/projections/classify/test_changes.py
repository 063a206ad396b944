"""Recorded mutations become steps and runs; contents are found by their hashes, commits by what they hold."""

from contextlib import closing

import pytest

from linetrail.ledger.files import digest
from linetrail.ledger.repository import find
from linetrail.projections.classify import steps as reading
from linetrail.projections.classify.classify import judge
from linetrail.projections.classify.contents import Contents
from linetrail.projections.classify.judgement import Change
from linetrail.projections.classify.steps import File, Step, runs, span
from linetrail.projections.git.history import Objects
from linetrail.projections.tables.tables import open_tables


def step(position, *files, session="s1", agent_id=None, intent=None, prompt=0, contributor="ai"):
    paths = frozenset(file.path for file in files)
    parts = ((f"m{position}", paths),)
    return Step(parts, position, session, agent_id, intent, contributor, None, None, prompt, files)


def file(path, before, after, from_path=None):
    return File(path, from_path, before, after)


class TestSpan:
    @pytest.mark.parametrize(
        ("files", "whole"),
        [
            pytest.param(
                [file("a", "1", "2"), file("a", "2", "3")], [file("a", "1", "3")], id="from the first to the last state"
            ),
            pytest.param(
                [file("a", "1", "2"), file("b", None, "1")], [file("a", "1", "2"), file("b", None, "1")], id="two files"
            ),
            pytest.param([file("a", None, "1"), file("a", "1", None)], [], id="made and removed again"),
            pytest.param(
                [file("a", "1", None), file("a", None, "2")], [file("a", "1", "2")], id="removed and made anew"
            ),
            pytest.param(
                [file("a", "1", "2"), file("b", "2", "3", "a")], [file("b", "1", "3", "a")], id="changed, then renamed"
            ),
            pytest.param(
                [file("b", "1", "1", "a"), file("b", "1", "2")], [file("b", "1", "2", "a")], id="renamed, then changed"
            ),
            pytest.param(
                [file("b", "1", "1", "a"), file("c", "1", "1", "b")], [file("c", "1", "1", "a")], id="renamed twice"
            ),
            pytest.param(
                [file("b", "1", "1", "a"), file("a", "1", "2", "b")], [file("a", "1", "2")], id="renamed and back"
            ),
            pytest.param(
                [file("a", None, "1"), file("b", "1", "1", "a")], [file("b", None, "1")], id="made, then renamed"
            ),
        ],
    )
    def test_it_leads_from_before_the_first_step_to_after_the_last(self, files, whole):
        assert span([step(at, one) for at, one in enumerate(files)]) == tuple(whole)

    def test_what_is_not_known_of_one_step_is_not_known_of_all(self):
        assert span([step(1, file("a", "1", "2")), step(2)._replace(files=None)]) is None


@pytest.mark.parametrize(
    ("steps", "positions"),
    [
        pytest.param([step(1), step(2)], [[1, 2]], id="one after the other"),
        pytest.param([step(1), step(2, prompt=1)], [[1], [2]], id="a prompt in between"),
        pytest.param([step(1), step(2, intent="INT-1")], [[1], [2]], id="another intent"),
        pytest.param([step(1), step(2, agent_id="sub"), step(3)], [[1, 3], [2]], id="a subagent in between"),
        pytest.param([step(1), step(2, session="s2"), step(3)], [[1, 3], [2]], id="another session in between"),
        pytest.param([step(1), step(2, contributor="human"), step(3)], [[1, 3]], id="a person in between"),
        pytest.param([step(1, session=None)], [], id="nobody's session"),
    ],
)
def test_a_run_is_what_an_agent_did_in_a_row(steps, positions):
    assert [[one.position for one in run] for run in runs(steps)] == positions


@pytest.mark.slow
def test_a_call_is_one_step_in_however_many_events_it_is_told(repo, agent):
    repo.commit(files={"a.py": "x = 1\n"})
    agent().bash("for i in $(seq 12); do seq -f x${i}_%g=1 400 > f$i.py; done")
    observed = [event for event in repo.events("mutation.observed") if event.data["via"] == "shell"]
    assert len(observed) > 1

    with open_tables(find(str(repo.path))) as tables:
        [found] = reading.steps(tables, [observed[0].id])

    assert found.mutation_ids == tuple(event.id for event in observed)
    assert {one.path for one in found.files} == {f"f{at}.py" for at in range(1, 13)}
    assert [paths for _, paths in found.parts] == [
        frozenset(entry["path"] for entry in event.data["files"]) for event in observed
    ]


class TestContents:
    @pytest.fixture
    def contents(self, repo):
        """Return a function that finds a content of a file in the repository."""

        def look(content, path="a.py", *, search=True, likely=()):
            with closing(Objects(find(str(repo.path)))) as store:
                return Contents(find(str(repo.path)), store, search=search).find(digest(content), path, likely)

        return look

    def test_what_a_hook_kept_is_found(self, repo, agent, contents):
        agent().write("a.py", "x = 1\n")
        (repo.path / "a.py").unlink()

        assert contents(b"x = 1\n", search=False) == b"x = 1\n"

    def test_what_is_on_the_disk_is_found(self, repo, contents):
        repo.write("a.py", "x = 1\n")

        assert contents(b"x = 1\n", search=False) == b"x = 1\n"
        assert contents(b"x = 2\n", search=False) is None

    def test_what_any_commit_has_is_found_where_one_may_search(self, repo, contents):
        for at in range(3):
            repo.commit(files={"a.py": f"x = {at}\n"})
        repo.git("reset", "--quiet", "--hard", "HEAD~1")

        assert [contents(b"x = %d\n" % at) for at in range(4)] == [b"x = 0\n", b"x = 1\n", b"x = 2\n", None]
        assert contents(b"x = 0\n", search=False) is None

    def test_what_git_may_have_under_a_name_is_asked_for_first(self, repo, contents):
        repo.commit(files={"a.py": "x = 1\n"})
        (repo.path / "a.py").unlink()

        assert contents(b"x = 1\n", search=False, likely=["HEAD:a.py"]) == b"x = 1\n"
        assert contents(b"x = 2\n", search=False, likely=["HEAD:a.py", "nothing"]) is None

    def test_line_ends_that_git_changed_on_the_way_are_no_obstacle(self, repo, contents):
        repo.commit(files={"a.py": "x = 1\ny = 2\n"})
        (repo.path / "a.py").unlink()

        assert contents(b"x = 1\r\ny = 2\r\n") == b"x = 1\r\ny = 2\r\n"

    def test_a_name_that_means_something_to_git_is_a_name(self, repo, contents):
        repo.commit(files={":(top)*.py": "x = 1\n", "b.py": "x = 2\n"})
        (repo.path / ":(top)*.py").unlink()

        assert contents(b"x = 1\n", ":(top)*.py") == b"x = 1\n"
        assert contents(b"x = 2\n", ":(top)*.py") is None


LOCAL = (b"def f(x):\n    y = x + 1\n    return y\n", b"def f(x):\n    z = x + 1\n    return z\n")
PUBLIC = (b"def total(x):\n    return x\n", b"def summed(x):\n    return x\n")
USE = (b"from a import total\n\ntotal(1)\n", b"from a import summed\n\nsummed(1)\n")


@pytest.mark.parametrize(
    ("step", "whole", "evolved"),
    [
        pytest.param([Change("a.py", *LOCAL)], "refactor", (), id="a refactor"),
        pytest.param(
            [Change("a.py", *LOCAL), Change("b.py", b"x = 1\n", b"x = 2\n")],
            "evolution",
            ("b.py",),
            id="beside a change",
        ),
        pytest.param([Change("a.py", *LOCAL), Change("n.txt", b"1", b"2")], "evolution", (), id="beside a text"),
        pytest.param([Change("a.py", *LOCAL), Change("n.png", b"\0", b"\0\0")], "evolution", (), id="beside a picture"),
        pytest.param([Change("a.py", *PUBLIC), Change("b.py", *USE)], "refactor", (), id="harmless together"),
        pytest.param(
            [Change("a.py", *PUBLIC), Change("b.py", *USE), Change("c.py", b"x = 1\n", b"x = 2\n")],
            "evolution",
            ("c.py",),
            id="harmless together, beside a change",
        ),
        pytest.param([Change("a.py", *PUBLIC)], "evolution", ("a.py",), id="an interface that changes"),
    ],
)
def test_it_is_told_for_which_files_a_change_is_an_evolution(step, whole, evolved):
    judged = judge(step)

    assert (judged.whole.label, judged.evolved) == (whole, evolved)
    assert {path for path, one in judged.files.items() if one.label != "evolution"} >= (
        {change.path for change in step if change.path.endswith(".py")} - set(evolved)
    )
