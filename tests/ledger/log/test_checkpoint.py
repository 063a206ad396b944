"""A checkpoint stands for a set of segments: more of them are never wrong, fewer or others always are."""

import base64
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.errors import IntegrityError
from linetrail.ledger.event.event import GENESIS
from linetrail.ledger.log import checkpoint, merkle, signed_notes
from linetrail.ledger.log.segments import Segment, ancestors, heads
from linetrail.ledger.log.signed_notes import NoteError

pytestmark = pytest.mark.in_turn

ORIGIN = "example.com/project"
KEY = signed_notes.read_signer("PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")


def segment(label, *parents):
    """Return a segment whose name says nothing but that it is this one, as that of a hash does."""
    name = hashlib.sha256(label.encode()).hexdigest()
    parent_names = tuple(sorted(parent.name for parent in parents))
    return Segment(name, parent_names, first=1, last=1, follows=GENESIS, digest=name, oldest_id="a", newest_id="a")


def by_name(*segments):
    return {segment.name: segment for segment in segments}


def codes(problems):
    return [problem.code for problem in problems]


@st.composite
def histories(draw):
    """Return a history of segments, and the part of it that was there when a checkpoint was made."""
    made = []
    for number in range(draw(st.integers(1, 12))):
        parents = draw(st.sets(st.sampled_from(made), max_size=3)) if made else ()
        made.append(segment(str(number), *parents))
    now = by_name(*made)
    old = ancestors(now, draw(st.sets(st.sampled_from(sorted(now)), min_size=1)))
    return now, {name: now[name] for name in old}


ROOT, OTHER_ROOT = segment("root"), segment("other root")
LEFT, RIGHT = segment("left", ROOT), segment("right", ROOT)
JOIN = segment("join", LEFT, RIGHT)
ALL = by_name(ROOT, LEFT, RIGHT, JOIN)
BRANCHES = by_name(ROOT, LEFT, RIGHT)


@pytest.fixture
def text():
    return checkpoint.render(checkpoint.compose(BRANCHES, ORIGIN))


@pytest.mark.promise("T4")
def test_it_is_the_lines_of_a_transparency_log_and_its_heads(text):
    root = merkle.root(bytes.fromhex(name) for name in sorted(BRANCHES))

    assert text.decode().split("\n") == [
        ORIGIN,
        "3",
        base64.b64encode(root).decode(),
        *sorted([f"head {LEFT.name}", f"head {RIGHT.name}"]),
        "",
    ]


@pytest.mark.promise("T4")
def test_the_published_example_of_a_log_is_read():
    # c2sp.org/tlog-checkpoint
    origin, size, root = "example.com/behind-the-sofa", 20852163, "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="
    line = f"— {origin} Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8="

    read = checkpoint.parse(f"{origin}\n{size}\n{root}\n\n{line}\n".encode())

    assert (read.origin, read.size, base64.b64encode(read.root).decode(), read.heads) == (origin, size, root, ())
    assert read.signers == (origin,)


@given(histories())
def test_it_holds_for_every_later_state(history):
    now, old = history
    content = checkpoint.render(checkpoint.compose(old, ORIGIN))

    assert checkpoint.judge(content, now, file="c") == []


@pytest.mark.promise("T2")
@given(histories(), st.data())
def test_a_segment_that_went_away_is_missed(history, data):
    now, old = history
    content = checkpoint.render(checkpoint.compose(old, ORIGIN))
    gone = data.draw(st.sampled_from(sorted(old)))

    problems = checkpoint.judge(content, {name: now[name] for name in now if name != gone}, file="c")

    assert codes(problems) == ["CHECKPOINT_SEGMENT_MISSING"]
    assert gone in problems[0].message


@pytest.mark.promise("T2")
@given(histories(), st.data())
def test_a_history_without_the_latest_segments_is_noticed(history, data):
    now, old = history
    content = checkpoint.render(checkpoint.compose(now, ORIGIN))

    problems = checkpoint.judge(content, old, file="c")

    assert set(codes(problems)) == ({"CHECKPOINT_SEGMENT_MISSING"} if heads(old) != heads(now) else set())


@pytest.mark.promise("T6")
@given(histories(), st.data())
def test_whatever_is_changed_in_a_signed_checkpoint_shows(history, data):
    now, old = history
    content = checkpoint.render(checkpoint.compose(old, ORIGIN, signer=KEY))
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(start + 70, len(content))))
    changed = content[:start] + data.draw(st.binary(max_size=3)) + content[end:]

    problems = checkpoint.judge(changed, now, file="c", verifier=KEY.verifier)

    assert bool(problems) == (changed != content)
    assert all(0 <= problem.offset <= len(changed) for problem in problems)


@pytest.mark.promise("T6")
@given(st.binary(max_size=200) | st.text(alphabet="\n— 01234head", max_size=80).map(str.encode))
def test_whatever_else_stands_in_the_file_is_judged(content):
    assert checkpoint.judge(content, ALL, file="c")


def test_a_parent_that_is_gone_is_named_with_its_child(text):
    problems = checkpoint.judge(text, by_name(LEFT, RIGHT), file="c")

    assert codes(problems) == ["CHECKPOINT_SEGMENT_MISSING"]
    assert ROOT.name in problems[0].message
    assert "git log --all" in problems[0].message


