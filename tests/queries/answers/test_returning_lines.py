"""Who took away a line that had come back after an earlier deletion."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linetrail.ledger.repository import find
from linetrail.projections.git.diff_sides import Sides
from linetrail.projections.survival.diff_lines import difference
from tests.conftest import ClaudeCode, Repo
from tests.examples import examples
from tests.queries.answers.conftest import TEN, without

pytestmark = pytest.mark.usefixtures("uncommitted_ledger")

LONG = "".join(f"a line that is long enough to be known again, number {number}\n" for number in range(1, 11))


# What somebody does to a file: take away lines by their place, put back or add one, or commit.
DEEDS = st.lists(
    st.tuples(
        st.sampled_from(["one", "two", "person"]),
        st.lists(st.integers(0, 11), max_size=3, unique=True),
        st.one_of(st.none(), st.integers(0, 15)),
        st.booleans(),
    ),
    min_size=1,
    max_size=7,
)


@pytest.mark.slow
@settings(max_examples=examples(4))
@given(deeds=DEEDS)
def test_in_any_story_each_line_has_its_last_deleter(deeds):
    with tempfile.TemporaryDirectory() as folder:
        repo = Repo(Path(folder) / "project")
        repo.start_ledger()
        (repo.path / ".git" / "info" / "exclude").write_text(".orchestration/\n")
        words = [f"line number {number} of the story" for number in range(16)]
        lines = words[:12]
        start = repo.commit("start", {"a.py": "\n".join([*lines, ""]), "b.py": "b\n"})
        agents = {name: ClaudeCode(repo, name, "claude-model-x") for name in ("one", "two")}
        deleted: dict[str, str] = {}
        # What hooks and commits have seen: what a person puts back and takes away in between, nobody can know. Nor
        # whether a commit has a line at its old place because a person put it back, or because a deletion was left out
        # of it; so a person puts a line where it was not.
        seen = lines
        for who, places, put_back, commits in deeds:
            before, gone = lines, [lines[at] for at in places if at < len(lines)]
            lines = [line for line in lines if line not in gone]
            if put_back is not None and words[put_back] not in lines and words[put_back] not in gone:
                was_last = who == "person" and all(words.index(line) < put_back < 12 for line in lines)
                lines = [words[put_back], *lines] if was_last else [*lines, words[put_back]]
            text = "\n".join([*lines, ""])
            if who == "person":
                repo.write("a.py", text)
            else:
                deleted |= {line: "person" for line in seen if line not in before}
                deleted |= dict.fromkeys(gone, who)
                seen = lines
                agents[who].write("a.py", text)
            if commits:
                deleted |= {line: "person" for line in seen if line not in lines}
                seen = lines
                repo.commit("step")
        deleted |= {line: "person" for line in seen if line not in lines}
        end = repo.commit("end", {"b.py": "bb\n"})

        told = {
            line.text.decode(): by.session_id or {"human": "person"}[by.contributor_type]
            for line in difference(find(str(repo.path)), Sides(start, end)).lines()
            if line.path == "a.py" and (by := line.deleted_by) is not None
        }

    assert told == {line: who for line, who in deleted.items() if line in words[:12] and line not in lines}


@pytest.mark.slow
def test_a_line_that_a_person_put_back_and_took_away_after_others_is_the_person_s(repo, agent, deleters):
    start = repo.commit("start", {"a.py": TEN})
    session = agent()
    lines = TEN.splitlines(keepends=True)
    session.write("a.py", "".join(lines[1:]))
    repo.write("a.py", "".join([*lines[4:], lines[0]]))
    session.write("a.py", "".join([*lines[5:], lines[0]]))
    repo.write("a.py", "".join(lines[5:]))
    repo.commit("end")

    assert deleters(f"{start}..HEAD")["1"] == ("human", "git")


@pytest.mark.slow
def test_a_line_that_a_person_committed_at_another_place_and_took_away_later_is_the_person_s(repo, agent, deleters):
    start = repo.commit("start", {"a.py": LONG})
    lines = LONG.splitlines(keepends=True)
    agent().write("a.py", "".join(lines[3:]))
    repo.commit("moved", {"a.py": "".join([*lines[3:], lines[0]])})
    repo.commit("end", {"a.py": "".join(lines[3:])})

    assert deleters(f"{start}..HEAD") == {
        "1": ("human", "git"),
        "2": ("session-1", "observed"),
        "3": ("session-1", "observed"),
    }


@pytest.mark.slow
def test_a_line_that_an_agent_wrote_again_elsewhere_is_of_the_agent_that_took_it_then(repo, agent, deleters):
    first, second = agent("first"), agent("second")
    start = repo.commit("start", {"a.py": LONG})
    lines = LONG.splitlines(keepends=True)
    first.write("a.py", "".join(lines[3:]))
    first.write("a.py", "".join([*lines[4:], lines[0]]))
    repo.commit("moved")
    second.write("a.py", "".join(lines[6:]))
    repo.commit("end")

    assert deleters(f"{start}..HEAD") == {
        **dict.fromkeys(["1", "5", "6"], ("second", "observed")),
        **dict.fromkeys(["2", "3", "4"], ("first", "observed")),
    }


@pytest.mark.slow
def test_a_line_that_a_commit_has_again_was_taken_away_by_who_came_after(repo, agent, cli, deleters):
    start = repo.commit("start", {"a.py": LONG})
    lines = LONG.splitlines(keepends=True)
    agent().write("a.py", "".join(lines[1:]))
    repo.commit("agent")
    repo.commit("back", {"a.py": "".join([*lines[1:], lines[0]])})
    end = repo.commit("end", {"a.py": "".join(lines[1:])})

    [row] = cli("diff", "--json", f"{start}..HEAD").rows

    assert (row["deleted_by"]["contributor_type"], row["deleted_by"]["vcs_revision"]) == ("human", end)
    assert deleters(f"{start}..HEAD~2") == {"1": ("session-1", "observed")}


@pytest.mark.slow
def test_a_line_that_a_hook_saw_again_was_taken_away_by_the_commit_after_that(repo, agent, cli):
    start = repo.commit("start", {"a.py": LONG})
    lines = LONG.splitlines(keepends=True)
    session = agent()
    session.write("a.py", "".join(lines[1:]))
    repo.commit("agent")
    repo.write("a.py", "".join([*lines[1:], lines[0]]))
    session.write("a.py", "".join([*lines[1:], lines[0]]))
    end = repo.commit("end", {"a.py": "".join(lines[1:9])})

    rows = cli("diff", "--json", f"{start}..HEAD").rows

    assert [(row["line_no"], row["deleted_by"]["vcs_revision"]) for row in rows] == [(1, end), (10, end)]
    assert {row["deleted_by"]["contributor_type"] for row in rows} == {"human"}


@pytest.mark.slow
def test_what_comes_back_after_a_range_says_nothing_of_the_range(repo, agent, deleters):
    start = repo.commit("start", {"a.py": LONG})
    lines = LONG.splitlines(keepends=True)
    session = agent()
    session.write("a.py", "".join(lines[1:]))
    end = repo.commit("agent")
    session.write("a.py", LONG)
    repo.write("a.py", "".join(lines[2:]))

    assert deleters(f"{start}..{end}") == {"1": ("session-1", "observed")}


@pytest.mark.slow
def test_a_deletion_that_was_left_out_of_a_commit_is_still_the_agent_s(repo, agent, deleters):
    start = repo.commit("start", {"a.py": LONG})
    agent().write("a.py", without(LONG, 2, 9))
    repo.write("part.py", without(LONG, 2))
    part = repo.git("hash-object", "-w", "part.py")
    (repo.path / "part.py").unlink()
    repo.git("update-index", "--cacheinfo", f"100644,{part},a.py")
    repo.git("commit", "--quiet", "--message", "part")
    repo.commit("rest")

    assert repo.git("show", "HEAD~1:a.py") == without(LONG, 2).strip()
    assert deleters(f"{start}..HEAD") == {"2": ("session-1", "observed"), "9": ("session-1", "observed")}
