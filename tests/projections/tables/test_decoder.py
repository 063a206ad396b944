"""The quick reader of lines and the slow one always say the same, and what this program writes is read quickly."""

import io
import json

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from linetrail.ledger.errors import EventError, FutureLedgerError, IntegrityError
from linetrail.ledger.event.event import (
    FIELDS,
    GENESIS,
    MAX_INT,
    MAX_LINE_BYTES,
    Agent,
    from_line,
    line_digest,
    to_line,
)
from linetrail.ledger.log.chain import START, Head, judge
from linetrail.ledger.repository import Vcs
from linetrail.projections.tables.decoder import Follower, sound
from linetrail.projections.tables.inspection import Lines
from tests.examples import examples
from tests.story import Story

pytestmark = pytest.mark.in_turn

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
keys = st.text(st.characters(max_codepoint=127), max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INT, MAX_INT) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
odd_values = (
    values | st.floats() | st.integers() | st.text(max_size=3) | st.dictionaries(st.text(max_size=3), st.floats())
)
SPELLINGS = st.sampled_from(
    [
        {"ensure_ascii": False, "separators": (",", ":")},
        {"ensure_ascii": True, "separators": (",", ":")},
        {"ensure_ascii": False, "separators": (", ", " : ")},
    ]
)
FRAGMENTS = [
    b"1.5", b"1.0", b"1e5", b"1E400", b"-0", b"-0.0", b"00", b"9007199254740991", b"9007199254740992",
    b"-9007199254740992", b"18446744073709551616", b"1" * 400, b"NaN", b"-Infinity", b"true", b"null", b'"a":1,"a":1',
    b'"a":1,', b'"type":"x",', "\"é\":1".encode(), "\"\u00e9\":1,".encode(), "é".encode(), b"\\u00e9", b"\\ud800",
    b"\\ud83d\\ude00", b"\\/", b"\\u0041", b"\\u000a", b"\\n", b"\xed\xa0\x80", b"\xff", b"\xc0\x80",
    b"\xef\xbb\xbf", b"\xf4\x90\x80\x80", b"\x00", b"\x7f", b"\xe2\x80\xa8", b" ", b"\t", b"\r", b"\n", b",", b":",
    b'"', b"\\", b"{", b"}", b"[", b"]", b"{}", b"[]", b"[" * 33 + b"]" * 33, b"[" * 30 + b"]" * 30,
    b"[" * 1500 + b"]" * 1500, b'{"a":' * 40 + b"1" + b"}" * 40, b"//", b"'",
]  # fmt: skip


@st.composite
def damaged(draw, line: bytes) -> bytes:
    """Return a line with something else at some place."""
    at = draw(st.integers(0, len(line)))
    cut = draw(st.sampled_from([0, 0, 1, 1, 2, 8]))
    put = draw(st.sampled_from(FRAGMENTS) | st.binary(max_size=3))
    return line[:at] + put + line[at + cut :]


@st.composite
def with_other_fields(draw, line: bytes) -> bytes:
    """Return a line whose envelope has another value somewhere, or another order."""
    record = json.loads(line)
    for _ in range(draw(st.integers(1, 2))):
        holder = draw(st.sampled_from([each for each in (record, record["agent"], record["vcs"]) if each]))
        field = draw(st.sampled_from([*holder, *FIELDS, "odd"]))
        if draw(st.booleans()):
            holder[field] = draw(odd_values | st.just(holder.get(field)))
        else:
            holder[field] = holder.pop(field, None)
        record = {"agent": None, "vcs": None} | record if draw(st.booleans()) else record
        if not isinstance(record["agent"], dict | None) or not isinstance(record["vcs"], dict | None):
            break
    return json.dumps(record, **draw(SPELLINGS)).encode(errors="surrogatepass") + b"\n"


