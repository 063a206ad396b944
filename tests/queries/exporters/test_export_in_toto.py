"""A statement about a commit says who wrote its lines as `blame` does, and is the same bytes wherever it is made."""

import base64
import hashlib
import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from jsonschema import Draft202012Validator, FormatChecker

from linetrail.ledger.log import signed_notes
from linetrail.queries.exporters.statement import PREDICATE_TYPE

pytestmark = pytest.mark.in_turn

SCHEMA = Path(__file__).resolve().parents[3] / "docs" / "interop" / "agent-provenance-v1.schema.json"


@pytest.fixture(scope="module")
def validator():
    return Draft202012Validator(json.loads(SCHEMA.read_text()), format_checker=FormatChecker())


@pytest.fixture
def history(repo, agent, cli):
    """Return a function that makes a commit of a person and one of an agent, and seals the ledger."""

    def run():
        repo.commit("first", {"a.py": "by = 'hand'\nmore = 1\n"})
        session = agent()
        session.prompt("do it")
        session.write("b.py", "one = 1\ntwo = 2\nthree = 3\n")
        repo.commit("second")
        assert cli("seal").status == 0

    return run


@pytest.fixture
def stated(cli, validator):
    """Return a function that exports a statement and holds it against the schema."""

    def run(*options, cwd=None):
        answer = cli("export", "in-toto", *options, cwd=cwd)
        assert answer.status == 0, answer.err
        statement = json.loads(answer.out)
        assert [error.message for error in validator.iter_errors(statement["predicate"])] == []
        return statement

    return run


@pytest.mark.slow
def test_a_statement_names_the_commit_and_the_segments(repo, history, stated):
    history()

    statement = stated()

    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == PREDICATE_TYPE == json.loads(SCHEMA.read_text())["$id"]
    commit, *segments = statement["subject"]
    assert commit == {"name": "commit", "digest": {"gitCommit": repo.git("rev-parse", "HEAD")}}
    assert segments
    for segment in segments:
        content = (repo.path / segment["name"]).read_bytes()
        assert segment["digest"] == {"sha256": hashlib.sha256(content).hexdigest()}


@pytest.mark.slow
def test_lines_are_counted_as_blame_answers(history, stated):
    history()

    predicate = stated()["predicate"]

    lines = predicate["lines"]
    assert (lines["total"], lines["ai"], lines["human"], lines["unknown"]) == (5, 3, 2, 0)
    assert (lines["presumed"], lines["mixed"], lines["coverage"]) == (2, 0, 1.0)
    assert lines["evidence"] == {"git": 2, "observed": 3}
    assert sum(lines["classes"].values()) == lines["ai"]
    (session,) = predicate["sessions"]
    assert (session["session_id"], session["agent_name"], session["lines"]) == ("session-1", "claude-code", 3)
    assert session["model_id"] == "anthropic/claude-model-x"


@pytest.mark.slow
def test_of_a_range_only_what_its_commits_brought_counts(repo, history, stated):
    history()

    statement = stated("--range", "HEAD~1..HEAD")

    assert statement["subject"][0]["digest"] == {"gitCommit": repo.git("rev-parse", "HEAD")}
    assert statement["predicate"]["range"] == "HEAD~1..HEAD"
    assert (statement["predicate"]["lines"]["total"], statement["predicate"]["lines"]["ai"]) == (3, 3)


@pytest.mark.slow
def test_the_ledger_is_told_with_its_heads_and_its_soundness(repo, history, stated):
    history()

    ledger = stated()["predicate"]["ledger"]

    assert ledger["heads"] == [path.stem for path in (repo.path / ".orchestration" / "segments").glob("*.jsonl")]
    assert (ledger["unsealed_events"], ledger["gaps"]) == (0, 0)
    assert ledger["verify"] == {"sound": True, "problems": {}}


@pytest.mark.slow
def test_damage_is_part_of_the_statement(repo, history, cli):
    history()
    (segment,) = (repo.path / ".orchestration" / "segments").glob("*.jsonl")
    segment.chmod(0o644)
    segment.write_bytes(segment.read_bytes().replace(b"do it", b"do IT"))

    answer = cli("export", "in-toto")

    assert answer.status == 3
    ledger = json.loads(answer.out)["predicate"]["ledger"]
    assert ledger["verify"]["sound"] is False
    assert ledger["verify"]["problems"]


