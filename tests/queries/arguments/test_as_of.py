"""`--as-of`: every question, asked of the ledger as it was."""

import itertools
import json
import subprocess

import pytest

from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Vcs, find
from linetrail.queries.ask.ask import ask, connect
from tests.story import Story

pytestmark = pytest.mark.in_turn

PROMPT = {"prompt_id": "p1", "excerpt": "make it quick", "sha256": f"sha256:{'0' * 64}", "length": 13}
INTENT = {"intent_id": "INT-1", "after": {"id": "INT-1", "name": "Quick", "status": "IN_PROGRESS"}}


def tell(repo, *, sealed):
    """Tell of two sessions, the first of them sealed or not; the events are a minute apart, from 09:01."""
    repo.start_ledger()
    repo.write("a.py", "x = 1\ny = 2\n")
    story = Story()
    first = [
        story.tell("session.started", {"source": "startup"}),
        story.tell("prompt.submitted", PROMPT),
        story.tell("mutation.observed", {"tool_call_id": "c1"}, intent="INT-1", edits={"a.py": "x = 1\n"}),
        story.tell("intent.changed", INTENT),
    ]
    story.written(repo.path)
    if sealed:
        Ledger(find(str(repo.path))).seal()
    second = [
        story.tell("session.started", {"source": "startup"}, session="s2"),
        story.tell("mutation.observed", session="s2", intent="INT-2", edits={"a.py": "x = 1\ny = 2\n"}),
    ]
    story.written(repo.path)
    return first + second


@pytest.fixture
def told(repo):
    return tell(repo, sealed=True)


@pytest.fixture
def unsealed(repo):
    events = tell(repo, sealed=False)
    only_segments_are_tracked(repo)
    repo.commit()
    return events


def only_segments_are_tracked(repo):
    (repo.path / ".git" / "info" / "exclude").write_text(".orchestration/*\n!.orchestration/segments/\n")


def asked(cli, *arguments, cwd=None):
    """Return the meta data and the rows of a question."""
    answer = cli(*arguments, "--json", cwd=cwd)
    assert answer.status == 0, answer.err
    document = json.loads(answer.out)
    return document["meta"], document["rows"]


def events_as_of(cli, text, *, cwd=None):
    """Return the ids of the events that were there, in their order."""
    _, rows = asked(cli, "sql", "select event_id from v_events order by position", "--as-of", text, cwd=cwd)
    return [row["event_id"] for row in rows]


class TestEvent:
    @pytest.mark.slow
    def test_everything_up_to_it_was_there_and_it_too(self, cli, told):
        for number, event in enumerate(told, 1):
            assert events_as_of(cli, event.id) == [earlier.id for earlier in told[:number]]

    @pytest.mark.slow
    def test_its_first_characters_do(self, cli, told):
        assert events_as_of(cli, told[2].id[:20]) == [event.id for event in told[:3]]
        assert events_as_of(cli, told[2].id.upper()) == [event.id for event in told[:3]]

    @pytest.mark.slow
    def test_characters_that_begin_several_ids_name_them(self, cli, told):
        answer = cli("log", "--as-of", told[0].id[:6])

        assert (answer.status, answer.out) == (2, "")
        assert f"may mean event {told[0].id}, event {told[1].id}, " in answer.err
        assert "and more" in answer.err

    @pytest.mark.usefixtures("told")
    def test_a_place_is_no_name_for_an_event(self, cli):
        answer = cli("log", "--as-of", "3")

        assert answer.status == 2
        assert "next: linetrail show 3 " in answer.err


