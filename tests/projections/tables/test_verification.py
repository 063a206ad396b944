"""What was acknowledged is there byte for byte, or it is said what is not; honest histories are never accused."""

import hashlib
import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.ledgers import write
from linetrail.ledger.event.event import GENESIS, line_digest, to_line
from linetrail.ledger.log import segments
from linetrail.ledger.log.chain import START, Line
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from linetrail.projections.tables import inspection, verification
from linetrail.projections.tables.inspection import judge_segment
from linetrail.projections.tables.verification import examine
from tests.histories import Branch, History, event, ordered

pytestmark = pytest.mark.in_turn


def codes(branch):
    return [problem.code for problem in examine(branch.repository, full=True).problems]


def test_a_sealed_ledger_is_sound(sealed):
    report = examine(sealed.repository)

    assert report.problems == []
    assert (report.events, len(report.sound), report.read, report.tail.seq) == (13, 3, 3, 1)


@pytest.mark.promise("T1")
def test_every_flipped_bit_of_a_segment_is_noticed(sealed, figure):
    name = ordered(sealed)[1]
    content = sealed.file(name).read_bytes()

    for bit in range(0, len(content) * 8, 5):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        assert "WRONG_NAME" in [found.code for found in judge_segment(name, bytes(changed), "file").problems]

    figure("every fifth bit of one segment")


@pytest.mark.fault
@pytest.mark.promise("T1")
def test_every_single_flipped_bit_on_the_disk_is_noticed(sealed, figure):
    file = sealed.file(ordered(sealed)[1])
    content = file.read_bytes()

    for bit in range(len(content) * 8):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        file.write_bytes(changed)
        assert "WRONG_NAME" in codes(sealed), bit

    figure(f"{len(content) * 8:,} of {len(content) * 8:,} bits")


def flip(luck, branch, file):
    content = bytearray(file.read_bytes())
    content[luck.randrange(len(content))] ^= 1 << luck.randrange(8)
    file.write_bytes(content)


def drop(luck, branch, file):
    lines = file.read_bytes().splitlines(keepends=True)
    del lines[luck.randrange(len(lines))]
    file.write_bytes(b"".join(lines))


def insert(luck, branch, file):
    lines = file.read_bytes().splitlines(keepends=True)
    at = luck.randrange(len(lines) + 1)
    lines.insert(at, to_line(event(str(luck.random())), at, line_digest(lines[at - 1]) if at else GENESIS))
    file.write_bytes(b"".join(lines))


def double(luck, branch, file):
    lines = file.read_bytes().splitlines(keepends=True)
    at = luck.randrange(len(lines))
    lines.insert(at, lines[at])
    file.write_bytes(b"".join(lines))


def swap(luck, branch, file):
    lines = file.read_bytes().splitlines(keepends=True)
    first, second = luck.sample(range(len(lines)), 2)
    lines[first], lines[second] = lines[second], lines[first]
    file.write_bytes(b"".join(lines))


def edit(luck, branch, file):
    content = file.read_bytes()
    start = luck.randrange(len(content))
    file.write_bytes(content[:start] + luck.randbytes(luck.randrange(1, 9)) + content[start + luck.randrange(3) :])


def truncate(luck, branch, file):
    os.truncate(file, luck.randrange(file.stat().st_size))


def copy(luck, branch, file):
    shutil.copy(
        file, file.with_name(luck.choice([f"{luck.randbytes(32).hex()}.jsonl", "copy.jsonl", f"{file.name}.jsonl"]))
    )


def rename(luck, branch, file):
    file.rename(file.with_name(f"{luck.randbytes(32).hex()}.jsonl"))


def exchange(luck, branch, file):
    other = branch.file(luck.choice([name for name in ordered(branch) if name != file.stem]))
    content = file.read_bytes()
    file.write_bytes(other.read_bytes())
    other.write_bytes(content)


def header(luck, branch, file):
    opening, lines = file.read_bytes().split(b"\n", 1)
    word = luck.choice([b'"first":', b'"last":', b'"bytes":', b'"redaction":', b'"seq":'])
    file.write_bytes(opening.replace(word, word + b"1") + b"\n" + lines)


def delete(luck, branch, file):
    file.unlink()


def link(luck, branch, file):
    aside = file.parent.parent / "aside"
    file.rename(aside)
    file.symlink_to(aside)


