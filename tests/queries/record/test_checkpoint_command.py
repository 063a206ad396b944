"""`linetrail checkpoint`: what is sealed, in a few lines on stdout and in a tracked file, signed or said not to be."""

import io
import json
import shutil
import subprocess
import sys

import pytest

from linetrail.ledger.log import checkpoint, segments, signed_notes
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from tests.conftest import Repo


@pytest.fixture
def seal(repo, agent):
    """Return a function that records a few prompts and closes them into a segment."""
    sessions = []

    def run():
        claude = agent(f"session-{len(sessions)}")
        sessions.append(claude)
        claude.prompt("round the totals")
        return Ledger(find(str(repo.path))).seal()

    return run


@pytest.fixture
def kept(repo):
    return repo.path / ".orchestration" / "checkpoint"


@pytest.fixture
def sealed(repo):
    """Return a function that reads what is sealed here now."""
    return lambda: segments.read_headers(str(repo.path / ".orchestration"))[0]


@pytest.fixture
def key(tmp_path, cli):
    """Return a new private key's file, and its public half."""
    file = tmp_path / "audit.key"
    public = cli("checkpoint", "--generate-key", "example.com/audit", "--key-out", str(file)).out
    return file, signed_notes.read_verifier(public)


def test_what_is_printed_is_what_is_kept_and_it_holds(seal, cli, kept, sealed):
    seal()

    answer = cli("checkpoint")

    assert answer.status == 0
    assert answer.out == kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o644
    assert checkpoint.judge(kept.read_bytes(), sealed(), file="c") == []


def test_it_is_said_that_nobody_signed_it(seal, cli):
    seal()

    answer = cli("checkpoint")

    assert "1 segment, unsigned" in answer.err
    assert "\n\n" not in answer.out


def test_signed_it_verifies_with_the_public_half(seal, cli, kept, sealed, key):
    file, public = key
    seal()

    answer = cli("checkpoint", "--sign", str(file))

    assert "signed by example.com/audit" in answer.err
    assert checkpoint.judge(kept.read_bytes(), sealed(), file="c", verifier=public) == []


def test_the_key_may_come_from_standard_input(seal, cli, kept, sealed, key, monkeypatch):
    file, public = key
    monkeypatch.setattr(sys, "stdin", io.StringIO(file.read_text()))
    seal()

    assert cli("checkpoint", "--sign", "-").status == 0
    assert checkpoint.judge(kept.read_bytes(), sealed(), file="c", verifier=public) == []


def test_the_same_again_keeps_the_signature(seal, cli, kept, key):
    seal()
    cli("checkpoint", "--sign", str(key[0]))
    signed = kept.read_bytes()

    cli("checkpoint")

    assert kept.read_bytes() == signed


@pytest.mark.promise("T3")
def test_one_that_was_carried_away_shows_that_history_was_cut(seal, cli, kept, sealed, repo):
    seal()
    (gone,) = seal()
    cli("checkpoint")
    carried = kept.read_bytes()
    (repo.path / ".orchestration" / "segments" / f"{gone.name}.jsonl").unlink()
    kept.unlink()
    seal()
    assert cli("checkpoint").status == 0

    problems = checkpoint.judge(carried, sealed(), file="c")

    assert [problem.code for problem in problems] == ["CHECKPOINT_SEGMENT_MISSING"]


def test_one_that_was_carried_away_holds_when_more_is_sealed(seal, cli, kept, sealed):
    seal()
    carried = cli("checkpoint").out.encode()
    seal()
    cli("checkpoint")

    assert checkpoint.parse(kept.read_bytes()).size == 2
    assert checkpoint.judge(carried, sealed(), file="c") == []


def test_one_that_shows_a_loss_is_not_replaced(seal, cli, kept, repo):
    seal()
    (gone,) = seal()
    cli("checkpoint")
    before = kept.read_bytes()
    (repo.path / ".orchestration" / "segments" / f"{gone.name}.jsonl").unlink()

    answer = cli("checkpoint")

    assert answer.status == 3
    assert gone.name in answer.err
    assert kept.read_bytes() == before


def test_a_conflict_that_git_left_is_replaced_and_told(seal, cli, kept, sealed):
    seal()
    kept.write_text("linetrail/1\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> other\n")

    answer = cli("checkpoint")

    assert answer.status == 0
    assert "git left a conflict here" in answer.err
    assert checkpoint.judge(kept.read_bytes(), sealed(), file="c") == []


