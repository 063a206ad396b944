"""Who took a line away: the recorded change that did, else the commit, else nobody that is known."""

import subprocess
import time

import pytest

from tests.queries.answers.conftest import TEN, without

pytestmark = pytest.mark.usefixtures("uncommitted_ledger")

# more than are read
MANY = "".join(f"line {number}\n" for number in range(1, 40_010))


@pytest.mark.slow
def test_each_line_has_the_change_that_took_it_away(repo, agent, deleters):
    one, two = agent("one"), agent("two")
    repo.commit("start", {"a.py": TEN})
    one.edit("a.py", "line number 2\n", "")
    repo.write("a.py", without(TEN, 2, 4))
    two.edit("a.py", "line number 6\n", "six\n")
    two.bash("sed -i /8/d a.py")
    repo.commit("all of it")

    told = deleters("HEAD~1..HEAD")

    assert told == {
        "2": ("one", "observed"),
        "4": ("human", "git"),
        "6": ("two", "observed"),
        "8": ("two", "observed"),
    }


@pytest.mark.slow
def test_a_line_that_a_person_deleted_is_theirs_once_committed(repo, agent, cli, deleters):
    session = agent()
    repo.commit("start", {"b.py": "b\n"})
    session.write("a.py", TEN)
    repo.commit("agent")
    repo.write("a.py", without(TEN, 3))
    assert deleters() == {"3": ("unknown", "none")}
    revision = repo.commit("person")

    [row] = cli("diff", "HEAD~1..HEAD", "--json").rows

    assert row["session_id"] == "session-1"
    by = row["deleted_by"]
    assert (by["contributor_type"], by["evidence"], by["confidence"]) == ("human", "git", 0.5)
    assert (by["author"], by["vcs_revision"], by["deleted_at"]) == ("Author", revision, "2026-01-05T09:03:00.000000Z")


@pytest.mark.slow
def test_nobody_is_named_where_the_commit_shows_an_agent_that_nobody_recorded(repo, agent, deleters):
    agent()
    repo.commit("start", {"a.py": TEN})
    trailer = "tidy\n\nCo-Authored-By: Claude <noreply@anthropic.com>"
    repo.commit(trailer, {"a.py": without(TEN, 3)})

    assert deleters("HEAD~1..HEAD") == {"3": ("unknown", "git")}


@pytest.mark.slow
def test_beside_an_agent_that_was_recorded_a_person_is_presumed(repo, agent, deleters):
    session = agent()
    repo.commit("start", {"a.py": TEN, "b.py": TEN.replace("line", "word")})
    session.edit("a.py", "line number 5\n", "")
    trailer = "tidy\n\nCo-Authored-By: Claude <noreply@anthropic.com>"
    repo.commit(trailer, {"b.py": without(TEN.replace("line", "word"), 3)})

    assert deleters("HEAD~1..HEAD") == {"5": ("session-1", "observed"), "3": ("human", "git")}


@pytest.mark.slow
def test_a_file_that_an_agent_removed_took_its_lines_along(repo, agent, deleters):
    session = agent()
    repo.commit("start", {"a.py": TEN, "b.py": "x\n"})
    session.bash("git rm -q a.py")
    repo.commit("agent")

    assert set(deleters("HEAD~1..HEAD").values()) == {("session-1", "observed")}


@pytest.mark.slow
def test_a_file_that_a_person_removed_after_an_agent_edited_it(repo, agent, deleters):
    session = agent()
    repo.commit("start", {"a.py": TEN, "b.py": "x\n"})
    session.edit("a.py", "line number 5\n", "")
    repo.commit("agent")
    (repo.path / "a.py").unlink()
    repo.commit("person")

    told = deleters("HEAD~2..HEAD")

    assert told.pop("5") == ("session-1", "observed")
    assert set(told.values()) == {("human", "git")}


