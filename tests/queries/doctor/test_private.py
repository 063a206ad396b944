"""No secret on the disk, and nothing on the disk for others: after real hooks, a rebuild, questions, and a seal."""

import os
import stat
import zlib

import pytest

from linetrail.ledger.repository import STATES
from tests.ledger.redact.secrets import SECRETS, parts

# What belongs in git, and is written for everybody who may read the repository.
TRACKED = {"intent_map.md", ".gitattributes", ".gitignore", "active_intents.yaml", "config.yaml", "checkpoint"}
PLACES = (".orchestration", ".git/linetrail")


@pytest.fixture
def for_everybody():
    """Set the mask under which nothing is private by itself."""
    before = os.umask(0)
    yield
    os.umask(before)


def below(repo):
    """Return everything that is kept, the folders themselves included."""
    return [path for place in PLACES for path in [repo.path / place, *(repo.path / place).rglob("*")] if path.exists()]


def contents(repo):
    for path in below(repo):
        if path.is_file():
            content = path.read_bytes()
            yield path, content
            try:
                yield path, zlib.decompress(content)
            except zlib.error:
                continue


def day(repo, hook, linetrail):
    """Let an agent meet every secret in a prompt, a command, an error and a name, then ask about it."""

    def send(event, **fields):
        assert hook({"session_id": "s1", "cwd": str(repo.path), "hook_event_name": event} | fields).returncode == 0

    linetrail("init", "--agent", "none", "--no-input")
    send("SessionStart", source="startup", model="m")
    for number, secret in enumerate(SECRETS.values()):
        call = {"tool_name": "Bash", "tool_use_id": f"toolu_{number}", "tool_input": {"command": f"run '{secret}'"}}
        send("UserPromptSubmit", prompt=f"try {secret} now")
        send("PreToolUse", **call)
        send("PostToolUseFailure", **call, error=f"Exit code 1\nrefused: {secret!r}")
        send("Notification", reason=f"about {secret}")
    send(
        "PreToolUse", tool_name="Write", tool_use_id="w", tool_input={"file_path": str(repo.path / "a"), "content": "a"}
    )
    repo.write("a", "a")
    send("PostToolUse", tool_name="Write", tool_use_id="w", tool_input={"file_path": str(repo.path / "a")})
    for question in (["rebuild"], ["sql", "select * from v_prompts"], ["log"], ["blame", "a"], ["seal"], ["rebuild"]):
        assert linetrail(*question).returncode == 0, question


@pytest.mark.soak
@pytest.mark.promise("E1")
@pytest.mark.promise("E5")
def test_no_secret_and_nothing_for_others_is_on_the_disk(repo, hook, linetrail, for_everybody, record_property):
    day(repo, hook, linetrail)

    leaked = {
        (name, str(path))
        for path, content in contents(repo)
        for name in SECRETS
        for part in parts(name)
        if len(part) >= 8 and part.encode() in content
    }
    readable = [
        f"{stat.filemode(path.stat().st_mode)} {path}"
        for path in below(repo)
        if path.stat().st_mode & 0o077 and path.name not in TRACKED
    ]

    record_property("files", len(below(repo)))
    record_property("leaked", len(leaked))
    assert not leaked
    assert not readable


@pytest.mark.promise("E5")
def test_what_hooks_and_commands_write_is_private(repo, agent, cli, for_everybody):
    (repo.path / ".orchestration").chmod(0o700)
    session = agent()
    session.prompt("use ghp_" + "a1B2" * 9)
    session.write("a.py", "a = 1\n")
    session.send("PreToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_use_id="t")
    for command in (["rebuild"], ["erase", "--path", "a.py"], ["rebuild"], ["blame", "a.py"]):
        assert cli(*command).status == 0

    assert not [path for path in below(repo) if path.stat().st_mode & 0o077 and path.name not in TRACKED]


@pytest.mark.daily(19)
@pytest.mark.promise("E5")
@pytest.mark.parametrize(
    "name",
    ["", "state", "objects", "spool", "quarantine", "cache", "segments", *(f"state/{name}" for name in sorted(STATES))],
)
def test_nothing_is_written_through_a_folder_that_is_a_link(repo, hook, linetrail, tmp_path, name):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    place = repo.path / ".orchestration" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(elsewhere)

    done = hook({"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "x", "cwd": str(repo.path)})
    asked = linetrail("status")

    assert (done.returncode, done.stdout) == (0, "")
    assert list(elsewhere.iterdir()) == []
    assert asked.returncode == 2
    assert "is a symbolic link to" in asked.stderr


@pytest.mark.promise("E5")
def test_nothing_is_written_through_a_file_that_is_a_link(repo, agent, tmp_path):
    agent().write("a.py", "a = 1\n")
    victim = tmp_path / "victim"
    victim.write_text("mine")
    for file in [path for path in (repo.path / ".orchestration").rglob("*") if path.is_file()]:
        file.unlink()
        file.symlink_to(victim)

    agent("session-2").write("a.py", "a = 2\n")

    assert victim.read_text() == "mine"


@pytest.mark.promise("E5")
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="giving a folder away takes root")
def test_a_folder_of_somebody_else_is_not_written_into(repo, hook, linetrail):
    folder = repo.start_ledger()
    os.chown(folder, 12345, 12345)

    hook({"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "x", "cwd": str(repo.path)})

    assert os.listdir(folder) == []
    assert "belongs to user 12345" in linetrail("status").stderr


@pytest.mark.promise("E5")
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="giving a folder away takes root")
def test_root_in_a_container_works_in_the_worktree_of_its_user(repo, hook):
    for path in (repo.path, repo.start_ledger()):
        os.chown(path, 12345, 12345)

    hook({"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "x", "cwd": str(repo.path)})

    assert len(repo.events()) == 1