@st.composite
def files(draw) -> list[bytes]:
    """Return lines that follow one another, most of them, and some that nobody should believe."""
    story = Story()
    for data in draw(st.lists(st.dictionaries(keys, values, max_size=4), min_size=1, max_size=4)):
        story.tell(
            "tool.requested", data, session=draw(texts | st.none()), agent=draw(st.sampled_from(["codex", None]))
        )
    lines: list[bytes] = []
    prev = GENESIS
    for seq, event in enumerate(story.events, 1):
        record = json.loads(to_line(event, seq, prev))
        line = json.dumps(record, **draw(SPELLINGS)).encode() + b"\n"
        kind = draw(st.sampled_from(["whole", "whole", "damaged", "fields"]))
        if kind == "damaged":
            line = draw(damaged(line))
        elif kind == "fields":
            line = draw(with_other_fields(line))
        lines.append(line)
        prev = line_digest(line)
    return lines


def followed_slowly(lines):
    head, ids, problems = START, [], []
    for raw in lines:
        line, problem = judge(raw, "file", head)
        if line is not None:
            ids.append(line.event.id)
        if problem is not None:
            problems.append(problem)
        head = Head(head.size + len(raw), (line and line.event.seq) or head.seq + 1, line_digest(raw))
    return head, ids, problems


def followed_quickly(lines):
    ids: list[str] = []
    follower = Follower("file", ids=ids)
    problems = list(follower.problems(lines))
    return follower.head, ids, problems


def followed_together(lines):
    ids: list[str] = []
    follower = Follower("file", ids=ids)
    try:
        follower.follow_together(lines)
    except (FutureLedgerError, IntegrityError) as problem:
        return problem
    return follower.head, ids


def first_problem_of(lines):
    head, ids, problems = followed_slowly(lines)
    return problems[0] if problems else (head, ids)


def outcome(follow, lines):
    try:
        head, ids, problems = follow(lines)
    except FutureLedgerError as error:
        return str(error)
    return head, ids, [(problem.offset, problem.code, str(problem)) for problem in problems]


