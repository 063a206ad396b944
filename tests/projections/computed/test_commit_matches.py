"""Sessions are found in the commits that hold their changes, and in no others; what is not known is not said."""

import pytest

from linetrail.ledger.observe.mutation import transition
from linetrail.ledger.repository import find
from linetrail.projections.tables.tables import open_tables
from tests.conftest import FIRST_COMMIT
from tests.story import BEGINNING, Story

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]

BOTS = [
    pytest.param("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com", id="dependabot"),
    pytest.param("Renovate Bot", "bot@renovateapp.com", id="renovate"),
    pytest.param("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com", id="github-actions"),
    pytest.param("pre-commit-ci[bot]", "66853113+pre-commit-ci[bot]@users.noreply.github.com", id="pre-commit.ci"),
]


@pytest.fixture
def matches(repo):
    """Return a function that writes a story and says which sessions are in which commits."""
    repo.start_ledger()

    def found(story: Story):
        story.written(repo.path)
        with open_tables(find(str(repo.path))) as tables:
            sql = "select vcs_revision, session_id, lines, match_method, confidence from v_commit_matches"
            return sorted(tables.ask(sql).rows)

    return found


def work(story: Story, path: str, text: str, session: str = "s1", revision: str | None = None, **told: str) -> None:
    story.tell("mutation.observed", session=session, revision=revision, edits={path: text}, **told)


def committed_at(repo, minutes: float) -> None:
    """Have the next commit made so long after the story began."""
    repo.now = BEGINNING // 1_000_000_000 + int(minutes * 60) - 60


def seen(story: Story, revision: str, session: str, parent: str, files: list[str]) -> None:
    story.tell("commit.observed", {"revision": revision, "parents": [parent], "files": files}, session=session)


def test_a_session_that_saw_its_work_committed_is_in_the_commit(repo, matches):
    first, story = repo.commit("begin"), Story()
    work(story, "a.py", "one\ntwo\n", revision=first)
    committed_at(repo, 2)
    revision = repo.commit("work", {"a.py": "one\ntwo\n"})
    seen(story, revision, "s1", first, ["a.py"])

    assert matches(story) == [(revision, "s1", 2, "observed", 1.0)]


def test_seeing_a_commit_is_not_being_in_it(repo, matches):
    first, story = repo.commit("begin"), Story()
    work(story, "b.py", "b\n", revision=first)
    revision = repo.commit("somebody else's", {"a.py": "one\n"})
    seen(story, revision, "s1", first, ["a.py"])

    assert matches(story) == []


def test_a_file_as_a_session_left_it_is_its_work_on_whatever_parent(repo, matches):
    repo.commit("begin")
    story = Story()
    work(story, "a.py", "one\ntwo\n", revision="c" * 40)
    committed_at(repo, 100_000)
    revision = repo.commit("squashed much later", {"a.py": "one\ntwo\n"})

    assert matches(story) == [(revision, "s1", 2, "content", 0.95)]


def test_line_ends_of_a_checkout_are_no_other_content(repo, matches):
    repo.commit("begin")
    story = Story()
    story.tell(
        "mutation.observed",
        {"via": "tool", "files": transition("a.py", None, b"one\r\ntwo\r\n")},
        revision="c" * 40,
    )
    committed_at(repo, 2)
    revision = repo.commit("work", {"a.py": "one\ntwo\n"})

    assert matches(story) == [(revision, "s1", 2, "content", 0.95)]


def test_a_session_that_finds_an_old_content_again_is_not_in_its_commit(repo, matches):
    repo.now = FIRST_COMMIT - 100_000
    repo.commit("long ago", {"a.py": "one\n"})
    repo.commit("later", {"a.py": "two\n"})
    story = Story()
    story.hold("a.py", "two\n")
    work(story, "a.py", "one\n", revision="c" * 40)

    assert matches(story) == []


def test_work_on_the_parent_is_shared_by_the_commits_that_were_made_on_it(repo, matches):
    first, story = repo.commit("begin"), Story()
    work(story, "a.py", "one\ntwo\n", revision=first)
    committed_at(repo, 3)
    one = repo.commit("edited after the agent", {"a.py": "one\ntwo, edited\n"})

    assert matches(story) == [(one, "s1", 2, "parent and path", 0.8)]

    repo.git("checkout", "-q", "-b", "other", first)
    other = repo.commit("other", {"a.py": "quite different\n"})
    repo.git("merge", "-q", "-s", "ours", "--no-edit", "main")

    assert matches(Story()) == sorted(
        [(one, "s1", 2, "parent and path", 0.4), (other, "s1", 2, "parent and path", 0.4)]
    )


