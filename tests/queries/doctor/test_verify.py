"""`linetrail verify`: damage is found, with its place, and nothing else is called damage."""

import hashlib
import shutil

import pytest


@pytest.fixture
def ledger(repo, agent):
    claude = agent()
    for n in range(5):
        claude.prompt(f"prompt {n}")
    return repo.path / ".orchestration" / "agent_trace.jsonl"


def test_a_whole_ledger_is_fine(ledger, cli):
    answer = cli("verify")

    assert (answer.status, answer.err) == (0, "")
    assert answer.out.startswith("ok: 6 events, each following the one before, up to ")


def test_an_empty_ledger_is_fine(repo, cli):
    repo.start_ledger()

    assert cli("verify", "--json").rows == []


@pytest.mark.parametrize(
    ("damage", "codes"),
    [
        pytest.param(lambda lines: [*lines[:2], *lines[3:]], ["BROKEN_CHAIN"], id="a line taken out"),
        pytest.param(lambda lines: [*lines[:3], lines[2], *lines[3:]], ["BROKEN_CHAIN"], id="a line doubled"),
        pytest.param(
            lambda lines: [*lines[:2], lines[2].replace(b"prompt 1", b"prompt 7"), *lines[3:]],
            ["BROKEN_CHAIN"],
            id="a word changed",
        ),
        pytest.param(lambda lines: [b"{}\n", *lines[1:]], ["UNREADABLE_LINE", "BROKEN_CHAIN"], id="a first line gone"),
    ],
)
def test_damage_is_told_with_its_place(ledger, cli, damage, codes):
    ledger.write_bytes(b"".join(damage(ledger.read_bytes().splitlines(keepends=True))))

    answer = cli("verify", "--json")

    assert answer.status == 3
    assert [row["code"] for row in answer.rows] == codes
    for row in answer.rows:
        assert row["file"] == str(ledger)
        assert ledger.read_bytes()[: row["offset"]].endswith(b"\n") or row["offset"] == 0


@pytest.mark.slow
def test_a_torn_tail_is_no_damage(ledger, cli):
    with ledger.open("ab") as file:
        file.write(b'{"v":1,')

    assert cli("verify").status == 0


@pytest.mark.slow
def test_a_person_is_told_where_and_what_to_do(ledger, cli):
    ledger.write_bytes(ledger.read_bytes().replace(b"prompt 1", b"prompt 7"))

    answer = cli("verify")

    assert "BROKEN_CHAIN" in answer.out
    assert "keep a copy of the file" in answer.err


@pytest.mark.daily(1)
@pytest.mark.parametrize("options", [["--base", "main"], ["--key", "x"], ["--checkpoint", "nowhere"]])
def test_options_that_mean_nothing_are_refused(ledger, cli, options):
    answer = cli("verify", *options)

    assert answer.status == 2
    assert answer.err.startswith("error: ")


@pytest.mark.slow
def test_every_problem_has_a_next_command(ledger, cli, repo):
    cli("seal")
    (segment,) = (repo.path / ".orchestration" / "segments").iterdir()
    segment.write_bytes(segment.read_bytes()[:-1])
    (segment.parent / "copy.jsonl").write_bytes(b"")
    answer = cli("verify", "--json")

    found = {row["code"]: row["next"] for row in answer.rows}
    assert (found["WRONG_NAME"], found["FOREIGN_FILE"]) == ("linetrail restore", "move it out of the folder")
    assert all(found.values())


@pytest.mark.slow
def test_what_is_sealed_is_counted_in_the_order_of_everything(ledger, cli, agent):
    cli("seal")
    agent("session-2").prompt("one more")

    assert cli("verify").out.startswith("ok: 8 events in 1 segment and the tail, each following the one before, up to ")


@pytest.mark.slow
@pytest.mark.parametrize("signed", [True, False])
def test_a_checkpoint_that_was_kept_elsewhere_must_be_signed_with_the_key(ledger, cli, tmp_path, signed):
    pytest.importorskip("cryptography")
    private, kept = tmp_path / "key", tmp_path / "kept"
    public = cli("checkpoint", "--generate-key", "example.com/audit", "--key-out", str(private)).out.strip()
    cli("seal")
    kept.write_text(cli("checkpoint", *(["--sign", str(private)] if signed else [])).out)

    answer = cli("verify", "--checkpoint", str(kept), "--key", public, "--json")

    assert [row["code"] for row in answer.rows] == ([] if signed else ["CHECKPOINT_SIGNATURE_INVALID"])


