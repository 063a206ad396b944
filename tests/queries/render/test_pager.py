"""Pages at a terminal: whose pager, when, and that no line is lost and no status changed whatever it does.

The commands run at a real terminal of their own, which is where a pager is started at all.
"""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.story import Story

pytestmark = pytest.mark.in_turn

SHOUT = "sed 's/^/paged: /'"


@pytest.fixture
def told(repo):
    repo.start_ledger()
    story = Story()
    for _ in range(60):
        story.tell("session.started", {"source": "startup"})
    story.written(repo.path)


@pytest.mark.usefixtures("told")
class TestWhosePager:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("env", "config"),
        [
            ({"LINETRAIL_PAGER": SHOUT, "GIT_PAGER": "false", "PAGER": "false"}, "false"),
            ({"GIT_PAGER": SHOUT, "PAGER": "false"}, "false"),
            ({"PAGER": "false"}, SHOUT),
            ({"PAGER": SHOUT}, None),
        ],
        ids=["ours", "GIT_PAGER", "core.pager", "PAGER"],
    )
    def test_is_asked_in_this_order(self, repo, at_terminal, env, config):
        if config:
            repo.git("config", "core.pager", config)

        # on a busy machine the terminal also shows how far the work is
        assert "paged: seq" in at_terminal("log", "-n", "1", **env).read()

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("arguments", "env"),
        [
            (["--no-pager", "log"], {}),
            (["log", "--no-pager"], {}),
            (["log"], {"LINETRAIL_PAGER": "cat"}),
            (["log"], {"LINETRAIL_PAGER": ""}),
            (["log"], {"TERM": "dumb"}),
            (["init", "--dry-run", "--agent", "none"], {}),
            (["--help"], {}),
        ],
        ids=" ".join,
    )
    def test_is_not_wanted(self, at_terminal, arguments, env):
        assert "paged:" not in at_terminal(*arguments, **({"LINETRAIL_PAGER": SHOUT} | env)).read()

    @pytest.mark.slow
    def test_is_never_started_away_from_a_terminal(self, linetrail):
        assert "paged:" not in linetrail("log", env={"LINETRAIL_PAGER": SHOUT}).stdout

    @pytest.mark.slow
    @pytest.mark.skipif(shutil.which("less") is None, reason="less is not installed here")
    def test_what_fits_the_screen_is_simply_there(self, at_terminal):
        terminal = at_terminal("log", "-n", "2", PAGER="less")

        assert terminal.status() == 0
        assert "session.started" in terminal.text


