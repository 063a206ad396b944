"""`completion`: what a shell is told while somebody types, and that real shells understand it."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from linetrail.queries.cli import main
from linetrail.queries.command_line import COMMANDS
from linetrail.queries.commands.records.completion import SHELLS
from linetrail.queries.completion import Typed, complete
from tests.test_house import imported_by

pytestmark = pytest.mark.in_turn

REGISTRY = "active_intents:\n- {id: INT-001, name: One, status: DRAFT}\n- {id: INT-002, name: Two, status: DONE}\n"


@pytest.fixture(autouse=True)
def _project(repo, agent, monkeypatch):
    session = agent("session-abc")
    (repo.path / ".orchestration" / "active_intents.yaml").write_text(REGISTRY)
    session.write("src/a.py", "def total():\n    return 1\n")
    session.write("src/deep/b.py", "x = 1\n")
    session.write("my file.txt", "x\n")
    repo.commit()
    monkeypatch.chdir(repo.path)


def offered(line):
    *words, current = line.split(" ")
    return [value for value, _ in complete(Typed(words, current))]


def test_recovery_points_are_offered_the_latest_first(cli):
    points = [cli("recovery-point", name, "--json").rows[0]["point_id"] for name in ("one", "two")]

    assert offered("linetrail restore ") == points[::-1]


@pytest.mark.daily(7)
@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("linetrail bla", ["blame"]),
        ("git linetrail bla", ["blame"]),
        ("linetrail -C src bla", ["blame"]),
        ("linetrail -C sr", []),
        ("linetrail --col", ["--color"]),
        ("linetrail --color ", ["auto", "always", "never"]),
        ("linetrail --color=n", ["--color=never"]),
        ("linetrail blame --line", ["--line-porcelain"]),
        ("linetrail blame --by m", ["model"]),
        ("linetrail blame --by=m", ["--by=model"]),
        ("linetrail blame src/", ["src/a.py", "src/deep/"]),
        ("linetrail blame -- my", ["my file.txt"]),
        ("linetrail -C src blame d", ["deep/"]),
        ("linetrail why src/a", ["src/a.py:"]),
        ("linetrail why src/a.py:t", ["src/a.py:total"]),
        ("linetrail intents hi", ["history"]),
        ("linetrail intents done ", ["INT-001", "INT-002"]),
        ("linetrail log --intent INT-001 --intent I", ["INT-001", "INT-002"]),
        ("linetrail log --session s", ["session-abc"]),
        ("linetrail log --since last", ["last week", "last month"]),
        ("linetrail log --type tool.c", ["tool.completed"]),
        ("linetrail show INT", ["INT-001", "INT-002"]),
        ("linetrail diff ma", ["main"]),
        ("linetrail sql @hot", ["@hot_files"]),
        ("linetrail sql @loops -p ", ["since", "until", "least"]),
        ("linetrail sql @hot_files -p since 7", ["7d"]),
        ("linetrail sql @hot_files -p since 7d --j", ["--json"]),
        ("linetrail init --agent co", ["codex", "copilot-cli", "continue-cli"]),
        ("linetrail completion ", list(SHELLS)),
        ("linetrail help wh", ["why"]),
        ("linetrail nonsense --", []),
    ],
)
def test_what_may_come_next_is_offered(line, values):
    assert offered(line) == values


@pytest.mark.slow
def test_every_command_is_offered_and_every_one_has_options_to_offer():
    assert {*COMMANDS, "help"} == set(offered("linetrail "))
    assert [name for name in COMMANDS if "--help" not in offered(f"linetrail {name} --")] == []


@pytest.mark.daily(7)
@pytest.mark.parametrize(
    ("line", "replaced", "word", "printed"),
    [
        ("linetrail why src/a.py:to", "to", "to", "total\n"),
        ("linetrail why src/a.py:", "", ":", "total\n"),
        ("linetrail log --color=al", "al", "al", "always\n"),
        ("linetrail sql @hot", "@hot", "hot", "@hot_files\n"),
        ("linetrail blame my", "my", "my", "my\\ file.txt\n"),
        ("linetrail blame 'my", "my", "'my", "my file.txt\n"),
        ('linetrail log --since "last w', "last w", '"last w', "last week\n"),
        ("linetrail blame s", "s", "s", "src/\n"),
    ],
)
def test_bash_is_told_what_is_missing_from_its_own_word(capsys, line, replaced, word, printed):
    assert main(["__complete", "bash", line, replaced, word]) == 0
    assert capsys.readouterr().out == printed


@pytest.mark.daily(7)
@pytest.mark.parametrize(
    "arguments", [[], ["bash"], ["fish", "linetrail", "log", "--intent", ""], ["zsh", "linetrail", "why", "gone.py:"]]
)
def test_nothing_is_said_where_something_is_wrong(capsys, monkeypatch, tmp_path, arguments):
    monkeypatch.chdir(tmp_path)

    assert main(["__complete", *arguments]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.daily(2)
@pytest.mark.parametrize("words", [["bl"], ["blame", "--"], ["log", "--intent", ""], ["sql", "@"], ["status", "--"]])
def test_no_database_and_no_grammar_is_loaded_for_it(repo, words):
    call = f"from linetrail.queries.cli import main; main(['__complete', 'fish', 'linetrail', *{words}])"

    imported = imported_by(f"import sys, io; out, sys.stdout = sys.stdout, io.StringIO(); {call}; sys.stdout = out",
                           cwd=repo.path)  # fmt: skip

    assert "linetrail.queries.completion" in imported
    assert not imported & {"_duckdb", "duckdb", "pydantic", "rich", "tree_sitter", "msgspec"}


@pytest.fixture
def path(monkeypatch):
    """Let shells find the command of this environment."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