MUTATIONS = (flip, drop, insert, double, swap, edit, truncate, copy, rename, exchange, header, delete, link)


def mutate(branch, seed):
    """Change the ledger at random, look whether that is noticed, and change it back."""
    luck = random.Random(seed)
    kept = {branch.file(name): branch.file(name).read_bytes() for name in segments.names(branch.folder)}
    mutation = MUTATIONS[seed % len(MUTATIONS)]
    mutation(luck, branch, luck.choice(sorted(kept)))
    files = [file for file in branch.file("x").parent.iterdir() if not file.is_symlink()]
    changed = {file: file.read_bytes() for file in files} != kept
    found = codes(branch)
    shutil.rmtree(branch.file("x").parent)
    branch.file("x").parent.mkdir()
    for file, content in kept.items():
        file.write_bytes(content)
    (branch.root / ".orchestration" / "aside").unlink(missing_ok=True)
    assert bool(found) == changed, f"seed {seed}: {mutation.__name__}: {found}"


@pytest.mark.promise("T1")
def test_a_change_of_any_kind_is_noticed(sealed, figure):
    for seed in range(10 * len(MUTATIONS)):
        mutate(sealed, seed)

    assert codes(sealed) == []
    figure(f"{10 * len(MUTATIONS)} of {10 * len(MUTATIONS)} random changes")


@pytest.mark.fault
@pytest.mark.promise("T1")
def test_ten_thousand_changes_are_noticed(sealed, figure):
    for seed in range(10_000):
        mutate(sealed, seed)

    figure("10,000 of 10,000 random changes")


@pytest.mark.promise("T1")
@pytest.mark.parametrize(
    "histories", [pytest.param(25, id="a few"), pytest.param(10_000, id="many", marks=pytest.mark.fault)]
)
def test_no_honest_history_is_accused(tmp_path, figure, histories):
    for seed in range(histories):
        history = History(tmp_path / str(seed), f"honest {seed}")
        for branch in (history.run(12), *history.branches[1:]):
            report = examine(branch.repository)
            with Ledger(branch.repository).extent() as extent:
                assert (report.problems, extent.damage) == ([], ()), f"seed {seed}"
        assert {line.event.id for line in Ledger(history.branches[0].repository).read()} == history.sealed
        shutil.rmtree(tmp_path / str(seed))

    figure(f"0 of {histories:,} honest histories accused")


def test_damage_in_one_segment_hides_none_in_another(sealed):
    first, second, third = ordered(sealed)
    sealed.file(first).unlink()
    sealed.file(second).write_bytes(sealed.file(second).read_bytes().replace(b"1-2", b"7-7"))
    sealed.file(third).write_bytes(sealed.file(third).read_bytes()[:-1])

    found = examine(sealed.repository).problems

    assert {(os.path.basename(problem.file)[:64], problem.code) for problem in found} >= {
        (second, "WRONG_NAME"),
        (second, "BROKEN_CHAIN"),
        (third, "WRONG_NAME"),
    }


def test_a_missing_parent_is_named(sealed):
    sealed.file(ordered(sealed)[0]).unlink()

    assert "SEGMENT_MISSING" in codes(sealed)


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"


@pytest.mark.daily(18)
@pytest.mark.parametrize(
    ("content", "code"),
    [
        pytest.param(b"", "WRONG_NAME", id="nothing"),
        pytest.param(b"\0" * 5_000, "WRONG_NAME", id="a hole"),
        pytest.param(b"\xff\xfe\n" * 9, "WRONG_NAME", id="no text"),
        pytest.param(b"[" * 100_000, "WRONG_NAME", id="a hundred thousand brackets"),
        pytest.param(b"<<<<<<< HEAD\n", "WRONG_NAME", id="a conflict"),
        pytest.param(
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
            "LFS_POINTER",
            id="a pointer of git LFS",
        ),
        pytest.param(b'{"v":9}\n', "WRONG_NAME", id="a line of the future"),
    ],
)
@pytest.mark.promise("T6")
def test_hostile_content_is_judged(sealed, content, code):
    sealed.file(ordered(sealed)[0]).write_bytes(content)

    assert code in codes(sealed)


def test_a_pipe_under_the_name_of_a_segment_is_not_opened(sealed):
    os.mkfifo(sealed.file("f" * 64))

    assert "FOREIGN_FILE" in codes(sealed)


