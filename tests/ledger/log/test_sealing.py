"""Sealing: what the tail held is in segments, byte for byte, and everything has one order everywhere."""

import hashlib
import itertools
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.errors import EventError, IntegrityError, StorageError
from linetrail.ledger.event.event import GENESIS, Event, from_line, line_digest, new_id, rfc3339, to_line
from linetrail.ledger.log import recent, segments
from linetrail.ledger.log.chain import FULL_BYTES, FULL_EVENTS, Line
from linetrail.ledger.log.segments import Segment
from linetrail.ledger.log.store import ALREADY, Ledger
from linetrail.ledger.log.tail import WINDOW
from linetrail.ledger.repository import find
from linetrail.projections.tables.verification import examine
from tests.faults.shim import until_none_fails

NOW = 1_760_000_000_000_000_000


def event(text="hello", at=0):
    now = NOW + at * 1_000_000
    return Event(new_id(now), rfc3339(now), "agent.signalled", "s", None, "unknown", None, None, {"signal": text})


@pytest.fixture
def ledger(repo):
    repo.start_ledger()
    return Ledger(find(str(repo.path)))


def texts(ledger):
    return [line.event.data.get("signal") for line in ledger.read()]


def headers(ledger):
    return segments.read_headers(ledger.folder)[0]


def test_what_was_sealed_last_is_found_from_the_end_as_far_as_may_be_read(ledger, monkeypatch):
    ledger.append([event("first", 1)])
    ledger.seal()
    ledger.append([event("second", 2)])
    tail = Path(ledger.tail_path()).stat().st_size

    both = list(recent.lines(ledger.repository))
    monkeypatch.setattr(recent, "MAX_BYTES", tail)
    few = list(recent.lines(ledger.repository))

    assert [text in b"".join(both) for text in (b"first", b"second")] == [True, True]
    assert [text in b"".join(few) for text in (b"first", b"second")] == [False, True]


def test_the_newest_id_is_that_of_the_last_of_two_segments_that_came_in_one_moment(ledger):
    folder, moment, found = Path(ledger.folder, segments.SEGMENTS), 2**62, []

    for one in (event("first", 1), event("second", 2)):
        ledger.append([one])
        ledger.seal()
        os.utime(folder, ns=(moment, moment))
        found.append((segments.newest_id(ledger.folder), one.id))

    assert [newest for newest, _ in found] == [expected for _, expected in found]


def test_the_lines_of_the_tail_are_in_the_segment_as_they_were(ledger):
    ledger.append([event("a"), event("b")])
    with open(ledger.path, "rb") as file:
        lines = file.read()

    (segment,) = ledger.seal()

    with open(segments.path(ledger.folder, segment.name), "rb") as file:
        content = file.read()
    assert hashlib.sha256(content).hexdigest() == segment.name
    assert content.partition(b"\n")[2] == lines
    assert os.path.getsize(ledger.path) == 0
    assert texts(ledger) == ["a", "b"]


def test_sealing_again_seals_nothing(ledger):
    ledger.append([event()])

    assert len(ledger.seal()) == 1
    assert ledger.seal() == []


def test_a_new_chain_begins_behind_a_segment_and_the_next_segment_names_it(ledger):
    ledger.append([event("a")])
    (first,) = ledger.seal()
    ledger.append([event("b")])

    (second,) = ledger.seal()

    assert (second.first, second.follows, second.parents) == (1, GENESIS, (first.name,))
    assert texts(ledger) == ["a", "b"]


def test_every_head_is_a_parent_so_that_branches_join(ledger, tmp_path):
    ledger.append([event("base")])
    ledger.seal()
    other = tmp_path / "other"
    shutil.copytree(find(ledger.folder).root, other)
    for number, root in enumerate([find(ledger.folder).root, str(other)]):
        Ledger(find(root)).append([event(f"branch {number}")])
        Ledger(find(root)).seal()
    for name in os.listdir(other / ".orchestration" / "segments"):
        shutil.copy(other / ".orchestration" / "segments" / name, os.path.join(ledger.folder, "segments", name))
    heads = segments.heads(headers(ledger))
    ledger.append([event("after the merge")])

    (joined,) = ledger.seal()

    assert len(heads) == 2
    assert list(joined.parents) == heads
    assert texts(ledger)[0] == "base"
    assert texts(ledger)[-1] == "after the merge"