def needs(shell):
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed here")


@pytest.mark.slow
@needs("bash")
@pytest.mark.usefixtures("path")
@pytest.mark.parametrize(
    ("typed", "becomes"),
    [
        ("linetrail bla", "linetrail blame "),
        ("linetrail why src/a.py:to", "linetrail why src/a.py:total "),
        ("linetrail sql @hot_f", "linetrail sql @hot_files "),
        ("linetrail blame --by=mo", "linetrail blame --by=model "),
        ("linetrail blame my", "linetrail blame my\\ file.txt "),
        ("linetrail why src/a", "linetrail why src/a.py:"),
    ],
)
def test_bash_completes(repo, typed, becomes):
    shell = ["bash", "--norc", "--noprofile", "-i"]
    start = 'PS1="ready> "; bind "set enable-bracketed-paste off"; eval "$(linetrail completion bash)"\n'

    assert at_terminal(shell, start, typed, repo.path, becomes) == becomes


@pytest.mark.slow
@needs("zsh")
@pytest.mark.usefixtures("path")
@pytest.mark.parametrize(
    ("typed", "becomes"),
    [
        ("linetrail bla", "linetrail blame "),
        ("linetrail why src/a.py:to", "linetrail why src/a.py:total "),
        ("linetrail blame my", "linetrail blame my\\ file.txt "),
        ("linetrail why src/a", "linetrail why src/a.py:"),
    ],
)
def test_zsh_completes(repo, typed, becomes):
    start = 'PS1="ready> "; unset zle_bracketed_paste; autoload -U compinit; compinit -u\n'
    start += 'eval "$(linetrail completion zsh)"\n'

    assert at_terminal(["zsh", "-f", "-i"], start, typed, repo.path, becomes) == becomes


@needs("fish")
@pytest.mark.usefixtures("path")
@pytest.mark.parametrize(
    ("typed", "values"),
    [
        ("linetrail bla", ["blame"]),
        ("linetrail why src/a.py:to", ["src/a.py:total"]),
        ("linetrail blame --by ", ["agent", "class", "intent", "model", "session"]),
    ],
)
def test_fish_completes(repo, typed, values):
    script = f"linetrail completion fish | source; complete --do-complete '{typed}'"
    done = subprocess.run(["fish", "-N", "-c", script], cwd=repo.path, capture_output=True, text=True, check=True)

    assert sorted(line.partition("\t")[0] for line in done.stdout.splitlines()) == values


def at_terminal(shell, start, typed, cwd, becomes):
    """Type into a shell at a terminal, press the tab key, and return what then stands on the line."""
    process, terminal = pty.fork()
    if not process:
        os.chdir(cwd)
        os.environ["TERM"] = "dumb"
        os.environ["COLUMNS"] = "200"
        os.execvp(shell[0], shell)
    try:
        os.write(terminal, f"{start}echo set''tled\n".encode())
        shown(terminal, until=lambda text: text.rpartition("settled")[2].rstrip().endswith("ready>"))
        os.write(terminal, typed.encode() + b"\t")
        return line(shown(terminal, until=lambda text: line(text) == becomes))
    finally:
        os.kill(process, 9)
        os.waitpid(process, 0)
        os.close(terminal)


def shown(terminal, until, seconds=20):
    """Read what appears until it is enough, or until nothing more comes."""
    text = ""
    while not until(text) and select.select([terminal], [], [], seconds)[0]:
        text += os.read(terminal, 65536).decode(errors="replace")
    return text


def line(text):
    """Return what stands on the last line of a terminal; signs that steer it are followed, or have no meaning here."""
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x07|\r", "", text)
    while "\x08" in text:
        text = re.sub("[^\x08]?\x08", "", text, count=1)
    return text.rpartition("ready> ")[2]