class TestCommands:
    @pytest.mark.slow
    def test_the_answer_says_what_it_is_the_answer_of(self, cli, told):
        answer = cli("log", "--as-of", told[2].id)
        assert answer.err == f"as of event {told[2].id}: 3 events\n"
        meta, _ = asked(cli, "log", "--as-of", told[2].id)
        assert meta["as_of"] == f"event {told[2].id}"
        meta, _ = asked(cli, "log")
        assert "as_of" not in meta

    @pytest.mark.slow
    def test_log(self, cli, told):
        _, rows = asked(cli, "log", "--as-of", told[2].id, "--type", "mutation.observed", "--until", "2026-01-06")

        assert [row["seq"] for row in rows] == [3]

    @pytest.mark.slow
    def test_show(self, cli, told):
        _, [then] = asked(cli, "show", "INT-1", "--as-of", told[2].id)
        _, [now] = asked(cli, "show", "INT-1")

        assert (then["title"], now["title"]) == (None, "Quick")
        assert cli("show", "s2", "--as-of", told[3].id).status == 2

    @pytest.mark.slow
    def test_why(self, cli, told):
        _, [then] = asked(cli, "why", "a.py:2", "--as-of", told[4].id)
        _, [now] = asked(cli, "why", "a.py:2")

        assert (then["contributor_type"], then["event_id"]) == ("unknown", None)
        assert (now["contributor_type"], now["event_id"]) == ("ai", told[5].id)

    @pytest.mark.slow
    def test_blame_tells_of_the_file_as_it_is_what_was_known_then(self, cli, told):
        _, rows = asked(cli, "blame", "a.py", "--as-of", told[4].id)

        assert [(row["text"], row["event_id"]) for row in rows] == [("x = 1", told[2].id), ("y = 2", None)]

    @pytest.mark.slow
    def test_blame_of_a_revision_and_of_a_moment_go_together(self, repo, cli, told):
        repo.write("a.py", "x = 1\n")
        repo.commit()
        repo.write("a.py", "x = 1\ny = 2\n")

        for text, known in ((told[1].id, None), (told[2].id, told[2].id)):
            _, rows = asked(cli, "blame", "a.py", "--rev", "HEAD", "--as-of", text)
            assert [(row["text"], row["event_id"]) for row in rows] == [("x = 1", known)]

    @pytest.mark.slow
    def test_status_tells_what_the_ledger_knows_of_then(self, cli, told):
        _, [then] = asked(cli, "status", "--as-of", told[3].id)

        assert then["events"] == 4
        assert [session["session_id"] for session in then["open_sessions"]] == ["s1"]
        assert [write["seq"] for write in then["recent_writes"]] == [3]
        assert then["intents"] == [{"intent_id": "INT-1", "name": "Quick", "status": "IN_PROGRESS"}]
        assert (then["spooled"], then["selected_intent"], then["uncommitted"]) == (None, None, None)
        assert cli("status", "--as-of", told[3].id).out.startswith("ledger     4 events, last 2026-01-05 09:04:00 UTC")

    @pytest.mark.slow
    def test_sql_and_questions_that_have_a_name(self, cli, told):
        _, rows = asked(cli, "sql", "@hot_files", "--as-of", told[3].id)

        assert [(row["path"], row["mutations"]) for row in rows] == [("a.py", 1)]

    @pytest.mark.slow
    def test_python(self, repo, told):
        assert ask(str(repo.path), "hot_files", as_of=told[1].id).rows == []
        assert connect(repo.path, as_of="2026-01-05T09:03Z").sql("select count(*) from v_events").fetchall() == [(3,)]

    @pytest.mark.slow
    def test_rebuild_writes_the_map_of_then_and_says_so(self, repo, cli, told):
        assert cli("rebuild").status == 0
        intent_map = repo.path / ".orchestration" / "intent_map.md"
        now = intent_map.read_bytes()

        answer = cli("rebuild", "--as-of", told[3].id)

        assert b"INT-2" in now
        assert b"INT-2" not in intent_map.read_bytes()
        assert f"intent_map.md now tells of event {told[3].id}; `linetrail rebuild` brings it up to date" in answer.err
        assert cli("rebuild", "--check").status == 1
        assert cli("rebuild").status == 0
        assert intent_map.read_bytes() == now

    @pytest.mark.slow
    def test_rebuild_checks_whether_the_map_is_that_of_then(self, repo, cli, told):
        cli("rebuild", "--as-of", told[3].id)
        before = (repo.path / ".orchestration" / "intent_map.md").read_bytes()

        assert cli("rebuild", "--check", "--as-of", told[3].id).status == 0
        answer = cli("rebuild", "--check", "--as-of", told[5].id)

        assert answer.status == 1
        assert "intent_map.md is another as of then" in answer.err
        assert (repo.path / ".orchestration" / "intent_map.md").read_bytes() == before


BEFORE = "2026-01-05T09:00:00Z"


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("log",),
        ("status",),
        ("blame", "a.py"),
        ("why", "a.py:1"),
        ("sql", "from v_events"),
        ("sql", "@hot_files"),
        ("rebuild",),
        ("rebuild", "--check"),
    ],
    ids=" ".join,
)
def test_before_the_first_event_every_answer_is_that_of_an_empty_ledger(repo, cli, told, command):
    answer = cli(*command, "--as-of", BEFORE)

    assert answer.status == 0
    assert answer.err.startswith("as of 2026-01-05 09:00:00 UTC: 0 events\n")
    assert events_as_of(cli, BEFORE) == []