@pytest.mark.slow
@settings(
    max_examples=examples(400), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(files())
@example([b'{"v":1}\n', b"\n", b"", b"[]\n", b"1\n"])
def test_both_readers_say_the_same(lines):
    assert outcome(followed_quickly, lines) == outcome(followed_slowly, lines)


@pytest.mark.slow
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(files())
def test_lines_followed_together_are_judged_as_one_after_another(lines):
    try:
        expected = first_problem_of(lines)
    except FutureLedgerError:
        assert isinstance(followed_together(lines), FutureLedgerError | IntegrityError)
        return

    assert str(followed_together(lines)) == str(expected)


@pytest.mark.parametrize(
    ("seq", "follows"), [pytest.param(2, False, id="the hash of another"), pytest.param(3, True, id="another number")]
)
def test_a_line_that_follows_in_one_respect_is_not_followed_together(seq, follows):
    story = Story()
    one, other = story.tell("tool.requested"), story.tell("tool.requested")
    first = to_line(one, 1, GENESIS)

    found = followed_together([first, to_line(other, seq, line_digest(first) if follows else GENESIS)])

    assert isinstance(found, IntegrityError)


@pytest.mark.soak
@settings(max_examples=5_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(files())
def test_both_readers_say_the_same_for_long(lines):
    assert outcome(followed_quickly, lines) == outcome(followed_slowly, lines)


def a_line(data=None, text="s1", kind="tool.requested"):
    story = Story()
    story.tell(kind, data or {"tool_name": "Edit", "n": 1}, session=text)
    return to_line(story.events[0], 1, GENESIS)


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=lambda fragment: repr(fragment[:12]))
def test_no_fragment_at_any_place_is_believed_by_one_reader_alone(fragment):
    line = a_line({"a": [1, {"b": "é"}], "n": 5})

    for at in range(len(line)):
        for cut in (0, 1):
            changed = line[:at] + fragment + line[at + cut :]
            if sound(changed) is not None:
                from_line(changed)  # raises where the slow reader refuses


class SlowLines(Lines):
    """An inspection that gives every line to the slow readers."""

    def _sound(self, *_):
        return None


def inspected(raw, kind):
    found = kind("file")
    try:
        return list(found.judge(io.BytesIO(raw), START)), found.head, found.ids, found.lost, found.unknown
    except FutureLedgerError as error:
        return str(error)


KEPT = [
    ("tool.failed", {"tool_name": "Édit", "operation": "edit", "exit_code": -1, "is_interrupt": True}),
    ("agent.signalled", {"signal": "x", "raw": '\u2028"\\\n\U0001f600', "received": {"file": "a", "line": 1}}),
    ("ledger.lost", {"lines": 3, "digest": "a" * 64}),
    ("ledger.missed", {"since": "2026-01-05T08:00:00.000000Z", "events": 4}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "data"), KEPT, ids=[kind for kind, _ in KEPT])
def test_an_inspection_says_what_its_slow_readers_say(kind, data):
    line = a_line(data, kind=kind)
    assert inspected(line, Lines)[0] == []

    for fragment in FRAGMENTS:
        for at in range(0, len(line), 5):
            for cut in (0, 1):
                changed = line[:at] + fragment + line[at + cut :]
                assert inspected(changed, Lines) == inspected(changed, SlowLines)
    for at in range(0, len(line) * 8, 3):
        flipped = bytearray(line)
        flipped[at // 8] ^= 1 << at % 8
        assert inspected(bytes(flipped), Lines) == inspected(bytes(flipped), SlowLines)


def test_no_flipped_bit_is_believed_by_one_reader_alone():
    line = a_line({"tool_name": "Édit", "n": 15, "ok": True, "list": [1, None]})

    for at in range(len(line) * 8):
        changed = bytearray(line)
        changed[at // 8] ^= 1 << at % 8
        if sound(bytes(changed)) is not None:
            from_line(bytes(changed))


ENVELOPE = [("", field) for field in FIELDS] + [("agent", field) for field in Agent._fields] + [
    ("vcs", field) for field in Vcs._fields
]  # fmt: skip


@pytest.mark.parametrize(("holder", "field"), ENVELOPE)
def test_no_other_kind_of_value_in_the_envelope_is_believed_by_one_reader_alone(holder, field):
    for value in (None, True, 0, 1, 2, -1, 1.0, 2**53, "", "é", [], ["x"], {}, {"name": "x"}, {"é": 1}, "gone"):
        record = json.loads(a_line())
        part = record[holder] if holder else record
        part[field] = value
        if value == "gone":
            del part[field]
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

        if sound(line) is not None:
            from_line(line)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(a_line(), id="an ordinary line"),
        pytest.param(a_line({"excerpt": 'naïve — 漢字 😀 "x" \\ \t\u2028\x7f'}), id="other characters"),
        pytest.param(a_line({"files": [{"hunks": [{"edited": [[1, 2]], "line_hashes": ["a"]}]}]}), id="hunks"),
        pytest.param(a_line({"n": MAX_INT, "m": -MAX_INT}), id="the largest integers"),
        pytest.param(a_line({"x": "y" * (MAX_LINE_BYTES - len(a_line({"x": ""})))}), id="the longest line"),
    ],
)
def test_a_line_that_this_program_writes_is_read_quickly(line):
    assert sound(line) is not None


def test_a_line_that_nothing_is_known_about_is_read_slowly_and_well():
    deep = a_line({"a": [[[[[[[[[[[[1]]]]]]]]]]]]})

    assert sound(deep) is None
    assert Follower("file").follow([deep]) == Head(len(deep), 1, line_digest(deep))


def test_following_stops_at_the_first_line_that_does_not_follow():
    line = a_line()
    follower = Follower("file")

    with pytest.raises(IntegrityError) as refused:
        follower.follow([line, line])

    assert (refused.value.offset, refused.value.code) == (len(line), "BROKEN_CHAIN")


def test_lines_may_come_in_several_goes():
    story = Story()
    for _ in range(3):
        story.tell("session.ended", {"reason": "exit"})
    prev, lines = GENESIS, []
    for seq, event in enumerate(story.events, 1):
        lines.append(to_line(event, seq, prev))
        prev = line_digest(lines[-1])
    follower = Follower("file")

    follower.follow(lines[:1])
    follower.follow(lines[1:])

    assert follower.head == Follower("file").follow(lines)


def test_the_slow_reader_is_the_one_who_refuses():
    with pytest.raises(EventError, match=r"1\.5 is not an integer"):
        from_line(a_line().replace(b'"n":1', b'"n":1.5'))
    with pytest.raises(IntegrityError, match=r"1\.5 is not an integer"):
        Follower("file").follow([a_line().replace(b'"n":1', b'"n":1.5')])