@pytest.mark.in_turn
@pytest.mark.slow
@pytest.mark.parametrize("count", [FULL_EVENTS - 1, FULL_EVENTS, FULL_EVENTS + 1, 2 * FULL_EVENTS + 1])
def test_a_long_tail_becomes_segments_that_continue_one_another(ledger, count):
    ledger.append([event(str(number)) for number in range(count)])
    assert ledger.due == (count >= FULL_EVENTS)

    made = ledger.seal()

    assert [segment.events for segment in made] == [min(FULL_EVENTS, count - at) for at in range(0, count, FULL_EVENTS)]
    for before, after in itertools.pairwise(made):
        assert (after.first, after.follows, after.parents) == (before.last + 1, before.digest, (before.name,))
    assert texts(ledger) == [str(number) for number in range(count)]


@pytest.mark.slow
def test_no_segment_is_longer_than_it_may_be(ledger):
    big = "x" * 60_000
    for _ in range(3):
        ledger.append([event(big) for _ in range(40)])

    made = ledger.seal()

    assert [os.path.getsize(segments.path(ledger.folder, segment.name)) <= FULL_BYTES + 2_000 for segment in made]
    assert len(made) == 2


def test_what_a_crash_left_in_the_tail_is_not_counted_twice_and_not_sealed_twice(ledger):
    ledger.append([event("a"), event("b")])
    with open(ledger.path, "rb") as file:
        before = file.read()
    ledger.seal()
    # as if the process had died before the tail was emptied
    with open(ledger.path, "wb") as file:
        file.write(before)
    ledger.append([event("c")])

    assert texts(ledger) == ["a", "b", "c"]
    (rest,) = ledger.seal()
    assert (rest.first, rest.last) == (3, 3)
    assert texts(ledger) == ["a", "b", "c"]


def test_a_damaged_tail_is_not_sealed(ledger):
    ledger.append([event("a"), event("b"), event("c")])
    with open(ledger.path, "r+b") as file:
        file.seek(20)
        file.write(b"#")

    with pytest.raises(IntegrityError):
        ledger.seal()

    assert segments.names(ledger.folder) == []


def test_the_same_lines_with_the_same_parents_are_the_same_segment():
    lines, prev = [], GENESIS
    for number in range(3):
        raw = to_line(event(str(number)), number + 1, prev)
        lines.append(Line(0, raw, from_line(raw)))
        prev = line_digest(raw)

    assert segments.compose(lines, ["0" * 64]) == segments.compose(lines, ["0" * 64])
    assert segments.compose(lines, []) != segments.compose(lines, ["0" * 64])


@pytest.mark.slow
@pytest.mark.promise("I1", "I2")
def test_an_id_is_known_for_ever_across_sealing(ledger, figure):
    told = [event(str(number), at=number) for number in range(1_000)]
    ledger.append(told)
    ledger.seal()
    ledger.append([event("later", at=2_000)])

    receipts = [receipt for one in told for receipt in ledger.append([one])]
    with pytest.raises(EventError, match="other content"):
        ledger.append([told[7]._replace(session_id="another")])

    assert {receipt.outcome for receipt in receipts} == {ALREADY}
    assert len(texts(ledger)) == 1_001
    figure("1,000 of 1,000 sealed events known again, one with other content refused")


@pytest.mark.parametrize("before", [b'{"v":1,', b'"first":', b"\n"], ids=["begin", "field", "end"])
def test_an_id_is_known_in_a_segment_whose_header_is_damaged(ledger, before):
    told = [event(str(number), at=number) for number in range(3)]
    ledger.append(told)
    (segment,) = ledger.seal()
    path = Path(segments.path(ledger.folder, segment.name))
    path.write_bytes(path.read_bytes().replace(before, b"#" * len(before), 1))
    ledger.append([event("later", at=10)])

    receipts = [receipt for one in told[1:] for receipt in ledger.append([one])]
    with pytest.raises(EventError, match="other content"):
        ledger.append([told[2]._replace(session_id="another")])

    assert {receipt.outcome for receipt in receipts} == {ALREADY}