def test_a_head_that_is_gone_is_named_with_its_line(text):
    problems = checkpoint.judge(text, by_name(ROOT, LEFT), file="c")

    assert codes(problems) == ["CHECKPOINT_SEGMENT_MISSING"]
    assert text[problems[0].offset :].startswith(f"head {RIGHT.name}".encode())


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: text.replace(b"\n3\n", b"\n2\n"), id="another number"),
        pytest.param(lambda text: text.replace(b"\n3\n", b"\n4\n"), id="a higher number"),
        pytest.param(lambda text: text.replace(f"head {LEFT.name}\n".encode(), b""), id="a head taken out"),
        pytest.param(lambda text: text.replace(text.split(b"\n")[2], base64.b64encode(bytes(32))), id="another root"),
    ],
)
def test_lines_that_do_not_fit_together_are_told_with_both_sides(text, change):
    problems = checkpoint.judge(change(text), ALL, file="c")

    assert codes(problems) == ["CHECKPOINT_ROOT_MISMATCH"]
    assert "expected" in problems[0].message
    assert "found" in problems[0].message


def test_no_segments_at_all_are_part_of_every_ledger():
    assert checkpoint.judge(checkpoint.render(checkpoint.compose({}, ORIGIN)), ALL, file="c") == []


@pytest.mark.parametrize(
    ("content", "offset"),
    [
        pytest.param(b"", 0, id="nothing"),
        pytest.param(b"a\n1\n", 0, id="too few lines"),
        pytest.param(b"a\n01\n" + base64.b64encode(bytes(32)) + b"\n", 2, id="a number with a zero before it"),
        pytest.param("a\n\u0661\n".encode() + base64.b64encode(bytes(32)) + b"\n", 2, id="digits of another script"),
        pytest.param(b"a\n1\nnothing\n", 4, id="no root"),
        pytest.param(b"a\n1\n" + base64.b64encode(bytes(31)) + b"\n", 4, id="a short root"),
        pytest.param(b"a\n1\n" + base64.b64encode(bytes(32)) + b"\nhead 12\n", 49, id="half a head"),
        pytest.param(b"a\n1\n" + base64.b64encode(bytes(32)), 0, id="no newline"),
        pytest.param(b"a\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> other\n", 2, id="a conflict"),
    ],
)
def test_what_is_no_checkpoint_is_told_with_its_place(content, offset):
    problems = checkpoint.judge(content, ALL, file="c")

    assert [(problem.code, problem.offset) for problem in problems] == [("CHECKPOINT_MALFORMED", offset)]


def test_heads_have_one_order(text):
    lines = text.splitlines(keepends=True)

    with pytest.raises(NoteError):
        checkpoint.parse(b"".join([*lines[:3], lines[4], lines[3]]))


def test_lines_of_a_later_version_are_left_alone(text):
    assert checkpoint.judge(text + b"later 1\n", ALL, file="c") == []


def test_a_missing_signature_is_a_problem_only_with_a_key(text):
    assert checkpoint.parse(text).signers == ()
    assert checkpoint.judge(text, ALL, file="c") == []
    assert codes(checkpoint.judge(text, ALL, file="c", verifier=KEY.verifier)) == ["CHECKPOINT_SIGNATURE_INVALID"]


def test_a_signature_by_another_key_is_not_the_one_asked_for():
    other = signed_notes.generate("example.com/other")
    content = checkpoint.render(checkpoint.compose(ALL, ORIGIN, signer=other))

    problems = checkpoint.judge(content, ALL, file="c", verifier=KEY.verifier)

    assert codes(problems) == ["CHECKPOINT_SIGNATURE_INVALID"]
    assert "PeterNeumann" in problems[0].message
    assert "example.com/other" in problems[0].message


def test_signatures_stay_while_the_lines_are_the_same():
    first = checkpoint.compose(ALL, ORIGIN, signer=KEY)
    other = signed_notes.generate("example.com/other")

    both = checkpoint.compose(ALL, ORIGIN, before=first, signer=other)

    assert both.signers == ("PeterNeumann", "example.com/other")
    assert checkpoint.compose(ALL, ORIGIN, before=both) == both
    assert sorted(checkpoint.compose(ALL, ORIGIN, before=both, signer=KEY).signers) == sorted(both.signers)
    assert checkpoint.compose(BRANCHES, ORIGIN, before=both).signers == ()


def test_a_ledger_is_called_what_it_was_called_before_else_after_its_first_segment():
    first = min(ROOT.name, OTHER_ROOT.name)
    before = checkpoint.compose(ALL, ORIGIN)

    assert checkpoint.origin(ALL, None) == f"linetrail/{ROOT.name[:16]}"
    assert checkpoint.origin(ALL | by_name(OTHER_ROOT), None) == f"linetrail/{first[:16]}"
    assert checkpoint.origin(ALL, before) == ORIGIN


@pytest.mark.parametrize("name", ["two words", "\x9b31m", "rtl\u202e"])
def test_a_name_that_steers_a_terminal_is_not_taken_over(name):
    before = checkpoint.compose(ALL, name)

    assert checkpoint.origin(ALL, before).startswith("linetrail/")


def test_it_is_kept_where_everybody_can_read_it_and_only_whole(tmp_path):
    folder = tmp_path / ".orchestration"
    made = checkpoint.compose(ALL, ORIGIN, signer=KEY)

    checkpoint.keep(str(folder), made)

    assert checkpoint.parse(checkpoint.read(str(folder))) == made
    assert (folder / "checkpoint").stat().st_mode & 0o777 == 0o644
    assert {file.name for file in folder.iterdir()} == {"checkpoint", "state"}


def test_where_there_is_none_there_is_nothing_to_read(tmp_path):
    assert checkpoint.read(str(tmp_path)) is None


def test_a_folder_in_its_place_is_damage(tmp_path):
    (tmp_path / "checkpoint").mkdir()

    with pytest.raises(IntegrityError) as caught:
        checkpoint.read(str(tmp_path))

    assert caught.value.code == "CHECKPOINT_MALFORMED"