@pytest.fixture
def future(ledger, repo, cli, agent):
    """Return a segment of a newer linetrail beside one that goes on behind it; the tail is of ours."""
    cli("seal")
    (sealed,) = (ledger.parent / "segments").iterdir()
    content = sealed.read_bytes().replace(b'{"v":1,', b'{"v":2,')
    newer = sealed.with_name(f"{hashlib.sha256(content).hexdigest()}.jsonl")
    agent("session-2").prompt("ours")
    cli("seal")
    (ours,) = set(sealed.parent.iterdir()) - {sealed}
    content_of_ours = ours.read_bytes().replace(sealed.stem.encode(), newer.stem.encode())
    ours.unlink()
    sealed.unlink()
    newer.write_bytes(content)
    ours.with_name(f"{hashlib.sha256(content_of_ours).hexdigest()}.jsonl").write_bytes(content_of_ours)
    shutil.rmtree(repo.path / ".git" / "linetrail" / "sealed")
    agent("session-3").prompt("in the tail")
    return newer


@pytest.mark.slow
@pytest.mark.parametrize("command", [["log"], ["status"], ["sql", "select 1"], ["rebuild"], ["rebuild", "--full"]])
def test_a_segment_of_a_newer_linetrail_is_left_out_and_named(future, cli, command):
    answer = cli(*command)

    assert (answer.status, answer.out != "") == (3, True)
    assert answer.err.count("error: ") == 1
    assert f"{future}: offset 0: written by a newer linetrail: " in answer.err
    assert answer.err.endswith("next: pip install --upgrade linetrail\n")


@pytest.mark.slow
def test_what_stands_beside_a_segment_of_a_newer_linetrail_is_there(future, cli, agent):
    agent("session-4").prompt("and goes on")
    rows = cli("log", "--type", "prompt", "--json").rows

    assert [row["session_id"] for row in rows] == ["session-4", "session-3", "session-2"]


@pytest.mark.slow
def test_verify_tells_a_segment_of_a_newer_linetrail_from_a_damaged_one(future, repo, cli):
    before = future.read_bytes()
    repo.commit("with segments")

    answer = cli("verify", "--strict", "--base", "main", "--json")
    restored = cli("restore")

    assert answer.status == 3
    assert [(row["file"], row["code"]) for row in answer.rows] == [(str(future), "FUTURE_SEGMENT")]
    assert answer.rows[0]["next"] == "pip install --upgrade linetrail"
    assert (restored.out, future.read_bytes()) == ("nothing is missing\n", before)


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--json"]], ids=["for a person", "as JSON"])
def test_a_status_of_what_is_damaged_ends_with_3_and_names_it(ledger, repo, cli, options):
    cli("seal")
    (segment,) = (ledger.parent / "segments").iterdir()
    (segment.parent / "copy.jsonl").write_bytes(b"")

    answer = cli("status", *options)

    assert (answer.status, answer.err.count("error: ")) == (3, 1)
    assert answer.err.endswith("next: linetrail verify\n")
    assert f"{segment.parent / 'copy.jsonl'}: offset 0: " in answer.err
    assert "FOREIGN_FILE" in answer.out


@pytest.mark.slow
def test_a_damage_that_answers_go_without_is_told_once(ledger, cli):
    cli("seal")
    (segment,) = (ledger.parent / "segments").iterdir()
    segment.write_bytes(segment.read_bytes()[:-1])

    answer = cli("status")

    assert (answer.status, answer.err.count("error: ")) == (3, 1)


@pytest.mark.slow
def test_each_problem_is_a_block_that_fits_a_terminal(ledger, cli, repo):
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join([b"{}\n", *lines[1:]]))

    told = cli("verify").out.splitlines()

    heads = [line for line in told if not line.startswith("  ")]
    assert heads == [
        "UNREADABLE_LINE  .orchestration/agent_trace.jsonl, byte 0",
        "BROKEN_CHAIN  .orchestration/agent_trace.jsonl, byte 3",
    ]
    assert len(told) > len(heads)
    assert max(map(len, told)) <= 80