@pytest.mark.parametrize("times", [1, 2, 3])
def test_an_id_that_cannot_be_looked_for_is_an_error_of_the_disk(ledger, times):
    told = event("a")
    ledger.append([told])
    ledger.seal()
    # what is remembered of a folder that changed long ago is remembered from the first time on, whenever that is
    os.utime(os.path.join(ledger.folder, segments.SEGMENTS), ns=(0, 0))
    ledger.append([told])
    refused = []

    def again(fault):
        with fault.injected():
            try:
                outcomes = [receipt.outcome for receipt in ledger.append([told])]
            except StorageError as error:
                refused.append(error)
                return
        assert outcomes == [ALREADY]

    until_none_fails("open", "EIO", again, times)

    assert any(f"/{segments.SEGMENTS}/" in str(error) for error in refused)
    assert texts(ledger) == ["a"]


def test_what_waits_in_the_spool_is_sealed_too(ledger):
    ledger.spool([event("spooled")])

    ledger.seal()

    assert texts(ledger) == ["spooled"]
    assert os.listdir(os.path.join(ledger.folder, "spool")) == []


def test_a_file_that_is_no_segment_is_no_segment(ledger):
    ledger.append([event()])
    ledger.seal()
    folder = os.path.join(ledger.folder, "segments")
    for name in ("README", "a" * 64, "A" * 64 + ".jsonl", "b" * 63 + ".jsonl"):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("x")

    assert len(segments.names(ledger.folder)) == 1


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        pytest.param(b'"type":"ledger.sealed"', b'"type":"session.started"', "no header", id="another event"),
        pytest.param(b'"parents":[]', b'"parents":"x"', "no names of segments", id="parents that are a text"),
        pytest.param(b'"parents":[]', b'"parents":["x"]', "no names of segments", id="a parent that is none"),
        pytest.param(b'"first":1', b'"first":"1"', "which lines follow", id="a text for the first line"),
        pytest.param(b'"first":1', b'"first":2', "which lines follow", id="a first line behind the last"),
        pytest.param(b'"follows":"', b'"follows":"x', "where its lines end", id="a hash that is none"),
    ],
)
def test_a_header_that_does_not_say_what_it_must_is_damage(ledger, was, now, said):
    ledger.append([event()])
    (segment,) = ledger.seal()
    header, _, _ = segments.content(ledger.folder, segment)[0].partition(b"\n")
    assert header.count(was) == 1

    with pytest.raises(IntegrityError, match=said):
        segments.parse_header(header.replace(was, now) + b"\n", segment.name, "a file")


def test_an_altered_file_is_read_again_and_not_remembered(ledger):
    os.makedirs(os.path.join(ledger.folder, "cache"))
    ledger.append([event()])
    (segment,) = ledger.seal()
    path = segments.path(ledger.folder, segment.name)
    with open(path, "rb") as file:
        good = file.read()
    with open(path, "wb") as file:
        file.write(good.replace(b'"first":1', b'"first":9'))
    assert segments.read_headers(ledger.folder)[0] != {segment.name: segment}
    with open(path, "wb") as file:
        file.write(good)

    assert segments.read_headers(ledger.folder)[0] == {segment.name: segment}


@pytest.mark.in_turn
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pipe", "folder", "device"])
@pytest.mark.parametrize("place", ["tail", "segment"])
def test_nobody_waits_for_what_is_no_file(repo, ledger, cli, kind, place):
    ledger.append([event("a")])
    (segment,) = ledger.seal()
    path = ledger.path if place == "tail" else segments.path(ledger.folder, segment.name)
    os.unlink(path)
    {"pipe": os.mkfifo, "folder": os.mkdir, "device": lambda path: os.symlink("/dev/zero", path)}[kind](path)

    for command in ("log", "doctor", "seal"):
        assert cli(command).status in {0, 1, 2, 3}
    assert cli("verify").status in {2, 3}


