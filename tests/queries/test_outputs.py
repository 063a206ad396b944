"""Files that our own commands are asked to write: nothing that is protected, and no option that is shortened."""

import argparse

import pytest

from linetrail.ledger.intents.selection import SESSION_VARIABLE
from linetrail.ledger.shell.commands import judge
from linetrail.ledger.shell.programs.linetrail import OUTPUTS
from linetrail.queries.command_line import COMMANDS, parser_of


@pytest.mark.daily(1)
@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "sarif", "--out", ".claude/settings.json"),
        ("export", "agent-trace", "--out", ".git/hooks/pre-commit"),
        ("audit", "--format", "json", "--out", ".mcp.json"),
        ("checkpoint", "--generate-key", "k", "--key-out", ".orchestration/config.yaml"),
        ("demo", ".claude/demo"),
        ("fleet", "build", "file:///nowhere", "--work", ".claude/work"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_nothing_that_is_protected_is_written(cli, repo, arguments):
    repo.start_ledger()
    repo.write(".mcp.json", "{}\n")

    answer = cli(*arguments)

    assert answer.status == 2
    assert "only people change" in answer.err
    assert not (repo.path / ".claude").exists()


@pytest.mark.slow
def test_a_link_is_followed_to_what_is_protected(cli, repo):
    repo.start_ledger()
    (repo.path / "report").symlink_to(".git/config")
    before = (repo.path / ".git/config").read_bytes()

    assert cli("export", "sarif", "--out", "report").status == 2
    assert (repo.path / ".git/config").read_bytes() == before


@pytest.mark.parametrize("arguments", ["export sarif --ou x", "doctor --fi", "intents list --jso"])
def test_no_option_is_shortened(cli, repo, arguments):
    repo.start_ledger()

    answer = cli(*arguments.split())

    assert answer.status == 2
    assert "unrecognized arguments" in answer.err
    assert not (repo.path / "x").exists()


def test_an_agent_selects_for_its_own_session_alone(cli, repo, monkeypatch):
    repo.start_ledger()
    registry = "active_intents: [{id: INT-001, name: A, status: IN_PROGRESS, owned_scope: [src/**]}]\n"
    repo.write(".orchestration/active_intents.yaml", registry)
    monkeypatch.setenv(SESSION_VARIABLE, "s1")

    assert cli("select", "INT-001", "--session", "s2").status != 0
    assert cli("select", "INT-001", "--session", "s1").status == 0


# Options that take a path and read it, or name one in a question; all others of this kind write.
READING = {
    ("blame", "--ignore-revs-file"),
    ("classify", "--pairs"),
    ("log", "--path"),
    ("sql", "--file"),
    ("fleet sql", "--file"),
    ("push", "--people-key"),
    ("pull", "--people-key"),
    ("record-decision", "--from-json"),
    ("record-decision", "--lines"),
    ("decisions", "--path"),
    ("decisions list", "--path"),
    ("lesson add", "--path"),
    ("check-path", "--pairs"),
    ("check-path", "--root"),
    ("check-command", "--pairs"),
    ("audit", "--policy"),
    ("audit", "--baseline"),
    ("ci", "--policy"),
    ("ci", "--baseline"),
    ("verify", "--checkpoint"),
    ("recovery-point", "--path"),
    ("checkpoint", "--sign"),
    ("export", "--sign"),
    ("erase", "--path"),
    ("restore", "--path"),
}
# Of commands that no agent may run, whatever they are told.
REFUSED = {("fleet build", "--work")}
_PATHS = {"FILE", "PATH", "DIR", "P", "FOLDER", "PATH[:A-B]"}


def _actions(parser, command):
    for action in parser._actions:  # noqa: SLF001  argparse tells them in no other way
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001  nor these
            for verb, inner in action.choices.items():
                yield from _actions(inner, f"{command} {verb}".strip())
        elif command:
            yield command, action


def _path_options():
    """Return every option of ours whose value is a path, as (command, option)."""
    found = (each for command in COMMANDS for each in _actions(parser_of(command), ""))
    return {
        (command, option) for command, action in found if action.metavar in _PATHS for option in action.option_strings
    }


@pytest.mark.slow
def test_the_gate_knows_each_option_of_ours_that_writes():
    writing = _path_options() - READING - REFUSED

    assert _path_options() >= READING | REFUSED
    assert {judge(f"linetrail {command}").cls for command, _ in REFUSED} == {"dangerous"}
    assert {option for _, option in writing} == OUTPUTS
    for command, option in sorted(writing):
        assert "new/x" in judge(f"linetrail {command} {option} new/x").writes, command
        assert "new/x" in judge(f"linetrail {command} {option}=new/x").writes, command
    assert judge("linetrail audit --write-baseline --baseline new/x").writes == ("new/x",)
    assert judge("linetrail demo new/x").writes == ("new/x/",)


@pytest.mark.parametrize(("command", "option"), sorted(READING), ids=" ".join)
def test_an_option_that_reads_makes_no_file(cli, repo, command, option):
    repo.start_ledger()
    needed = [action for name, action in _actions(parser_of(command.split()[0]), "") if name == command]
    operands = ["x" for action in needed if not action.option_strings and action.nargs not in ("?", "*")]

    cli(*command.split(), *operands, option, "made")

    assert not (repo.path / "made").exists()


@pytest.mark.daily(1)
@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("audit", ["--out"]),
        ("ci", ["--sarif", "--junit", "--codequality", "--summary", "--comment"]),
        ("export sarif", ["--out"]),
        ("checkpoint --generate-key k", ["--key-out"]),
    ],
)
def test_an_option_that_writes_makes_its_file(cli, repo, command, options, tmp_path_factory):
    repo.commit(files={"a.py": "a = 1\n"})
    repo.start_ledger()
    made = {option: tmp_path_factory.mktemp("outside") / "made" for option in options}

    cli(*command.split(), *(word for option, file in made.items() for word in (option, str(file))))

    assert [option for option, file in made.items() if not file.is_file()] == []