@pytest.mark.slow
def test_the_commit_of_a_longer_range_is_found_through_renames(repo, agent, cli):
    agent()
    repo.commit("start", {"a.py": TEN})
    revisions = [repo.commit("3", {"a.py": without(TEN, 3)})]
    repo.git("mv", "a.py", "b.py")
    revisions.append(repo.commit("4", {"b.py": without(TEN, 3, 4)}))
    revisions.append(repo.commit("5", {"b.py": without(TEN, 3, 4, 5)}))

    rows = cli("diff", "HEAD~3..HEAD", "--json").rows

    assert [row["deleted_by"]["vcs_revision"] for row in rows] == revisions


@pytest.mark.slow
def test_a_recorded_deletion_is_found_through_renames(repo, agent, deleters):
    session = agent()
    repo.commit("start", {"a.py": TEN})
    session.edit("a.py", "line number 3\n", "")
    repo.commit("agent")
    session.bash("git mv a.py b.py")
    session.edit("b.py", "line number 7\n", "")
    repo.commit("agent")
    repo.git("mv", "b.py", "c.py")
    repo.commit("person", {"c.py": without(TEN, 3, 7, 9)})

    assert deleters("HEAD~3..HEAD") == {
        "3": ("session-1", "observed"),
        "7": ("session-1", "observed"),
        "9": ("human", "git"),
    }


@pytest.mark.slow
def test_a_line_that_went_on_one_side_of_a_merge_has_the_commit_of_that_side(repo, agent, cli):
    agent()
    repo.commit("start", {"a.py": TEN})
    repo.git("switch", "-q", "-c", "side")
    side = repo.commit("side", {"a.py": without(TEN, 2)})
    repo.git("switch", "-q", "main")
    main = repo.commit("main", {"a.py": without(TEN, 9)})
    repo.git("merge", "-q", "--no-edit", "side")

    rows = cli("diff", "HEAD~2..HEAD", "--json").rows

    assert [(row["line_no"], row["deleted_by"]["vcs_revision"]) for row in rows] == [(2, side), (9, main)]


@pytest.mark.slow
def test_a_line_that_a_merge_itself_dropped_has_the_merge(repo, agent, cli):
    agent()
    repo.commit("start", {"a.py": TEN})
    repo.git("switch", "-q", "-c", "side")
    repo.commit("side", {"b.py": "b\n"})
    repo.git("switch", "-q", "main")
    repo.commit("main", {"c.py": "c\n"})
    repo.git("merge", "-q", "--no-commit", "side")
    merge = repo.commit("merge", {"a.py": without(TEN, 5)})

    [row] = [row for row in cli("diff", "HEAD~2..HEAD", "--json").rows if row["path"] == "a.py"]

    assert row["deleted_by"]["vcs_revision"] == merge


@pytest.mark.slow
def test_agents_on_both_sides_of_a_merge_keep_their_deletions(repo, agent, deleters):
    one, two = agent("one"), agent("two")
    repo.commit("start", {"a.py": TEN})
    repo.git("switch", "-q", "-c", "side")
    one.edit("a.py", "line number 2\n", "")
    repo.commit("side")
    repo.git("switch", "-q", "main")
    two.edit("a.py", "line number 9\n", "")
    repo.commit("main")
    repo.git("merge", "-q", "--no-edit", "side")

    assert deleters("HEAD~2..HEAD") == {"2": ("one", "observed"), "9": ("two", "observed")}


@pytest.mark.slow
@pytest.mark.parametrize("how", ["squash", "rebase", "cherry-pick", "amend"])
def test_rewritten_history_keeps_the_deleter(repo, agent, deleters, how):
    session = agent()
    repo.commit("start", {"a.py": TEN, "b.py": "b\n"})
    repo.git("switch", "-q", "-c", "side")
    repo.commit("before", {"c.py": "c\n"})
    session.edit("a.py", "line number 2\n", "")
    repo.commit("agent")
    session.edit("a.py", "line number 6\n", "six\n")
    revision = repo.commit("agent again")
    repo.git("switch", "-q", "main")
    repo.commit("main moved on", {"b.py": "bb\n"})
    base = repo.git("rev-parse", "HEAD")
    if how == "squash":
        repo.git("merge", "-q", "--squash", "side")
        repo.commit("squashed")
    elif how == "rebase":
        repo.git("rebase", "-q", "main", "side")
    elif how == "cherry-pick":
        repo.git("cherry-pick", f"{revision}~2..{revision}")
    else:
        repo.git("rebase", "-q", "main", "side")
        repo.git("commit", "-q", "--amend", "-m", "amended")

    told = deleters(f"{base}..HEAD")

    assert told == {"2": ("session-1", "observed"), "6": ("session-1", "observed")}