@pytest.mark.usefixtures("told")
class TestWhatThePagerDoes:
    @pytest.mark.slow
    @pytest.mark.parametrize("pager", ["no-such-program", "false", "exit 3", "head -n 1 >/dev/null; exit 1"])
    def test_a_pager_that_fails_loses_no_line(self, at_terminal, pager):
        terminal = at_terminal("log", LINETRAIL_PAGER=pager)

        assert terminal.status() == 0
        assert terminal.text.count("session.started") == 60
        assert f"note: the pager `{pager}` ended with" in terminal.text

    @pytest.mark.slow
    def test_the_status_of_the_command_is_kept(self, at_terminal):
        assert at_terminal("intents", "lint", LINETRAIL_PAGER=SHOUT).status() == 1
        assert at_terminal("show", "nothing", LINETRAIL_PAGER=SHOUT).status() == 2

    @pytest.mark.slow
    def test_what_shows_its_progress_goes_on_to_its_pages(self, repo, at_terminal):
        repo.commit(files={"a.py": "one\n"})

        terminal = at_terminal("stats", LINETRAIL_PAGER=SHOUT)

        assert terminal.status() == 0
        assert "paged: total" in terminal.text

    @pytest.mark.slow
    def test_a_command_that_fails_at_once_starts_none(self, at_terminal):
        terminal = at_terminal("show", "nothing", LINETRAIL_PAGER="touch started; cat")

        assert terminal.status() == 2
        assert not Path("started").exists()
        assert terminal.text.startswith("error: ")

    @pytest.mark.slow
    @pytest.mark.skipif(shutil.which("less") is None, reason="less is not installed here")
    def test_quitting_early_is_silent(self, at_terminal):
        terminal = at_terminal("log", LINETRAIL_PAGER="less -RX")
        terminal.read(until="startup")
        terminal.type("q")

        assert terminal.status() == 0
        assert "error" not in terminal.text
        assert "note:" not in terminal.text

    @pytest.mark.slow
    @pytest.mark.skipif(shutil.which("less") is None, reason="less is not installed here")
    def test_an_interrupt_stops_the_command_and_leaves_the_pager(self, at_terminal):
        terminal = at_terminal("log", LINETRAIL_PAGER="less -RX")
        terminal.read(until="startup")
        terminal.type("\x03")
        time.sleep(0.2)
        terminal.type("q")

        assert terminal.status() in {0, 130}
        assert "Traceback" not in terminal.text

    @pytest.mark.slow
    def test_a_pager_that_reads_little_ends_the_command(self, at_terminal):
        terminal = at_terminal("log", LINETRAIL_PAGER="head -n 1")

        assert terminal.status() == 0
        assert terminal.text.count("session.started") == 0
        assert "seq" in terminal.text

    @pytest.mark.slow
    def test_what_is_said_beside_the_answer_is_in_the_pager(self, at_terminal):
        shown = at_terminal("log", "--session", "nobody", LINETRAIL_PAGER=SHOUT).read()

        assert "paged: no rows" in shown


@pytest.mark.usefixtures("told")
class TestColour:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("arguments", "env", "coloured"),
        [
            ([], {}, True),
            ([], {"NO_COLOR": "1"}, False),
            ([], {"NO_COLOR": ""}, True),
            ([], {"TERM": "dumb"}, False),
            ([], {"TERM": "dumb", "CLICOLOR_FORCE": "1"}, True),
            (["--color=never"], {"CLICOLOR_FORCE": "1"}, False),
            (["--color=always"], {"NO_COLOR": "1"}, True),
            (["--json"], {}, False),
            (["--csv", "--color=always"], {}, False),
            (["--nl"], {"CLICOLOR_FORCE": "1"}, False),
        ],
        ids=str,
    )
    def test_is_decided_in_one_way(self, at_terminal, arguments, env, coloured):
        shown = at_terminal("log", *arguments, LINETRAIL_PAGER="cat", **env).read()

        assert ("\x1b[36m" in shown) is coloured

    @pytest.mark.slow
    def test_goes_into_the_pager_and_nowhere_else(self, at_terminal, linetrail):
        assert "\x1b[36m" in at_terminal("log", LINETRAIL_PAGER=SHOUT).read()
        assert "\x1b" not in linetrail("log").stdout
        assert "\x1b[36m" in linetrail("log", env={"CLICOLOR_FORCE": "1"}).stdout


class TestLinks:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("env", "linked"),
        [
            ({}, False),
            ({"TERM_PROGRAM": "WezTerm"}, True),
            ({"VTE_VERSION": "7200"}, True),
            ({"VTE_VERSION": "4000"}, False),
            ({"KITTY_WINDOW_ID": "1", "TMUX": "/tmp/x"}, False),
            ({"TERM_PROGRAM": "vscode", "TERM": "dumb"}, False),
        ],
        ids=str,
    )
    def test_are_for_terminals_that_show_them(self, agent, at_terminal, env, linked):
        agent().write("a.py", "one\n")

        shown = at_terminal("why", "a.py:1", LINETRAIL_PAGER="cat", **env).read()

        assert ("\x1b]8;;file://" in shown) is linked


@pytest.mark.slow
def test_a_reader_that_leaves_is_no_error(repo, told):
    command = f"{Path(sys.executable).with_name('linetrail')} log --nl | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=repo.path, capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")
