"""`linetrail try`: a summary of recorded sessions, and not a byte written where a person works."""

import os
import subprocess

import pytest

from tests.queries.conftest import BRANCH
from tests.queries.importers.test_import_codex import Rollout
from tests.queries.importers.test_import_gemini import Chat

pytestmark = pytest.mark.slow


@pytest.fixture
def transcript(repo, talk, tmp_path):
    """Save a session in which the agent wrote two of the four lines that HEAD has."""
    repo.commit(files={"a.py": "one\ntwo\n"})
    session = talk()
    session.prompt("Count on")
    after = session.edit("a.py", "one\ntwo\n", "two\n", "two\nthree\nfour\n")
    session.bash("pytest")
    repo.commit(files={"a.py": after})
    return str(session.save(tmp_path / "t.jsonl"))


def everything(folder):
    """Return every file below a folder with its content and the time of its last change."""
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(folder.rglob("*")) if path.is_file()}


def test_it_sums_up_what_the_sessions_tell(cli, transcript):
    answer = cli("try", transcript, "--json")

    (row,) = answer.rows
    del row["models"], row["first_day"], row["last_day"]
    assert row == {
        "sessions": 1,
        "prompts": 1,
        "tool_calls": 2,
        "edits": 1,
        "files": 1,
        "agent_lines": 2,
        "lines": 4,
        "files_at_head": 1,
    }


def test_it_tells_the_models_and_their_tokens(cli, transcript):
    (row,) = cli("try", transcript, "--json").rows

    assert row["models"] == [
        {
            "model_id": "anthropic/claude-model-x",
            "answers": 2,
            "input_tokens": 6,
            "output_tokens": 2,
            "cache_read_input_tokens": 200,
            "cache_creation_input_tokens": 40,
        }
    ]


def test_people_read_it_in_a_few_lines(cli, transcript):
    told = cli("try", transcript).out.splitlines()

    assert told[:3] == [
        "1 session from 2026-01-05 to 2026-01-05, 1 prompt",
        "2 tool calls, 1 of them changed 1 file",
        "agents wrote 2 of the 4 lines (50 %) that HEAD has in these files",
    ]