@pytest.mark.slow
def test_an_unsigned_statement_says_so(history, cli):
    history()

    answer = cli("export", "in-toto")

    assert json.loads(answer.out)["predicate"]["producer"]["signed"] is False
    assert answer.err == "unsigned: sign it with --sign FILE\n"


@pytest.mark.slow
def test_what_is_not_sealed_is_said(repo, history, agent, cli):
    history()
    agent("session-2").prompt("more")

    answer = cli("export", "in-toto")

    assert json.loads(answer.out)["predicate"]["ledger"]["unsealed_events"] == 2
    assert "2 events are not sealed, so no subject has them\nnext: linetrail seal\n" in answer.err


@pytest.mark.slow
def test_a_signed_statement_can_be_checked_with_the_public_key(history, cli, tmp_path, validator):
    history()
    key = tmp_path / "key"
    public = cli("checkpoint", "--generate-key", "example.org/ci", "--key-out", str(key)).out.strip()

    answer = cli("export", "in-toto", "--sign", str(key))

    assert answer.err == "signed by example.org/ci\n"
    envelope = json.loads(answer.out)
    payload = base64.b64decode(envelope["payload"])
    (signature,) = envelope["signatures"]
    kind = envelope["payloadType"]
    assert kind == "application/vnd.in-toto+json"
    verifier = signed_notes.read_verifier(public)
    assert signature["keyid"] == f"example.org/ci+{verifier.id.hex()}"
    signed = f"DSSEv1 {len(kind)} {kind} {len(payload)} ".encode() + payload
    Ed25519PublicKey.from_public_bytes(verifier.public).verify(base64.b64decode(signature["sig"]), signed)
    predicate = json.loads(payload)["predicate"]
    assert predicate["producer"]["signed"] is True
    assert not list(validator.iter_errors(predicate))


@pytest.mark.slow
def test_a_key_inside_of_the_repository_is_refused(repo, history, cli):
    history()
    repo.write("key", "PRIVATE+KEY+x")

    answer = cli("export", "in-toto", "--sign", "key")

    assert answer.status == 2
    assert "inside the repository" in answer.err


@pytest.mark.slow
@pytest.mark.parametrize("signed", [False, True], ids=["bare", "signed"])
def test_a_clone_makes_the_same_bytes(repo, history, cli, tmp_path, signed):
    history()
    key = tmp_path / "key"
    cli("checkpoint", "--generate-key", "example.org/ci", "--key-out", str(key))
    repo.git("add", "--all", "--force", ".orchestration/segments")
    repo.commit("ledger")
    repo.git("clone", "--quiet", str(repo.path), str(tmp_path / "clone"))
    options = ["--sign", str(key)] if signed else []

    here = cli("export", "in-toto", *options).out
    there = cli("export", "in-toto", *options, cwd=tmp_path / "clone").out

    assert here == there
    assert here == cli("export", "in-toto", *options).out


def test_a_repository_without_a_commit_is_nothing_to_make_a_statement_about(repo, cli):
    repo.start_ledger()

    answer = cli("export", "in-toto")

    assert answer.status == 2
    assert answer.err == "error: no commit to make a statement about\nnext: git commit, then the same again\n"


@pytest.mark.slow
def test_a_ledger_without_an_event(repo, stated):
    repo.start_ledger()
    repo.commit("first", {"a.py": "one\n"})

    predicate = stated()["predicate"]

    assert (predicate["lines"]["ai"], predicate["sessions"], predicate["ledger"]["events"]) == (0, [], 0)
    assert predicate["ledger"]["first_event_at"] is None


@pytest.mark.slow
def test_what_an_audit_finds_is_counted_by_rule(history, stated):
    history()

    policy = stated()["predicate"]["policy"]

    assert policy["file"] is None
    assert policy["findings"] == dict(sorted(policy["findings"].items()))
    assert len(policy["findings_sha256"]) == 64