@pytest.mark.slow
def test_a_deletion_that_was_taken_back_is_not_the_one_that_counts_later(repo, agent, deleters):
    session = agent()
    repo.commit("start", {"a.py": TEN})
    session.edit("a.py", "line number 5\n", "")
    repo.commit("agent")
    repo.git("revert", "--no-edit", "HEAD")
    repo.commit("person", {"a.py": without(TEN, 5, 9)})

    assert deleters("HEAD~3..HEAD~2") == {"5": ("session-1", "observed")}
    assert deleters("HEAD~2..HEAD~1") == {}
    assert deleters("HEAD~1..HEAD") == {"5": ("human", "git"), "9": ("human", "git")}


@pytest.mark.slow
def test_what_an_agent_deletes_after_a_range_says_nothing_of_the_range(repo, agent, deleters):
    session = agent()
    repo.commit("start", {"a.py": TEN})
    repo.commit("person", {"a.py": without(TEN, 5)})
    repo.git("revert", "--no-edit", "HEAD")
    session.edit("a.py", "line number 5\n", "")
    repo.commit("agent")

    assert deleters("HEAD~3..HEAD~2") == {"5": ("human", "git")}
    assert deleters("HEAD~1..HEAD") == {"5": ("session-1", "observed")}
    assert deleters("HEAD~3..HEAD") == {"5": ("session-1", "observed")}


@pytest.mark.slow
def test_a_line_that_an_agent_moved_was_deleted_by_who_came_after(repo, agent, deleters):
    session = agent()
    repo.commit("start", {"a.py": TEN})
    session.write("a.py", without(TEN, 2) + "line number 2\n")
    repo.commit("agent")
    repo.commit("person", {"a.py": without(TEN, 2)})

    assert deleters("HEAD~2..HEAD") == {"2": ("human", "git")}


@pytest.mark.slow
def test_a_line_that_an_agent_only_indented_was_deleted_by_who_came_after(repo, agent, deleters):
    session = agent()
    repo.commit("start", {"a.py": TEN})
    session.write("a.py", TEN.replace("line", "    line"))
    repo.commit("agent")
    repo.commit("person", {"a.py": without(TEN, 2)})

    assert deleters("HEAD~2..HEAD") == {"2": ("human", "git")}


@pytest.mark.slow
def test_of_equal_lines_it_does_not_matter_which_one_went(repo, agent, deleters):
    session = agent()
    repo.commit("start", {"a.py": "if one:\n    stop()\nif two:\n    stop()\n"})
    session.edit("a.py", "if one:\n    stop()\n", "")
    repo.commit("agent")

    assert set(deleters("HEAD~1..HEAD").values()) == {("session-1", "observed")}


@pytest.mark.slow
def test_lines_that_the_later_side_never_had_were_deleted_by_nobody(repo, agent, cli, deleters):
    session = agent()
    repo.commit("start", {"a.py": TEN, "b.py": "b\n"})
    repo.git("switch", "-q", "-c", "side")
    session.write("a.py", TEN + "line number 11\n")
    repo.git("mv", "a.py", "c.py")
    repo.commit("side")
    repo.git("switch", "-q", "main")
    repo.commit("main", {"a.py": without(TEN, 3)})

    assert deleters("side..main") == {"3": ("human", "git"), "11": ("none", "absent")}
    assert deleters("side...main") == {"3": ("human", "git")}
    assert "never there" in cli("diff", "side..main").out


@pytest.mark.slow
def test_backwards_nobody_deleted_what_came(repo, agent, deleters):
    session = agent()
    repo.commit("start", {"a.py": TEN})
    session.write("a.py", TEN + "line number 11\n")
    repo.commit("agent")

    assert deleters("HEAD..HEAD~1") == {"11": ("none", "absent")}


