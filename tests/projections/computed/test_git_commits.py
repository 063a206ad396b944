"""Commits and their files as git has them, beside what was seen of commits being made."""

import shutil
from pathlib import Path

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.computed import git_log
from linetrail.projections.git.credits import is_bot
from linetrail.projections.tables.tables import open_tables
from tests.conftest import FIRST_COMMIT, Repo
from tests.story import Story


@pytest.fixture
def rows(repo):
    """Return a function that asks the tables of the repository."""
    repo.start_ledger()

    def ask(sql: str):
        with open_tables(find(str(repo.path))) as tables:
            return tables.ask(sql).rows

    return ask


def authored(repo: Repo, name: str, address: str, message: str = "change", files=None) -> str:
    """Commit as somebody else."""
    for path, content in (files or {}).items():
        repo.write(path, content)
    repo.git("add", "--all")
    repo.git("-c", f"user.name={name}", "commit", "-q", "--allow-empty", f"--author={name} <{address}>", "-m", message)
    return repo.git("rev-parse", "HEAD")


@pytest.mark.slow
def test_a_commit_has_its_author_its_times_and_its_lines(repo, rows):
    first = repo.commit("begin\n\nmore", {"a.py": "one\n"})
    second = repo.commit("go on", {"a.py": "one\ntwo\nthree\n", "b.py": "b\n"})

    assert rows(
        "select vcs_revision, parent, parents, committed_epoch, author_id, subject, files, insertions, deletions "
        "from v_commits order by committed_at"
    ) == [
        (first, None, 0, FIRST_COMMIT + 60, "Author <author@example.org>", "begin", 1, 1, 0),
        (second, first, 1, FIRST_COMMIT + 120, "Author <author@example.org>", "go on", 2, 3, 0),
    ]


def test_files_are_told_with_their_blobs_and_former_names(repo, rows):
    repo.commit("begin", {"a.py": "".join(f"line {number}\n" for number in range(9)), "gone.py": "x\n"})
    repo.git("mv", "a.py", "né w\t1.py")
    repo.git("rm", "-q", "gone.py")
    last = repo.commit("rename", {"new.py": "n\n"})

    assert rows(
        "select path, old_path, blob, insertions, deletions "
        f"from v_commit_files where vcs_revision = '{last}' order by path"
    ) == [
        ("gone.py", None, None, 0, 1),
        ("new.py", None, repo.git("rev-parse", "HEAD:new.py"), 1, 0),
        ("né w\t1.py", "a.py", repo.git("rev-parse", "HEAD:né w\t1.py"), 0, 0),
    ]


@pytest.mark.slow
def test_hostile_messages_are_only_text(repo, rows):
    message = "a\x01b :100644 100644 x y M\n\n1\t2\tpath\n:000000 100644 0 1 A\n\x01" + "0" * 40
    repo.commit(message, {"a.py": "one\n"})
    last = repo.commit("empty message follows")

    assert rows("select subject, files from v_commits order by committed_at") == [
        ("a\x01b :100644 100644 x y M", 1),
        ("empty message follows", 0),
    ]
    assert rows(f"select count(*) from v_commit_files where vcs_revision = '{last}'") == [(0,)]


@pytest.mark.slow
def test_a_merge_has_no_files_of_its_own(repo, rows):
    repo.commit("begin", {"a.py": "one\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", {"b.py": "b\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("main", {"c.py": "c\n"})
    repo.git("merge", "-q", "--no-edit", "side")

    assert rows("select parents, files from v_commits where parents > 1") == [(2, 0)]


@pytest.mark.slow
def test_agents_that_a_commit_credits_and_bots(repo, rows):
    authored(repo, "Ana Ruiz", "ana@example.org", "one\n\nCo-Authored-By: Claude <noreply@anthropic.com>")
    authored(repo, "dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com", "two")
    authored(repo, "copilot-swe-agent[bot]", "198982749+Copilot@users.noreply.github.com", "three")
    authored(repo, "Jan Bot", "jan@example.org", "four")
    authored(repo, "Ana Ruiz", "ana@example.org", "five\n\nAssisted-by: Codex:gpt-5\nAssisted-by: Claude:claude-opus-4")

    assert sorted(rows("select subject, ai_trailer, is_bot from v_commits")) == [
        ("five", "codex", False),
        ("four", None, False),
        ("one", "claude-code", False),
        ("three", "copilot", False),
        ("two", None, True),
    ]


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("renovate[bot]", "29139614+renovate[bot]@users.noreply.github.com"),
        ("Renovate Bot", "bot@renovateapp.com"),
        ("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com"),
        ("github-actions", "github-actions@github.com"),
        ("actions-user", "action@github.com"),
        ("k8s-ci-robot", "k8s-ci-robot@users.noreply.github.com"),
        ("pre-commit-ci[bot]", "66853113+pre-commit-ci[bot]@users.noreply.github.com"),
        ("semantic-release-bot", "semantic-release-bot@martynus.net"),
    ],
)
def test_bots(name, address):
    assert is_bot(name, address)


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("Ana Abbot", "ana@example.org"),
        ("robot fan", "fan@example.org"),
        ("claude[bot]", "1+claude[bot]@users.noreply.github.com"),
    ],
)
def test_people_and_agents_are_no_bots(name, address):
    assert not is_bot(name, address)