def forge(branch, events, replace):
    """Write a segment that is named rightly and says what it should not."""
    lines, prev = [], GENESIS
    for seq, each in enumerate(events, 1):
        raw = to_line(each, seq, prev)
        lines.append(Line(0, raw, each._replace(seq=seq, prev=prev)))
        prev = line_digest(raw)
    segment, content = segments.compose(lines, [])
    for old, new in replace.items():
        assert content.count(old), content
        content = content.replace(old, new)
    name = hashlib.sha256(content).hexdigest()
    segments.keep(branch.folder, segment._replace(name=name), content)
    return name


@pytest.mark.parametrize(
    ("replace", "code"),
    [
        pytest.param({b'"bytes":': b'"bytes":1'}, "UNTRUE_HEADER", id="another number of bytes"),
        pytest.param({b"[]": b'["' + b"0" * 64 + b'"]'}, "SEGMENT_MISSING", id="a parent nobody has"),
        pytest.param({b'"last":2': b'"last":3'}, "LINES_MISSING", id="one line more"),
        pytest.param({b'"first":1': b'"first":2', b'"last":2': b'"last":3'}, "BROKEN_CHAIN", id="another place"),
        pytest.param({b'"length":1': b'"length":"1"'}, "SCHEMA_VIOLATION", id="a number in quotes"),
        pytest.param({b'"v":1,': b'"v":true,'}, "UNREADABLE_SEGMENT", id="a version that is a truth"),
    ],
)
def test_a_forged_segment_with_the_right_name_is_judged(branch, replace, code):
    name = forge(branch, [event("a"), event("b", 1)], replace=replace)

    found = examine(branch.repository).problems

    assert code in [problem.code for problem in found], found
    assert code == "SEGMENT_MISSING" or {os.path.basename(problem.file)[:64] for problem in found} == {name}


def test_fields_that_only_a_newer_version_knows_are_counted(branch):
    forge(branch, [event("a")], replace={b'"length":1': b'"length":1,"mood":"good"'})
    found = examine(branch.repository)

    # The chain inside is right only because the changed line is the last: its digest in the header is not.
    assert "SCHEMA_VIOLATION" not in [problem.code for problem in found.problems]
    assert found.unknown == 1


def test_the_same_event_on_two_branches_is_one(branch, tmp_path):
    other = Branch(tmp_path / "other")
    for each in (branch, other):
        each.append([event(each.root.name, 1), event("transcript", 2)], seal=True)
    branch.take(other)

    report = examine(branch.repository)

    assert (report.problems, report.repeated) == ([], 1)
    assert examine(branch.repository).repeated == 1


@pytest.mark.parametrize("transcripts", range(6))
def test_what_repeats_is_counted_once_however_it_came(branch, tmp_path, settle, transcripts):
    for number in range(3):
        other = Branch(tmp_path / f"other {number} of {transcripts}")
        other.append([event(f"{other.root.name}", number), event(f"transcript {transcripts}", 2)], seal=True)
        branch.take(other)
        settle(branch)

        assert [examine(branch.repository).repeated for _ in range(2)] == [number, number]
    assert examine(branch.repository, full=True).repeated == 2


@pytest.mark.parametrize("changing", [0, 1])
def test_what_repeats_in_a_file_that_may_yet_change_is_counted_once(branch, tmp_path, settle, changing):
    other = Branch(tmp_path / "other")
    for each in (branch, other):
        each.append([event(each.root.name, 1), event("transcript", 2)], seal=True)
    branch.take(other)
    settle(branch)
    os.utime(branch.file(ordered(branch)[changing]), (2**32, 2**32))

    assert [examine(branch.repository).repeated for _ in range(3)] == [1, 1, 1]
    settle(branch)
    assert [examine(branch.repository).repeated for _ in range(2)] == [1, 1]


def test_an_id_with_two_contents_is_damage(branch, tmp_path):
    other = Branch(tmp_path / "other")
    for each in (branch, other):
        each.append([event("transcript", 2, text=each.root.name)], seal=True)
    branch.take(other)

    assert codes(branch) == ["ID_REUSED"]


def test_an_id_of_an_old_segment_is_not_given_to_another_event_later(branch, tmp_path, settle):
    branch.append([event("transcript", 2)], seal=True)
    settle(branch)
    assert examine(branch.repository).problems == []
    other = Branch(tmp_path / "other")
    other.append([event("transcript", 2, text="otherwise")], seal=True)
    branch.take(other)

    assert [problem.code for problem in examine(branch.repository).problems] == ["ID_REUSED"]
    assert [problem.code for problem in examine(branch.repository).problems] == ["ID_REUSED"]


