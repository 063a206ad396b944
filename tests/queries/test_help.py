"""What people see who do not know yet: the first page, help of a command, a slip of the pen; and what it loads."""

import os
import subprocess
import sys
import time

import pytest

from linetrail.ledger.files import SETTLED_NS
from linetrail.queries.command_line import COMMANDS
from linetrail.queries.completion import Typed, complete
from tests.test_house import imported_by

HEAVY = {"_duckdb", "duckdb", "msgspec", "pydantic", "rich", "tree_sitter", "yaml"}
# Commands that only read: what they answer with can be had in every format.
READING = [
    "blame",
    "classify",
    "decisions",
    "diff",
    "doctor",
    "lineage",
    "log",
    "show",
    "sql",
    "stats",
    "status",
    "transcript",
    "usage",
    "verify",
    "why",
]


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"], ["help"]], ids=" ".join)
def test_the_first_page_begins_with_what_people_want_to_do(cli, arguments):
    answer = cli(*arguments)
    lines = answer.out.splitlines()

    assert (answer.status, answer.err) == (0, "")
    assert lines.index("ask about the code") < lines.index("begin") < lines.index("keep what was recorded")
    assert max(map(len, lines)) <= 120
    assert {line.split()[0] for line in lines if line.startswith("  ")} >= set(COMMANDS)


def test_the_first_page_names_eight_commands_or_fewer_before_all_others(cli):
    _, _, rest = cli().out.partition("ask about the code\n")

    assert 5 <= len(rest.partition("\n\n")[0].splitlines()) <= 8


@pytest.mark.daily(27)
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_by_either_name(cli, name):
    asked, helped = cli("help", name), cli(name, "--help")

    assert asked == helped
    assert asked.status == 0
    assert asked.out.startswith(f"usage: linetrail {name}")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("blam", "linetrail blame"),
        ("stat", "linetrail stats"),
        ("decision", "linetrail decisions"),
        ("xyzzy", "linetrail help"),
    ],
)
def test_a_slip_of_the_pen_is_answered_with_what_sounds_alike(cli, typed, meant):
    answer = cli(typed, "--json")

    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"error: linetrail has no command {typed!r}\nnext: ")
    assert meant in answer.err


@pytest.mark.parametrize(("typed", "question"), [("sessions", "sessions"), ("hot-files", "hot_files")])
def test_who_types_the_name_of_a_question_is_told_how_to_ask_it(cli, typed, question):
    answer = cli(typed)

    assert (answer.status, answer.out) == (2, "")
    assert answer.err == (
        f"error: linetrail has no command {typed!r}, but a question\nnext: linetrail sql @{question}\n"
    )


@pytest.mark.parametrize(
    ("arguments", "next_command"),
    [
        (["blame"], "linetrail help blame"),
        (["blame", "--no-such-flag", "a.py"], "linetrail help blame"),
        (["log", "-n", "many"], "linetrail help log"),
        (["intents", "no-such-verb"], "linetrail help intents"),
        (["intents", "show"], "linetrail help intents show"),
        (["-C", "no/such/folder", "log"], "linetrail help log"),
        (["-C", ".", "init", "--agent", "nobody"], "linetrail help init"),
        (["doctor", "--retrust", "codex"], "linetrail help doctor"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_command_line_that_is_wrong_names_the_help(repo, cli, arguments, next_command):
    answer = cli(*arguments)

    assert (answer.status, answer.out) == (2, "")
    assert answer.err.splitlines()[-1] == f"next: {next_command}"


@pytest.mark.parametrize(
    "arguments",
    [["why", "{}"], ["diff", "{}"], ["explain", "{}"], ["log", "{}"], ["audit", "--format", "{}"], ["{}"]],
    ids=" ".join,
)
def test_what_was_typed_steers_no_terminal(repo, cli, arguments):
    repo.start_ledger()

    answer = cli(*(word.format("a\x1b[31mb\u202e") for word in arguments))

    assert answer.status == 2
    assert all(map(str.isprintable, answer.err.splitlines()))


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a disk that is always full")
def test_a_full_disk_is_no_bug_of_ours():
    with open("/dev/full", "wb") as full:
        program = "import sys; from linetrail.queries.cli import main; sys.exit(main(['sql', '--list']))"
        run = [sys.executable, "-c", program]
        ended = subprocess.run(run, stdout=full, stderr=subprocess.PIPE, text=True, check=False)

    assert ended.returncode == 2
    assert ended.stderr == "error: the answer cannot be written: No space left on device\n"


@pytest.mark.parametrize("name", READING)
def test_what_reads_has_every_format_and_the_terminal_in_hand(name):
    offered = {value for value, _ in complete(Typed(["linetrail", name], "--"))}

    assert {"--json", "--csv", "--nl", "--table", "--color", "--no-pager"} <= offered


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["help", "blame"], ["help", "usage"], ["blam"]], ids=" ".join
)
def test_help_loads_nothing_that_it_does_not_need(arguments):
    run = "import sys, os; sys.stdout = sys.stderr = open(os.devnull, 'w'); from linetrail.queries.cli import main\n"
    run += f"try: main({arguments})\nexcept SystemExit: pass\nsys.stdout = sys.__stdout__"

    imported = imported_by(f"exec({run!r})")

    assert not imported & HEAVY
    assert "linetrail.queries.render.pager" not in imported


@pytest.mark.slow
def test_a_status_loads_neither_the_contract_nor_grammars(repo, agent, cli):
    agent().prompt("hello")
    assert cli("seal").status == 0
    time.sleep(2 * SETTLED_NS / 1e9)  # what changed so lately is judged again
    assert cli("status").status == 0
    agent("later").prompt("hello again")

    run = "import sys, os; sys.stdout = open(os.devnull, 'w'); from linetrail.queries.cli import main; main(['status'])"
    imported = imported_by(f"exec({(run + '; sys.stdout = sys.__stdout__')!r})", cwd=repo.path)

    assert "_duckdb" in imported
    assert imported & {"pydantic", "rich", "tree_sitter", "yaml", "linetrail.projections.blame.blame"} == set()


@pytest.mark.parametrize(("command", "verb"), [("gate", "reconcile"), ("lesson", "promote"), ("intents", "history")])
def test_a_command_without_its_verb_lists_the_verbs(cli, command, verb):
    answer = cli(command)

    assert answer.status == 2
    assert f"\n    {verb}" in answer.err
    assert answer.err.splitlines()[-1].startswith(f"next: linetrail {command} ")


@pytest.mark.parametrize("below", ["", "refs"])
def test_a_bare_repository_is_said_to_be_one(repo, cli, tmp_path, below):
    repo.git("clone", "--quiet", "--bare", str(repo.path), str(tmp_path / "shop.git"))

    answer = cli("status", cwd=tmp_path / "shop.git" / below)

    assert answer.status == 2
    assert f"{tmp_path}/shop.git is a bare repository" in answer.err
    assert answer.err.endswith(f"next: git clone {tmp_path}/shop.git {tmp_path}/shop && cd {tmp_path}/shop\n")
