"""Who took a line away that history keeps, since an equal one is elsewhere: a commit of the range, never nobody."""

import pytest

pytestmark = [pytest.mark.usefixtures("uncommitted_ledger"), pytest.mark.in_turn]

D_AND_E = "line d\n\nline e\n"


@pytest.fixture
def commits(repo, cli):
    """Return a function that names, for each deleted line, the subject of the commit that took it away."""

    def ask(span):
        answer = cli("diff", "--json", span)
        assert answer.status == 0, answer.err
        by = {(row["old_path"], row["line_no"]): row["deleted_by"] for row in answer.rows if row["deleted_by"]}
        return {
            place: one["vcs_revision"] and repo.git("log", "-1", "--format=%s", one["vcs_revision"]).strip()
            for place, one in by.items()
        }

    return ask


@pytest.mark.slow
def test_where_no_commit_took_such_a_line_it_is_the_one_that_rewrote_what_is_around_it(repo, agent, commits):
    agent()
    start = repo.commit("start", {"b": D_AND_E})
    repo.commit("rewrite", {"b": "line a\n" * 7 + "\n" + "line a\n" * 4})
    repo.git("mv", "b", "b-0")
    repo.commit("rename", {"other": "o\n"})
    repo.commit("blank line of another file", {"other": "\n"})

    assert {at: by for at, by in commits(f"{start}..HEAD").items() if at[0] == "b"} == dict.fromkeys(
        [("b", 1), ("b", 2), ("b", 3)], "rewrite"
    )


@pytest.mark.slow
def test_the_last_commit_whose_own_difference_takes_such_a_line_is_named(repo, agent, commits):
    agent()
    start = repo.commit("start", {"b": D_AND_E})
    repo.commit("rewrite", {"b": "line a\n" * 7 + "\n" + "line a\n" * 4 + "\nline f\n"})
    repo.commit("less", {"b": "line a\n" * 7 + "\n" + "line a\n" * 4 + "line f\n"})
    repo.git("mv", "b", "b-0")
    repo.commit("rename")

    told = commits(f"{start}..HEAD")

    assert told == {("b", 1): "rewrite", ("b", 2): "less", ("b", 3): "rewrite"}


@pytest.mark.slow
def test_a_merge_that_took_the_file_of_the_other_side_is_named(repo, agent, commits):
    agent()
    repo.commit("start", {"a": "one\ntwo\n", "b": "b\n"})
    main = repo.git("symbolic-ref", "--short", "HEAD").strip()
    repo.git("switch", "--quiet", "--create", "side")
    repo.commit("side", {"b": "bb\n"})
    repo.git("switch", "--quiet", main)
    more = repo.commit("more", {"a": "one\nmore\ntwo\n"})
    repo.git("merge", "--quiet", "--no-ff", "--no-commit", "side")
    repo.git("checkout", "side", "--", "a")
    repo.commit("merge")

    assert commits(f"{more}..HEAD") == {("a", 2): "merge", ("b", 1): "side"}