def test_a_commit_made_again_has_the_sessions_of_the_one_before(repo, matches):
    first, story = repo.commit("begin"), Story()
    repo.git("checkout", "-q", "-b", "side")
    work(story, "a.py", "one\ntwo\n", revision=first)
    old = repo.commit("work", {"a.py": "one\ntwo, edited\n"})
    patch = repo.git("patch-id", "--stable", stdin=repo.git("diff-tree", "-p", old) + "\n").split()[0]
    told = {"revision": old, "parents": [first], "patch_id": patch, "files": ["a.py"]}
    story.tell("commit.observed", told, session="elsewhere")
    repo.git("checkout", "-q", "main")
    committed_at(repo, 100_000)
    repo.commit("meanwhile", {"b.py": "b\n"})
    repo.git("cherry-pick", old)
    new = repo.git("rev-parse", "HEAD")

    assert (new, "s1", 2, "rewritten", 0.72) in matches(story)


@pytest.mark.parametrize(
    ("trailer", "found"),
    [
        pytest.param("Co-Authored-By: Claude <noreply@anthropic.com>", [("s1", "trailer", 0.5)], id="its own"),
        pytest.param("Assisted-by: Codex CLI", [], id="another agent's"),
        pytest.param("Reviewed-by: Ana <ana@example.org>", [("s1", "time window", 0.3)], id="nobody's"),
    ],
)
def test_a_trailer_says_little_and_the_time_still_less(repo, matches, trailer, found):
    repo.commit("begin")
    story = Story()
    work(story, "a.py", "one\n", revision="c" * 40)
    committed_at(repo, 30)
    revision = repo.commit(f"work\n\n{trailer}", {"a.py": "something else\n"})

    assert matches(story) == [(revision, session, 1, method, sure) for session, method, sure in found]


def test_sessions_in_question_share_the_confidence(repo, matches):
    repo.commit("begin")
    story = Story()
    for session in ("s1", "s2", "s3"):
        work(story, "a.py", f"{session}\n", session=session, revision="c" * 40)
    committed_at(repo, 30)
    revision = repo.commit("work", {"a.py": "something else\n"})

    assert [(row[1], row[3], row[4]) for row in matches(story) if row[0] == revision] == [
        ("s1", "time window", 0.1),
        ("s2", "time window", 0.1),
        ("s3", "time window", 0.1),
    ]


def test_what_was_changed_before_an_earlier_commit_of_the_file_is_in_that_one(repo, matches):
    repo.commit("begin")
    story = Story()
    work(story, "a.py", "one\n", revision="c" * 40)
    committed_at(repo, 30)
    first = repo.commit("work", {"a.py": "something else\n"})
    repo.commit("next", {"a.py": "something else again\n"})

    assert {row[0] for row in matches(story)} == {first}


def test_what_somebody_did_days_before_is_nobody_s(repo, matches):
    repo.commit("begin")
    story = Story()
    work(story, "a.py", "one\n", revision="c" * 40)
    committed_at(repo, 3 * 24 * 60)
    repo.commit("work", {"a.py": "something else\n"})

    assert matches(story) == []


@pytest.mark.parametrize(("name", "address"), BOTS)
def test_the_commits_of_bots_match_no_session_even_where_time_paths_and_contents_fit(repo, matches, name, address):
    first, story = repo.commit("begin"), Story()
    text = "dependency==2\n"
    work(story, "requirements.txt", text, revision=first)
    committed_at(repo, 2)
    repo.write("requirements.txt", text)
    repo.now += 60
    repo.git("add", "--all")
    message = "bump dependency\n\nCo-Authored-By: Claude <noreply@anthropic.com>"
    repo.git("commit", "-q", f"--author={name} <{address}>", "-m", message)
    revision = repo.git("rev-parse", "HEAD")
    seen(story, revision, "s1", first, ["requirements.txt"])

    assert matches(story) == []


def test_the_commits_of_people_are_no_agent_s(repo, matches):
    first, story = repo.commit("begin"), Story()
    work(story, "a.py", "one\n", revision=first, contributor="human")
    committed_at(repo, 2)
    repo.commit("work", {"a.py": "one\n"})

    assert matches(story) == []


def test_a_commit_that_git_does_not_have_is_matched_by_what_was_seen(matches):
    story = Story()
    work(story, "a.py", "one\n", revision="a" * 40)
    seen(story, "b" * 40, "s1", "a" * 40, ["a.py"])
    work(story, "a.py", "two\n", session="s2", revision="a" * 40)

    assert matches(story) == [("b" * 40, "s1", 1, "observed", 1.0)]
