"""`log`: what happened, newest first, an event a line."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.queries.answers.conftest import PROMPT
from tests.story import Story


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


@pytest.mark.slow
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
    @pytest.mark.in_turn
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

    @pytest.mark.slow
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

    @pytest.mark.slow
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