@st.composite
def graphs(draw):
    """Segments whose parents are among those before them, by names that say nothing about that order."""
    count = draw(st.integers(1, 12))
    salt = draw(st.integers(0, 1_000))
    names = [hashlib.sha256(f"{salt} {number}".encode()).hexdigest() for number in range(count)]
    found = {}
    for at, name in enumerate(names):
        parents = tuple(sorted(draw(st.sets(st.sampled_from(names[:at]), max_size=3)))) if at else ()
        found[name] = Segment(name, parents, 1, 1, GENESIS, name, "a", "b")
    return found


@pytest.mark.slow
@given(graphs(), st.randoms())
def test_the_order_is_a_function_of_the_graph_and_puts_parents_first(graph, random):
    shuffled = list(graph.items())
    random.shuffle(shuffled)

    order = segments.ordered(dict(shuffled))

    assert order == segments.ordered(graph)
    assert sorted(one.name for one in order) == sorted(graph)
    place = {one.name: at for at, one in enumerate(order)}
    assert all(place[parent] < place[one.name] for one in order for parent in one.parents)


@pytest.mark.slow
@given(graphs(), st.data())
def test_a_segment_more_changes_the_order_of_no_others(graph, data):
    heads = segments.heads(graph)
    parents = tuple(sorted(data.draw(st.sets(st.sampled_from(sorted(graph)), max_size=3)) | {heads[0]}))
    name = hashlib.sha256(b"one more").hexdigest()
    more = graph | {name: Segment(name, parents, 1, 1, GENESIS, name, "a", "b")}

    order = [one for one in segments.ordered(more) if one.name != name]

    assert order == segments.ordered(graph)


