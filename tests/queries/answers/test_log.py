"""`log`, `show` and `status`: what happened, one thing in full, one screen."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from linetrail.ledger.observe.substance import line_hash
from tests.story import Story

CALL = {
    "tool_call_id": "toolu_1",
    "tool_name": "Edit",
    "operation": "edit",
    "targets": [{"path": "a.py", "role": "write"}],
}
PROMPT = {"prompt_id": "p1", "excerpt": "make it quick", "sha256": f"sha256:{'0' * 64}", "length": 13}


@pytest.fixture
def told(repo):
    repo.start_ledger()
    story = Story()
    events = [
        story.tell("session.started", {"source": "startup"}),
        story.tell("prompt.submitted", PROMPT),
        story.tell("tool.requested", CALL, intent="INT-1"),
        story.tell(
            "gate.decided", {"tool_call_id": "toolu_1", "verdict": "ask", "code": "x", "reason": "y", "source": "agent"}
        ),
        story.tell(
            "mutation.observed", {"tool_call_id": "toolu_1"}, intent="INT-1", edits={"a.py": "one\n", "dir/b.py": "b\n"}
        ),
        story.tell("session.started", {"source": "startup"}, session="s2", agent="codex"),
        story.tell("session.ended", {"reason": "exit"}),
    ]
    story.written(repo.path)
    return events


def on_terminal(repo, columns, *arguments):
    """Run a command whose output is a terminal of so many columns, and return what it shows."""
    ours, theirs = os.openpty()
    command = [str(Path(sys.executable).with_name("linetrail")), *arguments]
    env = os.environ | {"COLUMNS": str(columns), "NO_COLOR": "1", "LINETRAIL_PAGER": "cat"}
    with subprocess.Popen(command, cwd=repo.path, env=env, stdin=subprocess.DEVNULL, stdout=theirs) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # how Linux says that the other end is closed
            while chunk := os.read(ours, 4096):
                shown += chunk
        process.wait()
    os.close(ours)
    return shown.decode().splitlines()


@pytest.mark.daily(1)
@pytest.mark.parametrize(
    ("kind", "data", "said"),
    [
        ("ledger.lost", {"lines": 3, "digest": "a" * 64}, "acknowledged lines that are gone: 3"),
        (
            "ledger.missed",
            {"since": "2026-01-05T08:00:00.000000Z", "events": 4},
            "events that could not be stored: 4, since 2026-01-05T08:00:00.000000Z",
        ),
        ("ledger.restored", {"lines": 7}, "lines brought back from git's folder: 7"),
        (
            "ledger.repaired",
            {"quarantined": "quarantine/9-ab.torn", "bytes": 5, "offset": 9},
            "unfinished write of 5 bytes moved to quarantine/9-ab.torn",
        ),
    ],
)
def test_what_happened_to_the_ledger_itself_is_said(repo, cli, kind, data, said):
    repo.start_ledger()
    story = Story()
    story.tell(kind, data, session=None, agent=None, contributor="unknown")
    story.written(repo.path)

    assert [row["summary"] for row in cli("log", "--json").rows] == [said]
    assert said in cli("log").out


class TestLog:
    @pytest.mark.slow
    @pytest.mark.usefixtures("told")
    @pytest.mark.parametrize(
        ("columns", "heading"),
        [
            (140, ["seq", "time (UTC)", "session", "agent", "intent", "event", "what"]),
            (100, ["seq", "time (UTC)", "session", "intent", "event", "what"]),
            (80, ["seq", "time (UTC)", "session", "intent", "event", "what"]),
        ],
    )
    def test_a_narrow_terminal_loses_columns_and_no_letters(self, repo, columns, heading):
        shown = on_terminal(repo, columns, "log")

        assert re.split(r" {2,}", shown[0]) == heading
        assert "mutation.observed" in "".join(shown)
        assert max(map(len, shown)) <= columns

    @pytest.mark.slow
    def test_rows_have_the_promised_fields_newest_first(self, cli, told):
        rows = cli("log", "--json").rows

        assert [row["event_id"] for row in rows] == [event.id for event in reversed(told)]
        assert [row["seq"] for row in rows] == [7, 6, 5, 4, 3, 2, 1]
        assert {
            "event_id",
            "seq",
            "timestamp",
            "type",
            "session_id",
            "agent_name",
            "intent_id",
            "path",
            "verdict",
        } <= set(rows[0])
        assert [row["timestamp"] for row in rows] == [event.timestamp for event in reversed(told)]
        assert (rows[3]["verdict"], rows[4]["path"], rows[6]["path"]) == ("ask", "a.py", None)

    @pytest.mark.daily(1)
    @pytest.mark.parametrize(
        ("options", "numbers"),
        [
            (["--intent", "INT-1"], [5, 3]),
            (["--session", "s2"], [6]),
            (["--agent", "codex"], [6]),
            (["--path", "dir"], [5]),
            (["--path", "dir/"], [5]),
            (["--path", "a.py"], [5, 3]),
            (["--path", "a"], []),
            (["--path", "."], [7, 6, 5, 4, 3, 2, 1]),
            (["--type", "tool.requested"], [3]),
            (["--type", "session"], [7, 6, 1]),
            (["--since", "2026-01-05T09:06:00Z"], [7, 6]),
            (["--until", "2026-01-05T09:02:00Z"], [1]),
            (["--since", "1h"], []),
            (["--grep", "QUICK"], [2]),
            (["--grep", "100%_"], []),
            (["--intent", "int"], [5, 3]),
            (["--session", "S2"], []),
            (["--denied"], []),
            (["-n", "2"], [7, 6]),
            (["-n", "0"], []),
            (["--intent", "INT-1", "--type", "tool", "-n", "1"], [3]),
        ],
        ids=lambda value: " ".join(value) if value and isinstance(value[0], str) else "",
    )
    @pytest.mark.usefixtures("told")
    def test_options_choose(self, cli, options, numbers):
        assert [row["seq"] for row in cli("log", "--json", *options).rows] == numbers

    @pytest.mark.slow
    @pytest.mark.usefixtures("told")
    def test_a_path_is_meant_from_where_one_stands(self, repo, cli):
        (repo.path / "dir").mkdir()

        assert [row["seq"] for row in cli("log", "--json", "--path", "b.py", cwd=repo.path / "dir").rows] == [5]
        assert [row["seq"] for row in cli("-C", "dir", "log", "--json", "--path", "../a.py").rows] == [5, 3]
        assert cli("log", "--path", "../outside").status == 2

    def test_what_was_decided_of_a_file_is_found_by_its_path(self, repo, cli, hook):
        cli("init", "--agent", "none")
        asked = {"tool_name": "Write", "tool_input": {"file_path": str(repo.path / "a.py"), "content": "x\n"}}
        hook({"session_id": "s1", "cwd": str(repo.path), "hook_event_name": "PermissionRequest"} | asked)

        (row,) = cli("log", "--json", "--path", "a.py").rows

        assert (row["type"], row["path"], row["verdict"]) == ("gate.decided", "a.py", "ask")

    @pytest.mark.slow
    @pytest.mark.usefixtures("told")
    def test_people_get_a_line_for_each_event(self, cli):
        assert cli("log", "-n", "3").out == (
            "seq  time (UTC)           session  agent        intent  event              what\n"
            "  7  2026-01-05 09:07:00  s1       claude-code  -       session.ended      exit\n"
            "  6  2026-01-05 09:06:00  s2       codex        -       session.started    startup\n"
            "  5  2026-01-05 09:05:00  s1       claude-code  INT-1   mutation.observed  a.py\n"
        )
        assert cli("log", "--oneline", "--type", "prompt").out == (
            "seq  event             what\n  2  prompt.submitted  make it quick\n"
        )

    @pytest.mark.parametrize("option", ["--since=whenever", "-n=-1", "-n=x"])
    def test_a_bad_option_is_refused(self, cli, told, option):
        assert told
        refused = cli("log", option)
        assert (refused.status, "_" in refused.err) == (2, False)

    @pytest.mark.slow
    @pytest.mark.usefixtures("told")
    def test_an_id_that_is_not_unique_is_refused(self, cli):
        refused = cli("log", "--session", "s")

        assert refused.status == 2
        assert "s is not unique, there is session s1, session s2\nnext: write more of it" in refused.err

    @pytest.mark.slow
    def test_what_was_refused_can_be_asked_for(self, repo, cli):
        repo.start_ledger()
        story = Story()
        for verdict in ("allow", "deny"):
            story.tell("gate.decided", {"tool_call_id": "c", "verdict": verdict, "code": "X", "reason": "y"})
        story.written(repo.path)

        assert [row["verdict"] for row in cli("log", "--denied", "--json").rows] == ["deny"]
        assert "\x1b[31m" in cli("log", "--color", "always").out
        assert "\x1b" not in cli("--color=always", "log", "--json").out

    @pytest.mark.slow
    @pytest.mark.usefixtures("told")
    def test_that_nothing_was_found_is_said_beside_the_answer(self, cli):
        page, document = cli("log", "--session", "nobody"), cli("log", "--session", "nobody", "--json")

        assert (page.status, page.err) == (0, "no rows\n")
        assert (document.rows, document.err) == ([], "")

    @pytest.mark.slow
    def test_what_came_from_outside_steers_no_terminal(self, repo, cli):
        repo.start_ledger()
        story = Story()
        story.tell("prompt.submitted", PROMPT | {"excerpt": "\x1b[2J\u202e\nnext line"}, intent="I\x07")
        story.written(repo.path)

        printed = cli("log").out + cli("show", "1").out + cli("status").out

        assert [sign for sign in printed if not sign.isprintable() and sign != "\n"] == []
        assert cli("log", "--json").rows[0]["summary"] == "\x1b[2J\u202e\nnext line"


class TestFollow:
    @pytest.fixture
    def following(self, repo):
        """Return a function that starts the command and one that reads its next line; end it with the test."""
        with contextlib.ExitStack() as stack:

            def start(*options):
                command = [str(Path(sys.executable).with_name("linetrail")), "log", "--follow", *options]
                pipe = subprocess.PIPE
                process = subprocess.Popen(command, cwd=repo.path, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe)
                stack.enter_context(process)
                stack.callback(process.kill)
                return process

            yield start

    def tell(self, repo, minute, text):
        """Append a prompt of this minute of the story."""
        story = Story()
        prompts = [story.tell("prompt.submitted", PROMPT | {"excerpt": text}) for _ in range(minute)]
        story.events = prompts[-1:]
        story.written(repo.path)

    @pytest.mark.slow
    def test_tells_what_is_appended_before_and_after_sealing(self, repo, cli, told, following):
        process = following("--nl", "-n", "2")
        lines = [json.loads(process.stdout.readline()) for _ in range(2)]
        assert [line["seq"] for line in lines] == [len(told) - 1, len(told)]

        self.tell(repo, 20, "first")
        assert json.loads(process.stdout.readline())["summary"] == "first"

        assert cli("seal").status == 0
        self.tell(repo, 30, "second")
        assert json.loads(process.stdout.readline())["summary"] == "second"

        process.send_signal(signal.SIGINT)
        assert (process.wait(), process.stdout.read(), process.stderr.read()) == (130, b"", b"")

    @pytest.mark.slow
    @pytest.mark.usefixtures("told")
    def test_people_get_lines_under_the_same_heading(self, repo, following):
        process = following("--oneline", "--type", "prompt")
        assert [process.stdout.readline().split()[0] for _ in range(2)] == [b"seq", b"2"]

        self.tell(repo, 20, "and then")
        assert process.stdout.readline() == b"  8  prompt.submitted  and then\n"

    @pytest.mark.usefixtures("told")
    @pytest.mark.parametrize("options", [["--json"], ["--until", "today"], ["--as-of", "today"]], ids=" ".join)
    def test_what_has_an_end_is_not_followed(self, cli, options):
        refused = cli("log", "--follow", *options)

        assert (refused.status, "--follow has no end" in refused.err) == (2, True)


class TestShow:
    @pytest.mark.daily(1)
    @pytest.mark.parametrize("kind", ["number", "prefix", "whole id"])
    def test_an_event_by(self, cli, told, kind):
        wanted = told[4]
        key = {"number": "5", "prefix": wanted.id[:13], "whole id": wanted.id}[kind]

        [row] = cli("show", key, "--json").rows

        assert (row["kind"], row["event_id"], row["seq"]) == ("event", wanted.id, 5)
        assert row["payload"] == wanted.data

    @pytest.mark.slow
    @pytest.mark.usefixtures("told")
    def test_a_session(self, cli):
        [row] = cli("show", "s1", "--json").rows

        assert (row["kind"], row["session_id"], row["events"], row["end_reason"]) == ("session", "s1", 6, "exit")
        assert [turn["prompt_excerpt"] for turn in row["turns"]] == ["make it quick"]
        assert [(file["path"], file["lines_added"]) for file in row["files"]] == [("a.py", 1), ("dir/b.py", 1)]

    @pytest.mark.slow
    @pytest.mark.usefixtures("told")
    def test_an_intent_and_a_tool_call(self, cli):
        [intent] = cli("show", "INT", "--json").rows
        [call] = cli("show", "toolu", "--json").rows

        assert (intent["kind"], intent["intent_id"], intent["events"]) == ("intent", "INT-1", 2)
        assert (call["kind"], [event["seq"] for event in call["happened"]]) == ("tool call", [3, 4, 5])

    @pytest.mark.slow
    def test_what_was_recorded_beside_events(self, repo, cli):
        repo.start_ledger()
        story = Story()
        story.tell("prompt.submitted", PROMPT)
        story.tell("tool.requested", CALL | {"prompt_id": "p1"})
        ways = [{"option": "cron", "why_rejected": "a race"}]
        decided = {"decision_id": "D-12", "title": "leeway", "status": "accepted", "alternatives": ways}
        story.tell("decision.recorded", decided)
        story.tell("lesson.recorded", {"lesson_id": "L-7", "title": "ask first", "source": "denial"})
        story.written(repo.path)

        [decision], [lesson], [prompt] = (cli("show", key, "--json").rows for key in ("D-1", "L-7", "p1"))

        assert (decision["kind"], decision["alternatives"]) == (
            "decision", [{"option_text": "cron", "why_rejected": "a race"}],
        )  # fmt: skip
        assert (lesson["kind"], lesson["title"]) == ("lesson", "ask first")
        assert (prompt["kind"], [call["tool_name"] for call in prompt["tool_calls"]]) == ("prompt", ["Edit"])

    @pytest.mark.slow
    def test_a_commit_that_only_git_knows(self, repo, cli):
        repo.start_ledger()
        revision = repo.commit("a fine change", {"a.py": "one\n"})

        [row] = cli("show", revision[:8], "--json").rows

        assert (row["kind"], row["vcs_revision"], row["author"]) == ("commit", revision, "Author")
        assert (row["subject"], row["sessions"]) == ("a fine change", [])

    @pytest.mark.daily(1)
    @pytest.mark.parametrize("name", ["HEAD", "main", "HEAD~0", "v1"])
    def test_a_commit_by_any_name_that_git_knows(self, name, repo, cli):
        repo.start_ledger()
        revision = repo.commit()
        repo.git("tag", "v1")

        assert [row["vcs_revision"] for row in cli("show", name, "--json").rows] == [revision]

    @pytest.mark.slow
    def test_a_commit_with_the_sessions_behind_it(self, repo, cli):
        repo.start_ledger()
        parent, revision = repo.commit("one"), repo.commit("two", {"a.py": "one\n"})
        story = Story()
        story.tell("mutation.observed", revision=parent, edits={"a.py": "one\n"})
        story.tell("commit.observed", {"revision": revision, "parents": [parent], "files": ["a.py"]})
        story.written(repo.path)

        [row] = cli("show", revision[:8], "--json").rows

        assert [session["session_id"] for session in row["sessions"]] == ["s1"]

    @pytest.mark.slow
    @pytest.mark.usefixtures("told")
    def test_what_is_not_unique_or_not_there_is_said(self, cli):
        several, none = cli("show", "s"), cli("show", "zzz")

        assert (several.status, none.status) == (2, 2)
        assert "s is not unique: session s1, session s2" in several.err
        assert "or node has an id that begins with zzz" in none.err

    def test_a_hash_whole_or_its_first_digits_finds_contents_blocks_lines_and_segments(self, repo, agent, cli):
        claude = agent()
        claude.write("a.py", "one = 1\ntwo = 2\n")
        claude.edit("a.py", "two = 2\n", "three = 3\n")
        cli("seal")
        first, block = (f"sha256:{sha256(text).hexdigest()}" for text in (b"one = 1\ntwo = 2\n", b"three = 3\n"))
        [name] = (path.stem for path in (repo.path / ".orchestration/segments").iterdir())

        content, lines = cli("show", first[:20], "--json").rows[0], cli("show", block, "--json").rows[0]
        [line], [segment] = (cli("show", key, "--json").rows for key in (line_hash(b"three=3"), name[:12]))

        assert (content["kind"], content["content_hash"]) == ("content", first)
        assert [(seen["part"], seen["path"]) for seen in content["changes"]] == [
            ("after", "a.py"), ("block", "a.py"), ("before", "a.py"),
        ]  # fmt: skip
        assert [(seen["part"], seen["start_line"], seen["end_line"]) for seen in lines["changes"]] == [("block", 2, 2)]
        assert [(seen["path"], seen["line_no"], seen["agent_name"]) for seen in line["changes"]] == [
            ("a.py", 2, "claude-code"),
        ]  # fmt: skip
        assert (segment["kind"], segment["segment"], segment["first_position"]) == ("segment", name, 1)

    @pytest.mark.slow
    def test_a_number_is_the_place_of_an_event_whatever_else_begins_so(self, repo, cli):
        repo.start_ledger()
        story = Story()
        for session in ("1a", "2b", "1c"):
            story.tell("session.started", session=session)
        story.written(repo.path)

        [row] = cli("show", "1", "--json").rows

        assert (row["kind"], row["seq"], row["session_id"]) == ("event", 1, "1a")

    def test_no_text_is_no_id(self, repo, cli):
        repo.start_ledger()

        answer = cli("show", "")

        assert answer.status == 2
        assert "error: an id has one character at least" in answer.err

    @pytest.mark.slow
    @pytest.mark.usefixtures("told")
    def test_people_get_a_page(self, cli):
        printed = cli("show", "s1").out

        assert re.match(r"kind +session\n", printed)
        assert (
            "\nfiles\n  path      mutations  lines_added  lines_deleted\n  a.py              1            1" in printed
        )
        assert all(line == line.rstrip() for line in printed.split("\n"))


class TestStatus:
    @pytest.mark.slow
    @pytest.mark.usefixtures("told")
    def test_tells_what_is_going_on(self, cli):
        [row] = cli("status", "--json").rows

        assert (row["events"], row["last_event_at"]) == (7, "2026-01-05T09:07:00.000000Z")
        assert row["open_sessions"] == []
        assert [(write["seq"], write["path"]) for write in row["recent_writes"]] == [(5, "a.py"), (5, "dir/b.py")]
        assert (row["spooled"], row["quarantined"]) == (0, 0)

    def test_the_last_event_is_the_latest_and_not_one_imported_after_it(self, repo, cli):
        repo.start_ledger()
        story = Story()
        latest = story.tell("session.started")
        story.tell("session.started", {"via": "import"}, session="s2", days=-30)
        story.written(repo.path)

        [row] = cli("status", "--json").rows

        assert (row["events"], row["last_event_at"]) == (2, latest.timestamp)

    @pytest.mark.slow
    def test_counts_the_lines_of_agents_that_are_not_committed(self, repo, cli):
        repo.start_ledger()
        story = Story()
        story.tell("mutation.observed", edits={"a.py": "one\ntwo\n", "gone.py": "x\n"})
        story.written(repo.path)
        repo.commit("by hand", {"b.py": "b\n"})
        repo.write("a.py", "one\ntwo\nby hand\n")
        repo.write("b.py", "c\n")

        [row] = cli("status", "--json").rows

        assert row["uncommitted"] == {"files": 1, "agent_lines": 2, "files_left_out": 0}

    @pytest.mark.slow
    def test_a_session_is_open_that_a_hook_heard_of_today_and_nobody_ended(self, repo, cli, agent, talk, tmp_path):
        repo.commit()
        agent("at-work").write("a.py", "x = 1\n")
        ended = agent("ended")
        ended.prompt("begin")
        ended.send("SessionEnd", reason="exit")
        past = talk("imported", cwd=str(repo.path))
        past.now = datetime.now(UTC)
        past.prompt("begin")
        assert "imported" in cli("import", "claude-code", str(past.save(tmp_path / "t.jsonl"))).out

        [row] = cli("status", "--json").rows

        assert [session["session_id"] for session in row["open_sessions"]] == ["at-work"]

    @pytest.mark.slow
    def test_what_init_writes_is_no_agent_s_work(self, repo, cli, agent):
        session = agent()
        session.write(".claude/settings.json", '{\n  "hooks": {\n    "Stop": [\n    ]\n  }\n}\n')
        repo.write(".orchestration/.gitignore", "*\n")
        repo.commit()
        assert cli("init", "--agent", "claude-code", "--no-input").status == 0
        written = [cli("status", "--json").rows[0]["uncommitted"]]

        session.edit(".claude/settings.json", '{\n  "hooks"', '{\n  "model": "opus",\n  "hooks"')

        written += [cli("status", "--json").rows[0]["uncommitted"]]
        assert written == [
            {"files": 0, "agent_lines": 0, "files_left_out": 0},
            {"files": 1, "agent_lines": 1, "files_left_out": 0},
        ]

    @pytest.mark.slow
    def test_knows_intents_spool_and_quarantine(self, repo, cli):
        folder = repo.start_ledger()
        (folder / "active_intents.yaml").write_text(
            "active_intents:\n- {id: INT-1, name: Work, status: IN_PROGRESS}\n- {id: INT-2, name: Done, status: DONE}\n"
        )
        (folder / "spool").mkdir()
        (folder / "spool" / "x.jsonl").write_text("")
        cli("select", "INT-1")

        [row] = cli("status", "--json").rows

        assert row["intents"] == [{"intent_id": "INT-1", "name": "Work", "status": "IN_PROGRESS", "criteria": None}]
        assert (row["selected_intent"], row["quarantined"]) == ("INT-1", 0)

    @pytest.mark.slow
    def test_a_registry_that_cannot_be_read_hides_nothing_else(self, repo, cli, told):
        (repo.path / ".orchestration" / "active_intents.yaml").write_text("active_intents: [\n")

        answer = cli("status")

        assert answer.status == 0
        assert "cannot be read" in answer.out
        assert f"{len(told)} events" in answer.out

    @pytest.mark.slow
    def test_an_empty_ledger_has_a_status_too(self, repo, cli):
        repo.start_ledger()

        assert json.loads(cli("status", "--json").out)["rows"][0]["events"] == 0
        assert cli("status").out.startswith("ledger     0 events, head 000000000000\n")

    def test_what_waits_beside_the_ledger_is_counted(self, repo, cli):
        quarantine = repo.start_ledger() / "quarantine"
        quarantine.mkdir()
        (quarantine / "0.torn").write_bytes(b"{")

        [row] = cli("status", "--json").rows

        assert (row["spooled"], row["quarantined"]) == (0, 1)
        assert "waiting    0 in the spool, 1 in quarantine (linetrail doctor)\n" in cli("status").out


@pytest.mark.slow
def test_a_hash_is_told_by_its_first_digits(repo, cli):
    repo.start_ledger()
    story = Story()
    reason = f"a.py was changed since this agent last saw it: it was {'ab' * 32}, it is {'cd' * 32}"
    story.tell("gate.decided", {"verdict": "deny", "code": "STALE_FILE", "reason": reason, "enforced": True})
    story.written(repo.path)

    told = cli("log").out

    assert "it was abababababab, it is cdcdcdcdcdcd" in told
    assert "ab" * 7 not in told