@pytest.mark.slow
def test_what_was_seen_being_made_is_beside_what_git_has(repo, rows):
    made = repo.commit("begin", {"a.py": "one\n"})
    story = Story()
    for revision, session in ((made, "s1"), ("b" * 40, "s2")):
        story.tell("commit.observed", {"revision": revision, "parents": [], "files": ["a.py"]}, session=session)
    story.written(repo.path)
    unseen = repo.commit("unseen", {"b.py": "b\n"})

    assert rows("select vcs_revision, session_id, in_history, subject from v_commits order by position nulls last") == [
        (made, "s1", 1, "begin"),
        ("b" * 40, "s2", 0, None),
        (unseen, None, 1, "unseen"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("seen_again", [True, False], ids=["both seen being made", "only the first seen being made"])
def test_a_commit_that_was_made_again_names_what_it_was(repo, rows, seen_again):
    repo.commit("begin", {"a.py": "one\n"})
    repo.git("checkout", "-q", "-b", "side")
    first = repo.commit("work", {"b.py": "b\n"})
    patch = repo.git("patch-id", "--stable", stdin=repo.git("diff-tree", "-p", first) + "\n").split()[0]
    repo.git("checkout", "-q", "main")
    repo.commit("meanwhile", {"c.py": "c\n"})
    repo.git("cherry-pick", first)
    second = repo.git("rev-parse", "HEAD")
    story = Story()
    for revision in [first, second] if seen_again else [first]:
        story.tell(
            "commit.observed", {"revision": revision, "parents": ["a" * 40], "patch_id": patch, "files": ["b.py"]}
        )
    story.written(repo.path)

    assert rows("select vcs_revision, patch_id, rewritten_from from v_commits where rewritten_from is not null") == [
        (second, patch, first)
    ]


@pytest.mark.slow
def test_what_was_read_once_is_not_asked_again(repo, rows, monkeypatch):
    repo.commit("begin", {"a.py": "one\n"})
    rows("from v_commits")
    last = repo.commit("go on", {"a.py": "two\n"})
    git_log._commits.cache_clear()  # noqa: SLF001  as another process
    asked: list[bytes] = []
    answer = git_log.answer

    def noted(*arguments, **stdin):
        asked.append(stdin.get("stdin", b""))
        return answer(*arguments, **stdin)

    monkeypatch.setattr(git_log, "answer", noted)

    assert len(rows("from v_commits")) == 2
    assert b"".join(asked).decode().split() == [last]


@pytest.mark.slow
def test_what_is_kept_of_commits_may_be_torn_or_gone(repo, rows):
    repo.commit("begin", {"a.py": "one\n"})
    before = rows("from v_commits")
    cache = Path(find(str(repo.path)).folder, "cache", "computed")
    [kept] = cache.glob("commits/*.jsonl")

    for spoil in (lambda: kept.write_bytes(kept.read_bytes()[:-9]), lambda: shutil.rmtree(cache)):
        spoil()
        for table in cache.glob("*.parquet"):
            table.unlink()
        git_log._commits.cache_clear()  # noqa: SLF001  as another process
        assert rows("from v_commits") == before


@pytest.mark.slow
def test_a_shallow_clone_says_nothing_of_the_files_of_its_first_commit(repo, tmp_path):
    repo.commit("begin", {"a.py": "one\n", "b.py": "b\n"})
    repo.commit("go on", {"a.py": "two\n"})
    repo.commit("end", {"b.py": "bb\n"})
    shallow = tmp_path / "shallow"
    repo.git("clone", "-q", "--depth=2", f"file://{repo.path}", str(shallow))
    (shallow / ".orchestration").mkdir()

    with open_tables(find(str(shallow))) as tables:
        assert tables.ask("select subject, files from v_commits order by committed_at").rows == [
            ("go on", 0),
            ("end", 1),
        ]


@pytest.mark.slow
def test_without_a_commit_there_is_none(rows):
    assert rows("from v_commits") == []
    assert rows("from v_commit_files") == []