def test_nothing_is_written_into_the_repository(repo, cli, transcript, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    before = everything(repo.path)

    assert cli("try", transcript).status == 0

    assert everything(repo.path) == before
    assert os.listdir(tmp_path / "temporary") == []


def test_a_linked_worktree_is_tried_like_any_other(repo, cli, transcript, tmp_path):
    repo.git("worktree", "add", "--quiet", str(tmp_path / "side"), "-b", "side")

    (row,) = cli("try", transcript, "--json", cwd=tmp_path / "side").rows

    assert (row["agent_lines"], row["lines"]) == (2, 4)


def test_no_session_is_nothing_to_sum_up(cli):
    answer = cli("try")

    assert answer.status == 0
    assert answer.out == "no sessions: nothing to sum up\n"
    assert answer.err.startswith("no sessions of this repository in the folders of claude-code, codex, ")
    assert answer.err.endswith("next: linetrail init --agent claude-code\n")


def test_a_clone_without_records_is_told_what_to_fetch(repo, cli):
    repo.git("remote", "add", "upstream", "https://forge.example/shop.git")

    told = cli("try").err

    assert (
        "git fetch upstream '+refs/heads/entire/*:refs/remotes/upstream/entire/*' '+refs/entire/*:refs/entire/*'\n"
        in told
    )
    assert "git fetch upstream refs/notes/ai:refs/notes/ai\n" in told


@pytest.mark.parametrize("named", [[], ["."]], ids=["no path", "the folder of the repository"])
def test_checkpoints_that_only_a_remote_has_are_summed_up(repo, cli, checkpoint, long_session, named):
    checkpoint(long_session().lines)
    repo.git("update-ref", f"refs/remotes/origin/{BRANCH}", f"refs/heads/{BRANCH}")
    repo.git("update-ref", "-d", f"refs/heads/{BRANCH}")

    told = cli("try", *named).out.splitlines()

    assert told[0] == f"found refs/remotes/origin/{BRANCH}: 1 transcript"
    assert told[1].startswith("1 session from ")
    assert told[-1] == "next: linetrail init --agent claude-code && linetrail import entire"


def test_checkpoints_that_a_clone_did_not_bring_along_are_fetched_as_it_says(
    repo, cli, checkpoint, long_session, tmp_path, monkeypatch
):
    names = ["01KX37KN6NXDTV10FKNCBPTP2Y", "01KXDM08H2V0SZREV3NDG2R38M"]
    lines = long_session().lines
    checkpoint(lines[:9])
    for name, made in zip(names, [lines[:12], lines], strict=True):
        checkpoint(made, ref=f"refs/entire/checkpoints/{name[-2:]}/{name}")
        repo.commit(f"Go on\n\nEntire-Checkpoint: {name}", {"a.py": name})
    clone = tmp_path / "clone"
    repo.git("clone", "--quiet", str(repo.path), str(clone))

    before = cli("-C", str(clone), "try").out.splitlines()
    monkeypatch.chdir(clone)
    subprocess.run(before[-1].partition("lacks:  ")[2], shell=True, check=True, capture_output=True)
    after = cli("-C", str(clone), "try").out.splitlines()

    assert before[0] == f"found refs/remotes/origin/{BRANCH}: 1 transcript"
    assert before[-1].startswith("before that, for 2 checkpoints that commits name and this clone lacks:  git fetch")
    assert after[0] == f"found refs/remotes/origin/{BRANCH}, refs/entire/checkpoints/…: 3 transcripts"
    assert after[-1].startswith("next: ")


@pytest.mark.parametrize("ref", ["refs/notes/ai", "refs/notes/origin/ai", "refs/remotes/origin/notes/ai"])
def test_notes_and_credits_are_found_where_there_is_no_session(repo, cli, ref):
    commit = repo.commit("Count\n\nCo-Authored-By: Claude <noreply@anthropic.com>", {"a.py": "one\n"})
    blob = repo.git("hash-object", "-w", "--stdin", stdin="a.py\n  abc 1\n---\n{}\n")
    tree = repo.git("mktree", stdin=f"100644 blob {blob}\t{commit}\n")
    repo.git("update-ref", ref, repo.git("commit-tree", tree, "-m", "notes"))

    answer = cli("try")

    assert answer.out.splitlines() == [
        f"found {ref}: 1 note",
        "found commits that credit agents: claude-code 1",
        "no sessions: nothing to sum up",
        "",
        "nothing was written into this repository",
        "next: linetrail init --agent claude-code && linetrail import gitai-notes && linetrail import trailers",
    ]
    assert answer.err == ""


def test_a_repository_without_a_commit_has_no_share(repo, cli, talk, tmp_path):
    session = talk()
    session.write("a.py", "one\n")

    (row,) = cli("try", str(session.save(tmp_path / "t.jsonl")), "--json").rows

    assert (row["edits"], row["lines"]) == (1, 0)


def test_the_sessions_of_every_agent_are_summed_up(repo, cli, monkeypatch, tmp_path):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path))
    rollout, chat = Rollout(str(repo.path)), Chat(str(repo.path))
    rollout.prompt("Add it")
    rollout.patch("*** Add File: a.py\n+one\n")
    rollout.save(tmp_path / "codex" / "sessions" / "rollout-1.jsonl")
    chat.write(f"{repo.path}/b.py", "two\n")
    chat.save_json(tmp_path / ".gemini" / "tmp" / chat.head["projectHash"] / "chats" / "session-1.json")
    before = everything(repo.path)

    answer, told = cli("try", "--json"), cli("try")

    (row,) = answer.rows
    assert (row["sessions"], row["prompts"], row["edits"], row["files"]) == (2, 1, 2, 2)
    assert told.out.splitlines()[-1] == (
        "next: linetrail init --agent codex --agent gemini-cli && linetrail import codex && linetrail import gemini-cli"
    )
    assert told.err == ""
    assert everything(repo.path) == before


def test_it_says_why_lines_were_left_out(cli, transcript):
    with open(transcript, "ab") as file:
        file.write(b"{\n" * 2)

    assert "left out: not JSON, 2" in cli("try", transcript).out.splitlines()
