"""The key of marks and the salts of commitments: made once, shared by worktrees, kept from everybody else."""

import hashlib
import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from linetrail.ledger.event import commitments
from linetrail.ledger.event.commitments import committed, comparable
from linetrail.ledger.event.event import Event, derived_id, rfc3339
from linetrail.ledger.redact.redactor import KEY, Redactor, key, private_folder
from linetrail.ledger.repository import find

NOW = 1_767_603_600_000_000_000
TOKEN = "ghp_" + "a1B2" * 9
MAKE_KEY = "import sys; from linetrail.ledger.redact.redactor import key; print(key(sys.argv[1]).hex())"


def marks(text):
    return re.findall(r"\[redacted:([a-z-]+(?::[0-9a-f]{8})?)\]", text)


def a_prompt(event_id=None, session="s1", **data):
    event_id = event_id or derived_id(NOW, "prompt")
    return Event(event_id, rfc3339(NOW), "prompt.submitted", session, None, "human", None, None, data)


def record_of(folder):
    (file,) = Path(folder, "salts").iterdir()
    return file.read_text().split()


def test_two_sightings_of_one_secret_carry_one_mark(repo, agent):
    session = agent()
    session.prompt(f"use {TOKEN}")
    session.send("PreToolUse", tool_name="Bash", tool_input={"command": f"X={TOKEN} deploy"}, tool_use_id="t1")

    excerpt = repo.events("prompt.submitted")[0].data["excerpt"]
    command = repo.events("tool.requested")[0].data["command"]

    assert marks(excerpt) == marks(command)
    assert marks(excerpt)[0].startswith("github:")


def test_a_hook_of_another_process_uses_the_same_key(repo, hook):
    repo.start_ledger()
    for session in ("s1", "s2"):
        hook({"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": TOKEN, "cwd": str(repo.path)})

    assert len({event.data["excerpt"] for event in repo.events("prompt.submitted")}) == 1


def test_worktrees_share_the_key_and_another_repository_has_its_own(repo, tmp_path):
    repo.commit("start", {"a.py": "a\n"})
    repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    repo.git("init", "--quiet", str(tmp_path / "other"))

    here, linked, other = (
        Redactor(private_folder(find(str(path)))).cut(TOKEN, 100)
        for path in (repo.path, tmp_path / "linked", tmp_path / "other")
    )

    assert here == linked != other


def test_no_key_is_made_where_nothing_is_taken_out(repo, agent):
    agent().bash("ls")

    assert not (repo.path / ".git" / "linetrail" / KEY).exists()


def test_the_key_is_for_its_owner_alone(tmp_path):
    before = os.umask(0)
    try:
        key(str(tmp_path / "linetrail"))
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "linetrail").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "linetrail" / KEY).stat().st_mode) == 0o600


@pytest.mark.slow
def test_processes_that_need_the_first_key_at_once_get_the_same(tmp_path):
    folder = str(tmp_path / "linetrail")
    started = [
        subprocess.Popen([sys.executable, "-c", MAKE_KEY, folder], stdout=subprocess.PIPE, text=True) for _ in range(8)
    ]

    keys = {process.communicate()[0].strip() for process in started}

    assert keys == {(tmp_path / "linetrail" / KEY).read_bytes().hex()}
    assert os.listdir(folder) == [KEY]


@pytest.mark.parametrize(
    "hinder",
    [
        pytest.param(lambda path: path.write_bytes(b"short"), id="a damaged key"),
        pytest.param(lambda path: path.mkdir(), id="a folder in its place"),
        pytest.param(lambda path: path.symlink_to("/etc/hostname"), id="a link in its place"),
    ],
)
def test_without_a_key_marks_have_no_fingerprint(tmp_path, hinder):
    hinder(tmp_path / KEY)

    assert Redactor(str(tmp_path)).cut(TOKEN, 100) == "[redacted:github]"


def test_a_command_with_a_secret_has_a_hash_that_tells_nothing_of_it(repo, agent):
    def hashed(secret):
        agent().send("PreToolUse", tool_name="Bash", tool_input={"command": f"mysql -p{secret} x"}, tool_use_id=secret)
        return repo.events("tool.requested")[-1].data["input_sha256"]

    assert hashed("hunter22") == hashed("hunter23")


def test_a_prompt_is_committed_to_and_not_hashed(repo, agent):
    agent().prompt("yes")

    event = repo.events("prompt.submitted")[0]
    event_id, salt, made = record_of(repo.path / ".git" / "linetrail")

    assert "sha256" not in event.data
    assert hashlib.sha256(b"yes").hexdigest() not in json.dumps(event.data)
    assert event_id == event.id
    assert event.data["commitment"] == f"sha256:{made}"
    assert hashlib.sha256(bytes.fromhex(salt) + b"yes").hexdigest() == made


def test_a_prompt_told_again_is_committed_to_as_before(tmp_path):
    first = committed(a_prompt(), "yes", str(tmp_path))

    assert committed(a_prompt(), "yes", str(tmp_path)) == first
    assert committed(a_prompt(derived_id(NOW, "other")), "yes", str(tmp_path)) != first


def test_an_erased_salt_is_gone_and_the_commitment_stays(tmp_path):
    first = committed(a_prompt(), "yes", str(tmp_path))
    _, salt, _ = record_of(tmp_path)

    assert commitments.erase(str(tmp_path), "s1", {first.id, "another"}) == {first.id}

    assert salt.encode() not in b"".join(file.read_bytes() for file in Path(tmp_path, "salts").iterdir())
    assert commitments.salted(str(tmp_path), "s1") == {first.id: False}
    assert commitments.erase(str(tmp_path), "s1", {first.id}) == set()
    assert committed(a_prompt(), "yes", str(tmp_path)) == first


def test_a_record_that_was_cut_short_harms_no_other(tmp_path):
    first = committed(a_prompt(), "yes", str(tmp_path))
    (file,) = Path(tmp_path, "salts").iterdir()
    file.write_bytes(file.read_bytes() + f"{derived_id(NOW, 'torn')} 0123".encode())

    second = committed(a_prompt(derived_id(NOW, "next")), "no", str(tmp_path))

    assert committed(a_prompt(), "yes", str(tmp_path)) == first
    assert committed(a_prompt(second.id), "no", str(tmp_path)) == second


def test_a_prompt_has_no_commitment_where_no_salt_can_be_kept(tmp_path):
    (tmp_path / "salts").write_text("in the way")

    assert "commitment" not in committed(a_prompt(), "yes", str(tmp_path)).data
    assert "commitment" not in committed(a_prompt(), "yes", None).data


def test_the_same_record_under_two_keys_is_the_same_event(tmp_path):
    def imported(name):
        redactor = Redactor(str(tmp_path / name))
        said = a_prompt(
            excerpt=redactor.excerpt(TOKEN), length=len(TOKEN), targets=[{"path": redactor.cut(TOKEN, 100)}]
        )
        return committed(said, TOKEN, redactor.folder)

    here, there = imported("a"), imported("b")

    assert here != there
    assert comparable(here) == comparable(there)