class TestAnchor:
    """A tail that is swept away."""

    @pytest.mark.promise("M3")
    @pytest.mark.parametrize("sealed", [False, True], ids=["nothing sealed", "after sealing"])
    def test_a_clean_worktree_costs_nothing(self, repo, ledger, sealed, figure):
        if sealed:
            ledger.append([event("sealed")])
            ledger.seal()
            repo.write(".orchestration/.gitignore", "/agent_trace.jsonl\n/state/\n")
            repo.commit("with segments")
        ledger.append([event("a"), event("b")])
        expected = texts(ledger)
        repo.git("clean", "-fdxq")
        repo.start_ledger()

        assert texts(ledger) == expected
        ledger.append([event("c")])

        kinds = [line.event.type for line in ledger.read()]
        assert texts(ledger) == [*expected, None, "c"]
        assert kinds[len(expected)] == "ledger.restored"
        figure("git clean -fdx: every line back from its second name, and said so")

    @pytest.mark.promise("M3")
    def test_lines_cut_off_in_place_are_missed_and_told(self, ledger, figure):
        ledger.append([event("a"), event("b"), event("c")])
        with open(ledger.path, "r+b") as file:
            file.truncate(len(file.readline()))

        ledger.append([event("d")])

        (lost,) = [line.event for line in ledger.read() if line.event.type == "ledger.lost"]
        assert lost.data["lines"] == 2
        assert texts(ledger) == ["a", None, "d"]
        ledger.append([event("e")])
        assert [line.event.type for line in ledger.read()].count("ledger.lost") == 1
        figure("2 of 2 lines that were cut off told by the next event")

    @pytest.mark.slow
    def test_a_note_that_is_read_while_it_is_written_is_no_loss(self, repo, ledger):
        note = repo.path / ".git" / "linetrail" / "tails" / "main.end"
        states = []
        for text in ("a", "b"):
            ledger.append([event(text)])
            states.append((note.read_bytes(), Path(ledger.path).read_bytes()))
        (old, _), (new, tail) = states

        for cut in range(1, len(new)):
            for torn in (new[:cut] + old[cut:], old[:cut] + new[cut:], new[:cut]):
                note.write_bytes(torn)
                with open(ledger.path, "r+b") as file:
                    file.truncate(len(tail))
                assert not [problem.code for problem in examine(find(ledger.folder)).problems]
                ledger.append([event("c")])

        assert {line.event.type for line in ledger.read()} == {"agent.signalled"}

    def test_a_note_of_an_earlier_linetrail_is_believed(self, repo, ledger):
        ledger.append([event("a"), event("b")])
        note = repo.path / ".git" / "linetrail" / "tails" / "main.end"
        note.write_text(" ".join(note.read_text().split()[:4]) + "\n")
        with open(ledger.path, "r+b") as file:
            file.truncate(len(file.readline()))

        ledger.append([event("c")])

        assert [line.event.type for line in ledger.read()].count("ledger.lost") == 1

    def test_sealing_is_no_loss(self, ledger):
        for number in range(5):
            ledger.append([event(str(number))])
            ledger.seal()
            ledger.append([event("more")])

        assert {line.event.type for line in ledger.read()} == {"agent.signalled"}

    @pytest.mark.promise("M3")
    def test_the_tail_of_a_worktree_that_was_removed_is_taken_in(self, repo, ledger, tmp_path, figure):
        ledger.append([event("main")])
        repo.commit("first", {"a.txt": "a\n"})
        repo.git("worktree", "add", "--quiet", str(tmp_path / "side"))
        side = Ledger(find(str(tmp_path / "side")))
        side.append([event("side 1"), event("side 2")])
        repo.git("worktree", "remove", "--force", str(tmp_path / "side"))

        ledger.seal()

        assert sorted(texts(ledger)) == ["main", "side 1", "side 2"]
        assert len(ledger.seal()) == 0
        figure("2 of 2 events of a removed worktree are in the next segment")

    def test_a_tail_put_in_its_place_by_hand_does_not_cost_the_other(self, ledger):
        ledger.append([event("a"), event("b")])
        shutil.copy(ledger.path, ledger.path + ".bak")
        os.replace(ledger.path + ".bak", ledger.path)
        ledger.append([event("c")])
        os.unlink(ledger.path)

        assert texts(ledger) == ["a", "b", "c"]

    def test_an_older_copy_put_back_is_overtaken_by_what_was_kept(self, ledger):
        ledger.append([event("a")])
        shutil.copy(ledger.path, ledger.path + ".bak")
        ledger.append([event("b")])
        os.replace(ledger.path + ".bak", ledger.path)

        ledger.append([event("c")])

        assert texts(ledger) == ["a", "b", None, "c"]

    def test_another_ledger_put_in_its_place_leaves_the_kept_one_in_quarantine(self, ledger):
        ledger.append([event("a"), event("b")])
        kept = Path(ledger.path).read_bytes()
        with open(ledger.path + ".new", "wb") as file:
            file.write(to_line(event("z"), 1, GENESIS))
        os.replace(ledger.path + ".new", ledger.path)

        ledger.append([event("c")])

        folder = os.path.join(ledger.folder, "quarantine")
        (name,) = os.listdir(folder)
        with open(os.path.join(folder, name), "rb") as file:
            assert file.read() == kept
        assert texts(ledger)[0] == "z"

    def test_a_linked_worktree_has_an_anchor_of_its_own(self, repo, ledger, tmp_path):
        repo.commit("first", {"a.txt": "a\n"})
        repo.git("worktree", "add", "--quiet", str(tmp_path / "side"))
        ledger.append([event("main")])
        side = Ledger(find(str(tmp_path / "side")))
        side.append([event("side")])
        for one in (ledger, side):
            os.unlink(one.path)

        assert (texts(ledger), texts(side)) == (["main"], ["side"])

    def test_without_git_there_is_no_anchor_and_nothing_fails(self, tmp_path):
        (tmp_path / ".orchestration").mkdir()
        ledger = Ledger(find(str(tmp_path)))
        ledger.append([event("a")])

        ledger.seal()

        assert texts(ledger) == ["a"]
        assert subprocess.run(["find", str(tmp_path), "-name", "tails"], capture_output=True, check=True).stdout == b""

    def test_without_git_nobody_notes_what_could_be_lost(self, tmp_path):
        (tmp_path / ".orchestration").mkdir()
        ledger = Ledger(find(str(tmp_path)))
        many = [str(at) for at in range(WINDOW // 250)]

        ledger.append([event(text) for text in many])
        ledger.append([event("after")])

        assert os.path.getsize(ledger.path) > WINDOW
        assert texts(ledger) == [*many, "after"]