@pytest.fixture
def merged(repo, seal, cli):
    """Return a function that merges two branches, each with a checkpoint of its own, and returns the two segments."""

    def run(attributes=None):
        cli("init", "--agent", "none", "--no-input")
        if attributes is not None:
            repo.write(".orchestration/.gitattributes", attributes)
        seal()
        repo.commit("base")
        names = []
        for branch in ("one", "other"):
            repo.git("checkout", "--quiet", "-b", branch, "main")
            (made,) = seal()
            names.append(made.name)
            assert cli("checkpoint").status == 0
            repo.commit(branch)
        with pytest.raises(subprocess.CalledProcessError):
            repo.git("merge", "one")
        return names

    return run


@pytest.mark.slow
@pytest.mark.parametrize("attributes", [None, ""], ids=["as init wrote it", "with marks of git in the file"])
def test_a_conflict_of_two_checkpoints_is_settled_by_the_next(repo, merged, cli, kept, sealed, attributes):
    merged(attributes)

    answer = cli("checkpoint")

    assert (answer.status, checkpoint.parse(kept.read_bytes()).size) == (0, 3)
    assert "it covers both sides of a conflict" in answer.err
    for branch in ("one", "other"):
        side = repo.git("show", f"{branch}:.orchestration/checkpoint").encode() + b"\n"
        assert checkpoint.judge(side, sealed(), file="c") == []
    command = answer.err.partition("next: ")[2].splitlines()[0]
    repo.git(*command.split()[1:])
    repo.git("commit", "--quiet", "--no-edit")
    assert cli("verify", "--strict", "--base", "one").status == 0


@pytest.mark.parametrize("side", [0, 1])
def test_a_conflict_is_not_settled_where_a_side_shows_a_loss(repo, merged, cli, kept, side):
    lost = merged()[side]
    (repo.path / ".orchestration" / "segments" / f"{lost}.jsonl").unlink()
    before = kept.read_bytes()

    answer = cli("checkpoint")

    assert (answer.status, lost in answer.err) == (3, True)
    assert kept.read_bytes() == before


def test_a_changed_segment_gets_no_checkpoint(seal, cli, kept, repo):
    (made,) = seal()
    file = repo.path / ".orchestration" / "segments" / f"{made.name}.jsonl"
    file.write_bytes(file.read_bytes().replace(b"round the", b"round all"))

    assert cli("checkpoint").status == 3
    assert not kept.exists()


def test_a_segment_without_its_parent_gets_no_checkpoint(seal, cli, repo):
    (gone,) = seal()
    seal()
    (repo.path / ".orchestration" / "segments" / f"{gone.name}.jsonl").unlink()

    answer = cli("checkpoint")

    assert answer.status == 3
    assert gone.name in answer.err


def test_where_nothing_is_sealed_the_way_there_is_told(repo, cli):
    repo.start_ledger()

    answer = cli("checkpoint")

    assert answer.status == 2
    assert "next: linetrail seal" in answer.err


def test_what_waits_in_the_tail_is_said_not_to_be_in_it(seal, agent, cli):
    seal()
    agent("another").prompt("and the tax")

    assert "agent_trace.jsonl is not in it" in cli("checkpoint").err


def test_a_clone_calls_the_ledger_the_same(seal, cli, repo, tmp_path):
    seal()
    first = cli("checkpoint").out
    shutil.copytree(repo.path, tmp_path / "clone")
    (tmp_path / "clone" / ".orchestration" / "checkpoint").unlink()

    assert first.startswith("linetrail/")
    assert str(tmp_path) not in first
    assert cli("checkpoint", cwd=tmp_path / "clone").out == first


def test_a_name_that_was_given_once_stays(seal, cli):
    seal()
    cli("checkpoint", "--origin", "example.com/project")
    seal()

    assert cli("checkpoint").out.startswith("example.com/project\n2\n")


@pytest.mark.parametrize("name", ["", "two words", "a+b", "two\nlines"])
def test_a_name_that_is_none_is_refused(seal, cli, name):
    seal()

    assert cli("checkpoint", "--origin", name).status == 2


