"""What is folded of a ledger is what all of its lines say, and each of them is read once."""

import os
import shutil
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linetrail.ledger.errors import DamageWarning
from linetrail.ledger.event.event import Event, new_id, rfc3339
from linetrail.ledger.log import segments
from linetrail.ledger.log.fold import Fold, folded
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, find

NOW = 1_760_000_000_000_000_000


def event(text):
    return Event(new_id(NOW), rfc3339(NOW), "agent.signalled", "s", None, "unknown", None, None, {"signal": text})


@pytest.fixture
def ledger(repo):
    repo.start_ledger()
    return Ledger(find(str(repo.path)))


class Reader:
    """A fold that lists what events say, and counts the events that it is given."""

    def __init__(self):
        self.steps = 0
        self.fold = Fold("signals", {"signals": []}, self.step)

    def step(self, found, event):
        self.steps += 1
        found["signals"].append(event.data["signal"])

    def of(self, ledger, **options):
        return folded(ledger.repository, self.fold, **options)["signals"]


def test_what_was_read_is_not_read_again(ledger):
    reader = Reader()
    ledger.append([event("a"), event("b")])
    reader.of(ledger)
    ledger.append([event("c")])

    assert reader.of(ledger) == ["a", "b", "c"]
    assert reader.of(ledger) == ["a", "b", "c"]
    assert reader.steps == 3


def test_a_line_that_is_not_wanted_any_more_is_not_decoded(ledger):
    reader = Reader()
    reader.fold = reader.fold._replace(wants=lambda found, line: b"x" in line and len(found["signals"]) < 2)
    ledger.append([event("x1"), event("y"), event("x2"), event("x3")])

    assert reader.of(ledger) == ["x1", "x2"]
    assert reader.steps == 2


def test_segments_can_be_left_out(ledger):
    ledger.append([event("a")])
    ledger.seal()
    ledger.append([event("b")])

    assert Reader().of(ledger, without=segments.names(ledger.folder)) == ["b"]


STEPS = st.lists(st.sampled_from(["append", "seal", "look", "forget"]), max_size=12)


@pytest.mark.slow
@given(STEPS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
def test_a_fold_that_goes_on_is_one_from_nothing(tmp_path, steps):
    shutil.rmtree(tmp_path / "ledger", ignore_errors=True)
    (tmp_path / "ledger").mkdir()
    ledger, reader, told = Ledger(Repository(str(tmp_path / "ledger"), None, None)), Reader(), []
    for at, step in enumerate([*steps, "look"]):
        if step == "append":
            ledger.append([event(str(at))])
            told.append(str(at))
        elif step == "seal" and told:
            ledger.seal()
        elif step == "forget":
            shutil.rmtree(os.path.join(ledger.folder, "cache"), ignore_errors=True)
        else:
            assert reader.of(ledger) == told


def test_a_segment_that_git_brought_is_where_its_name_puts_it(ledger, tmp_path):
    reader = Reader()
    ledger.append([event("a")])
    ledger.seal()
    shutil.copytree(ledger.repository.root, tmp_path / "clone")
    other = Ledger(find(str(tmp_path / "clone")))
    for one, text in ((ledger, "b"), (other, "c")):
        one.append([event(text)])
        one.seal()
        reader.of(one)
    for name in segments.names(other.folder):
        shutil.copy(segments.path(other.folder, name), segments.path(ledger.folder, name))

    assert reader.of(ledger) == [line.event.data["signal"] for line in ledger.read()]
    assert sorted(reader.of(ledger)) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda kept: kept[:0], id="nothing"),
        pytest.param(lambda kept: kept[:-1], id="cut"),
        pytest.param(lambda kept: kept.replace(b'"a"', b'"b"'), id="another value"),
        pytest.param(lambda kept: b"\xff" + kept, id="no text"),
    ],
)
def test_a_value_that_was_kept_and_damaged_is_made_anew(ledger, damage):
    ledger.append([event("a")])
    Reader().of(ledger)
    (place,) = Path(ledger.folder, "cache", "folds").iterdir()
    kept = place.read_bytes()
    place.write_bytes(damage(kept))

    assert Reader().of(ledger) == ["a"]
    assert place.read_bytes() == kept


def test_a_value_of_another_ledger_is_made_anew(ledger, tmp_path):
    reader, others = Reader(), Ledger(Repository(str(tmp_path / "other"), None, None))
    for one, text in ((ledger, "a"), (others, "b")):
        one.append([event(text)])
        reader.of(one)
    shutil.copytree(Path(others.folder, "cache", "folds"), Path(ledger.folder, "cache", "folds"), dirs_exist_ok=True)

    assert reader.of(ledger) == ["a"]


def test_damage_is_told_each_time_and_the_rest_is_there(ledger):
    ledger.append([event("a"), event("b")])
    tail = Path(ledger.tail_path())
    lines = tail.read_bytes().splitlines(keepends=True)
    tail.write_bytes(lines[0] + b"{}\n")

    for _ in range(2):
        with pytest.warns(DamageWarning):
            assert Reader().of(ledger) == ["a"]


def test_where_nothing_can_be_kept_the_answer_is_the_same(ledger):
    ledger.append([event("a")])
    Path(ledger.folder, "cache").mkdir(exist_ok=True)
    Path(ledger.folder, "cache", "folds").write_text("in the way")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Reader().of(ledger) == ["a"]
        assert Reader().of(ledger) == ["a"]