@pytest.mark.slow
def test_between_a_revision_and_the_work_tree_both_commits_and_people_delete(repo, agent, deleters):
    session = agent()
    repo.commit("start", {"a.py": TEN})
    repo.commit("person", {"a.py": without(TEN, 3)})
    repo.commit("person", {"a.py": without(TEN, 3, 4)})
    session.edit("a.py", "line number 7\n", "")
    repo.write("a.py", without(TEN, 3, 4, 7, 9))

    assert deleters("HEAD~2") == {
        "3": ("human", "git"),
        "4": ("human", "git"),
        "7": ("session-1", "carried"),
        "9": ("unknown", "none"),
    }


@pytest.mark.slow
def test_a_file_too_large_to_read_says_who_removed_it_but_not_which_line_went(repo, agent, cli):
    session = agent()
    repo.commit("start", {"a.txt": MANY, "b.txt": MANY})
    session.bash("sed -i 1d a.txt; rm b.txt")
    repo.write("a.txt", without(MANY, 1, 2))
    repo.now = int(time.time())
    repo.commit("both")

    rows = cli("diff", "HEAD~1..HEAD", "--json").rows

    kinds = {(row["path"], row["deleted_by"]["contributor_type"]) for row in rows}
    assert kinds == {("a.txt", "unknown"), ("b.txt", "ai")}


@pytest.mark.slow
def test_what_an_agent_alone_did_to_a_file_too_large_to_read_is_its_deed(repo, agent, deleters):
    one, two = agent("one"), agent("two")
    one.write("a.txt", MANY)
    repo.commit("one")
    two.edit("a.txt", "line 9\n", "nine\n")
    assert deleters() == {"9": ("two", "observed")}

    repo.commit("two")
    repo.commit("person", {"b.txt": "b\n"})

    assert deleters("HEAD~2..HEAD") == {"9": ("two", "observed")}


@pytest.mark.slow
def test_of_several_changes_to_a_file_too_large_to_read_only_the_session_is_known(repo, agent, cli):
    session = agent()
    repo.commit("start", {"a.txt": MANY})
    session.edit("a.txt", "line 9\n", "")
    session.edit("a.txt", "line 20\n", "")
    repo.commit("agent")

    told = [row["deleted_by"] for row in cli("diff", "HEAD~1..HEAD", "--json").rows]

    assert [(by["session_id"], by["event_id"], by["tool_call_id"]) for by in told] == [("session-1", None, None)] * 2


@pytest.mark.slow
@pytest.mark.parametrize("amended", [False, True], ids=["committed", "put into the commit before"])
def test_beside_an_unread_change_nobody_is_presumed_whatever_the_clock_says(amended, repo, agent, deleters):
    session = agent()
    repo.commit("start", {"a.txt": MANY, "c.txt": "c\n"})
    repo.commit("person", {"a.txt": without(MANY, 4)})
    session.edit("a.txt", "line 9\n", "")
    repo.write("a.txt", without(MANY, 4, 9, 12))
    if amended:
        repo.now = int(time.time())
        repo.git("commit", "--quiet", "--all", "--amend", "--no-edit")
        assert deleters("HEAD~1..HEAD") == dict.fromkeys(["4", "9", "12"], ("unknown", "git"))
    else:
        repo.commit("both")
        person = {"4": ("human", "git")}
        assert deleters("HEAD~2..HEAD") == person | dict.fromkeys(["9", "12"], ("unknown", "git"))


@pytest.mark.slow
def test_commits_that_a_shallow_clone_lacks_leave_the_deleter_unknown(repo, agent, fresh_clone, deleters):
    agent("nobody").prompt("hello")
    repo.commit("start", {"a.py": TEN})
    repo.git("tag", "v1")
    repo.commit("person", {"a.py": without(TEN, 3)})
    repo.commit("more", {"b.py": "b\n"})
    repo.commit("more", {"b.py": "c\n"})
    clone = fresh_clone("--depth", "1")
    subprocess.run(["git", "-C", clone, "fetch", "-q", "--depth", "1", "origin", "tag", "v1"], check=True)

    assert deleters("v1..HEAD", cwd=clone) == {"3": ("unknown", "git")}