@pytest.mark.slow
def test_many_bytes_are_judged_by_several_processes(sealed, monkeypatch):
    monkeypatch.setattr(verification, "PARALLEL_BYTES", 0)
    file = sealed.file(ordered(sealed)[1])
    file.write_bytes(file.read_bytes()[:-1])

    assert "WRONG_NAME" in codes(sealed)


def test_the_fast_reader_judges_as_the_slow_one_does(sealed, monkeypatch):
    content = sealed.file(ordered(sealed)[0]).read_bytes()
    fast = judge_segment(ordered(sealed)[0], content, "file")
    monkeypatch.setattr(inspection.Lines, "_sound", lambda *_: None)

    assert judge_segment(ordered(sealed)[0], content, "file") == fast
    assert fast.end != START


def test_unreadable_lines_in_the_spool_are_told(branch):
    spool = branch.root / ".orchestration" / "spool"
    spool.mkdir()
    (spool / "one.jsonl").write_bytes(b"{}\n")

    assert codes(branch) == ["UNREADABLE_LINE"]


@pytest.mark.promise("T6")
@given(content=st.binary(max_size=400) | st.binary(max_size=60).map(lambda end: b'{"v":1,"id":"' + end + b'"}\n'))
def test_any_bytes_under_their_own_hash_are_judged(content):
    name = hashlib.sha256(content).hexdigest()

    (found,) = judge_segment(name, content, "file").problems
    assert found.code in {"UNREADABLE_SEGMENT", "LFS_POINTER"}


fields = st.sampled_from(["parents", "first", "last", "follows", "digest", "bytes", "oldest_id", "newest_id"])
texts = st.text(max_size=70)
values = st.none() | st.booleans() | st.integers(-9, 9) | texts | st.lists(texts, max_size=3)


@pytest.mark.promise("T6")
@given(field=fields, value=values)
def test_a_header_that_says_anything_is_judged(field, value):
    raw = to_line(event("a"), 1, GENESIS)
    segment, content = segments.compose([Line(0, raw, event("a")._replace(seq=1, prev=GENESIS))], [])
    head, lines = content.split(b"\n", 1)
    told = json.loads(head)
    told["data"][field] = value
    forged = json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" + lines
    verdict = judge_segment(hashlib.sha256(forged).hexdigest(), forged, "file")

    assert bool(verdict.problems) == (forged != content)
    assert judge_segment(segment.name, content, "file").problems == ()


def work(root, rounds):
    """Record and seal, as hooks do meanwhile."""
    ledger = Ledger(find(root))
    for number in range(rounds):
        ledger.append([event(f"meanwhile {number}", number)])
        if number % 3 == 0:
            ledger.seal()


@pytest.mark.slow
def test_what_is_recorded_and_sealed_meanwhile_is_no_damage(repo):
    repo.start_ledger()
    repository = find(str(repo.path))
    process = multiprocessing.get_context("spawn").Process(target=work, args=(str(repo.path), 60))
    process.start()
    looks = 0
    while process.is_alive() or looks == 0:
        looks += 1
        with Ledger(repository).extent() as extent:
            assert (examine(repository).problems, extent.damage) == ([], ())
    process.join()

    assert process.exitcode == 0
    assert examine(repository).events == 60


@pytest.mark.fault
@pytest.mark.promise("T5")
def test_a_hundred_thousand_events_are_judged_in_little_memory(tmp_path, figure):
    (tmp_path / "git" / ".orchestration").mkdir(parents=True)
    write(100_000, tmp_path / "git" / ".orchestration" / "agent_trace.jsonl")
    Ledger(find(str(tmp_path / "git"))).seal()
    script = (
        "import re, sys; from linetrail.queries.cli import main; status = main(['-C', sys.argv[1], 'verify']);"
        "told = open('/proc/self/status', encoding='ascii').read();"
        "print(status, int(re.search('VmHWM:[^0-9]+([0-9]+)', told)[1]) // 1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "git")], capture_output=True, text=True, check=True
    )

    status, megabytes = map(int, done.stdout.splitlines()[-1].split())
    assert (status, megabytes < 200) == (0, True)
    figure(f"100,000 events in {megabytes} MB")