def test_programs_get_one_document(seal, cli, repo):
    (made,) = seal()

    document = json.loads(cli("checkpoint", "--json").out)

    assert document["schema_version"] == 1
    (row,) = document["rows"]
    assert row.keys() == {"file", "origin", "size", "root", "heads", "signers", "text"}
    assert (row["size"], row["heads"], row["signers"]) == (1, [made.name], [])


def test_a_new_key_is_for_its_owner_alone(tmp_path, cli, key):
    file, public = key

    assert file.stat().st_mode & 0o777 == 0o600
    assert signed_notes.read_signer(file.read_text()).verifier == public


def test_a_new_key_is_described_to_programs_without_its_secret(tmp_path, cli):
    file = tmp_path / "new.key"

    answer = cli("checkpoint", "--generate-key", "ci", "--key-out", str(file), "--json")

    (row,) = answer.rows
    assert row.keys() == {"file", "name", "id", "verifier"}
    assert "PRIVATE" not in answer.out + answer.err


def test_a_key_can_be_made_where_no_repository_is(tmp_path, cli):
    assert cli("checkpoint", "--generate-key", "ci", "--key-out", "ci.key", cwd=tmp_path).status == 0
    assert (tmp_path / "ci.key").exists()


def test_no_key_is_written_over_another(cli, key):
    file, _ = key
    before = file.read_bytes()

    answer = cli("checkpoint", "--generate-key", "example.com/audit", "--key-out", str(file))

    assert answer.status == 2
    assert "exists already" in answer.err
    assert file.read_bytes() == before


def test_no_key_is_made_inside_of_the_repository(repo, cli):
    answer = cli("checkpoint", "--generate-key", "ci", "--key-out", "ci.key")

    assert answer.status == 2
    assert "inside the repository" in answer.err
    assert not (repo.path / "ci.key").exists()


def test_a_key_inside_of_the_repository_is_not_used(seal, repo, cli, key):
    seal()
    shutil.copy2(key[0], repo.path / "audit.key")

    answer = cli("checkpoint", "--sign", "audit.key")

    assert answer.status == 2
    assert "inside the repository" in answer.err


def test_a_key_that_others_can_read_is_not_used(seal, cli, key):
    file, _ = key
    file.chmod(0o644)
    seal()

    answer = cli("checkpoint", "--sign", str(file))

    assert answer.status == 2
    assert f"next: chmod 600 {file}" in answer.err


@pytest.mark.parametrize("content", [b"", b"\xff\x00", b"PRIVATE+KEY+a+b+c", b"x" * 100_000])
def test_a_file_that_holds_no_key_is_refused(seal, cli, tmp_path, content):
    seal()
    file = tmp_path / "no.key"
    file.write_bytes(content)
    file.chmod(0o600)

    assert cli("checkpoint", "--sign", str(file)).status == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["--generate-key", "ci"],
        ["--key-out", "ci.key"],
        ["--generate-key", "ci", "--key-out", "ci.key", "--sign", "x"],
        ["--generate-key", "two words", "--key-out", "../ci.key"],
        ["--generate-key", "ci", "--key-out", "../missing/ci.key"],
        ["--sign", "../missing.key"],
        ["--sign", "/"],
    ],
)
def test_what_does_not_go_together_is_refused(seal, cli, arguments):
    seal()

    answer = cli("checkpoint", *arguments)

    assert answer.status == 2
    assert answer.err.startswith("error: ")


def test_without_the_optional_package_the_way_to_it_is_told(seal, cli, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    seal()

    answer = cli("checkpoint", "--generate-key", "ci", "--key-out", str(tmp_path / "ci.key"))

    assert answer.status == 2
    assert "next: pip install 'linetrail[sign]'" in answer.err
    assert cli("checkpoint").status == 0


def test_branches_that_sealed_apart_have_two_heads(seal, cli, repo, agent, tmp_path):
    seal()
    other = Repo(tmp_path / "other")
    shutil.copytree(repo.path / ".orchestration", other.path / ".orchestration")
    seal()
    (other.path / ".orchestration" / "agent_trace.jsonl").write_bytes(b"")
    type(agent("x"))(other, "elsewhere", "claude-model-x").prompt("on the other branch")
    Ledger(find(str(other.path))).seal()
    shutil.copytree(
        other.path / ".orchestration" / "segments", repo.path / ".orchestration" / "segments", dirs_exist_ok=True
    )

    (row,) = cli("checkpoint", "--json").rows

    assert (row["size"], len(row["heads"])) == (3, 2)
