"""`linetrail import … --dry-run`: whose edits are in which commits, and how that is known."""

import json

import pytest

pytestmark = [pytest.mark.usefixtures("ledger", "uncommitted_ledger"), pytest.mark.in_turn]


@pytest.fixture
def tried(repo, cli, tmp_path):
    """Return a function that says what an import would bring, and of each session and method what is matched."""

    def run(*transcripts):
        paths = [str(one.save(tmp_path / f"{at}.jsonl")) for at, one in enumerate(transcripts)]
        answer = cli("import", "claude-code", *paths, "--dry-run", "--json")
        assert answer.status == 0, answer.err
        assert repo.events() == []
        rows = json.loads(answer.out)["meta"]["matches"]
        return {(row["session_id"], row["match_method"]): row for row in rows}

    return run


@pytest.fixture
def later(repo):
    """Let commits be made after what transcripts tell."""
    repo.now += 30 * 86_400


@pytest.mark.slow
@pytest.mark.usefixtures("later")
def test_edits_are_matched_to_commits_and_to_the_working_tree(repo, talk, tried):
    session = talk()
    session.write("in_commit.py", "one\n")
    session.write("in_tree.py", "two\n")
    session.write("gone.py", "three\n")
    session.bash("make")
    repo.commit("work", {"in_commit.py": "one\n"})
    repo.write("in_tree.py", "two\n")

    found = tried(session)

    assert {method: (row["edits"], row["confidence"]) for (_, method), row in found.items()} == {
        "content": (1, 0.95),
        "working tree": (1, 0.95),
        None: (1, None),
    }
    assert {(row["calls"], row["agent_name"]) for row in found.values()} == {(4, "claude-code")}


@pytest.mark.slow
@pytest.mark.usefixtures("later")
def test_commits_of_bots_match_nothing(repo, talk, tried, monkeypatch):
    session = talk()
    session.write("package.json", "{}\n")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "dependabot[bot]")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "dependabot[bot]@users.noreply.github.com")
    repo.commit("bump", {"package.json": "{}\n"})
    (repo.path / "package.json").unlink()

    assert set(tried(session)) == {("session-1", None)}


@pytest.mark.slow
def test_a_session_without_edits_has_a_row(talk, tried):
    session = talk()
    session.bash("make")

    ((key, row),) = tried(session).items()

    assert key == ("session-1", None)
    assert (row["calls"], row["edits"], row["files"], row["confidence"]) == (1, 0, 0, None)


@pytest.mark.slow
def test_a_dry_run_leaves_nothing_behind(repo, cli, long_session, tmp_path):
    path = long_session().save(tmp_path / "t.jsonl")
    before = sorted((one, one.stat().st_mtime_ns) for one in repo.path.rglob("*") if one.is_file())

    answer = cli("import", "claude-code", str(path), "--dry-run")

    assert answer.status == 0
    assert "match_method" in answer.out
    assert sorted((one, one.stat().st_mtime_ns) for one in repo.path.rglob("*") if one.is_file()) == before


@pytest.mark.slow
def test_what_is_recorded_is_not_matched_again(repo, cli, long_session, tmp_path):
    path = str(long_session().save(tmp_path / "t.jsonl"))
    cli("import", "claude-code", path)
    cli("seal")

    answer = cli("import", "claude-code", path, "--dry-run", "--json")

    assert answer.err == ""  # the sealed segment is not missing where the dry run has its own ledger
    assert sum(row["imported"] for row in answer.rows) == 0
    assert json.loads(answer.out)["meta"]["matches"] == []