class TestTime:
    @pytest.mark.slow
    def test_what_happened_later_was_not_there(self, cli, told):
        assert events_as_of(cli, "2026-01-05T09:03:00Z") == [event.id for event in told[:3]]
        assert events_as_of(cli, "2026-01-05T09:05:30Z") == [event.id for event in told[:5]]
        assert events_as_of(cli, "2026-01-05") == []
        assert events_as_of(cli, "yesterday") == [event.id for event in told]

    @pytest.mark.slow
    @pytest.mark.parametrize("sealed_after", [None, 1, 2, 3, 4])
    def test_a_clock_that_goes_back_brings_nothing_back(self, repo, cli, sealed_after):
        repo.start_ledger()
        story = Story()
        for minute in (1, 2, 30, 3, 4):
            event = story.tell("agent.signalled", {"signal": "Stop"})
            story.events[-1] = event._replace(timestamp=f"2026-01-05T09:{minute:02}:00.000000Z")
        events = story.events
        for number, event in enumerate(events, 1):
            story.events = [event]
            story.written(repo.path)
            if number == sealed_after:
                Ledger(find(str(repo.path))).seal()

        assert events_as_of(cli, "2026-01-05T09:10Z") == [event.id for event in events[:2]]
        assert events_as_of(cli, "2026-01-05T09:30Z") == [event.id for event in events]


def record(repo, story, revision, *, branch="main"):
    """Record two events on top of a commit, and return their ids."""
    for number in (1, 2):
        event = story.tell("agent.signalled", {"signal": f"Stop {number}"})
        story.events[-1] = event._replace(vcs=Vcs("git", revision, branch))
    ids = [event.id for event in story.events]
    story.written(repo.path)
    return ids


def flat(lists):
    return list(itertools.chain.from_iterable(lists))


def worked(repo, *, sealing):
    """Work before, between and after three commits; return what was recorded each time, and the commits."""
    repo.start_ledger()
    if sealing == "before commits":
        only_segments_are_tracked(repo)
    else:
        (repo.path / ".git" / "info" / "exclude").write_text(".orchestration/\n")
    story, told, commits = Story(), [], []
    for number in range(4):
        told.append(record(repo, story, commits[-1] if commits else None))
        if sealing == "before commits" or (sealing == "now and then" and number % 2):
            Ledger(find(str(repo.path))).seal()
        if number < 3:
            commits.append(repo.commit(f"commit {number}"))
    return told, commits


class TestRevision:
    @pytest.mark.slow
    @pytest.mark.parametrize("sealing", ["never", "now and then", "before commits"])
    def test_what_was_recorded_before_a_commit_was_there(self, repo, cli, sealing):
        told, commits = worked(repo, sealing=sealing)

        for number, commit in enumerate(commits):
            assert events_as_of(cli, commit) == flat(told[: number + 1])
        assert events_as_of(cli, "HEAD~1") == flat(told[:2])
        assert events_as_of(cli, "main") == flat(told[:3])

    @pytest.mark.slow
    def test_a_fresh_clone_says_the_same(self, repo, cli, tmp_path):
        told, commits = worked(repo, sealing="before commits")
        repo.commit("the last segment")
        clone = tmp_path / "clone"
        subprocess.run(["git", "clone", "-q", str(repo.path), str(clone)], check=True)

        for number, commit in enumerate(commits):
            assert events_as_of(cli, commit, cwd=clone) == flat(told[: number + 1])

    @pytest.mark.slow
    @pytest.mark.usefixtures("uncommitted_ledger")
    def test_a_commit_from_before_the_ledger_has_an_empty_one(self, repo, cli):
        root, second = repo.commit("root"), repo.commit("second")
        repo.start_ledger()
        record(repo, Story(), second)

        assert events_as_of(cli, root) == []
        assert events_as_of(cli, second) == []

    @pytest.mark.slow
    def test_what_another_branch_recorded_on_its_own_commits_was_not_there(self, repo, cli):
        _, commits = worked(repo, sealing="before commits")
        ours = repo.commit("ours")
        there = events_as_of(cli, ours)
        story = Story()
        story.told([{"agent.signalled": {}}] * 20)  # so that ids differ from those above
        story.events = []
        repo.git("checkout", "-q", "-b", "theirs", commits[0])
        theirs = record(repo, story, repo.commit("theirs"), branch="theirs")
        Ledger(find(str(repo.path))).seal()
        repo.commit("theirs, sealed")
        repo.git("checkout", "-q", "main")
        assert set(theirs).isdisjoint(events_as_of(cli, "now"))
        repo.git("merge", "-q", "--no-edit", "theirs")

        assert set(theirs) < set(events_as_of(cli, "HEAD"))
        assert events_as_of(cli, ours) == there

    @pytest.mark.slow
    def test_segments_of_a_tree_that_are_not_here_are_counted(self, repo, cli):
        _, commits = worked(repo, sealing="before commits")
        repo.git("checkout", "-q", commits[0])

        answer = cli("log", "--as-of", "main")

        assert f"as of commit {commits[2]} (2 of the 3 segments in its tree not here): " in answer.err


class TestAmbiguity:
    @pytest.mark.slow
    @pytest.mark.usefixtures("told")
    def test_a_branch_that_is_called_like_a_day(self, repo, cli):
        revision = repo.commit()
        repo.git("branch", "2026-01-05")

        answer = cli("log", "--as-of", "2026-01-05")

        assert (answer.status, answer.out) == (2, "")
        assert f"--as-of 2026-01-05 may mean 2026-01-05 00:00:00 UTC, commit {revision}\n" in answer.err
        assert (
            "next: write more of the event's id, a moment as 2026-01-05T00:00, or a branch as refs/heads/NAME"
            in answer.err
        )
        assert cli("log", "--as-of", "2026-01-05T00:00").status == 0
        assert cli("log", "--as-of", "refs/heads/2026-01-05").status == 0

    @pytest.mark.slow
    def test_a_branch_that_is_called_like_an_event(self, repo, cli, told):
        revision = repo.commit()
        name = told[0].id[:8]
        repo.git("branch", name)

        answer = cli("log", "--as-of", name)

        assert answer.status == 2
        assert f"may mean commit {revision}, event {told[0].id}" in answer.err
        assert events_as_of(cli, told[0].id) == [told[0].id]

    @pytest.mark.slow
    @pytest.mark.usefixtures("told")
    def test_what_means_nothing_is_refused(self, cli):
        for text in ("soon", "", "--all", "0" * 40, "019b8d9a-0000"):
            answer = cli("log", f"--as-of={text}")

            assert (answer.status, answer.out) == (2, "")
            assert f"--as-of {text}: no event has an id that begins so, git knows no such revision in" in answer.err

    @pytest.mark.slow
    def test_without_git_there_are_events_and_times(self, cli, tmp_path):
        (tmp_path / "bare" / ".orchestration").mkdir(parents=True)

        assert cli("log", "--as-of", "HEAD", cwd=tmp_path / "bare").status == 2
        assert cli("log", "--as-of", "7d", cwd=tmp_path / "bare").status == 0


QUESTIONS = [
    ("log",),
    ("show", "s1"),
    ("show", "3"),
    ("show", "INT-1"),
    ("blame", "a.py"),
    ("why", "a.py:1"),
    ("sql", "from v_sessions order by session_id"),
    ("sql", "select * exclude prev_hash from v_events order by position"),
    ("sql", "@hot_files"),
]


def answers(cli, cwd, *options):
    return {question: asked(cli, *question, *options, cwd=cwd)[1] for question in QUESTIONS}


@pytest.mark.slow
def test_sealing_changes_no_answer_and_a_clone_gives_the_same(repo, cli, unsealed, tmp_path):
    until = ("--as-of", unsealed[4].id)
    before, then = answers(cli, repo.path), answers(cli, repo.path, *until)
    assert before != then

    assert cli("seal").status == 0

    assert (repo.path / ".orchestration" / "agent_trace.jsonl").stat().st_size == 0
    assert answers(cli, repo.path) == before
    assert answers(cli, repo.path, *until) == then
    repo.commit("sealed")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(repo.path), str(clone)], check=True)
    assert answers(cli, clone) == before
    assert answers(cli, clone, *until) == then


@pytest.mark.slow
def test_a_sealed_ledger_is_not_an_empty_one(cli, unsealed):
    cli("seal")

    assert cli("blame", "a.py").err == ""
    assert asked(cli, "status")[1][0]["events"] == len(unsealed)
    found = {row["check"]: row["message"] for row in json.loads(cli("doctor", "--json").out)["rows"]}
    assert found["ledger"].startswith("6 events")
    assert found["last event"].startswith("claude-code: ")


@pytest.mark.slow
def test_what_an_answer_is_given_without_is_told_once(repo, cli, told):
    [segment] = (repo.path / ".orchestration" / "segments").iterdir()
    Ledger(find(str(repo.path))).seal()
    segment.unlink()

    answer = cli("log", "--as-of", told[5].id, "--oneline")

    assert answer.status == 3
    assert answer.out.count("\n") == 3
    assert answer.err.startswith(f"as of event {told[5].id}: 2 events\nerror: ")
    assert answer.err.count("error: ") == 1


@pytest.mark.slow
def test_a_demo_is_known_again_after_it_was_sealed(cli, tmp_path):
    folder = str(tmp_path / "demo")
    [row] = asked(cli, "demo", folder, cwd=tmp_path)[1]
    assert cli("-C", folder, "seal", "--no-classify", cwd=tmp_path).status == 0

    assert asked(cli, "demo", folder, cwd=tmp_path)[1] == [row]
