"""The fleet that is made up for tests: its ledgers are true ones, and the truth kept beside them is what they say."""

import io
import json
from collections import Counter

import pytest

from linetrail.ledger.event.schema import problems
from linetrail.ledger.files import sha256
from linetrail.ledger.log import chain, checkpoint, segments
from tests.fleet.__main__ import Plan, main, write
from tests.fleet.repository import Faults

pytestmark = pytest.mark.slow

FAULTS = Faults(doubled=0.2, rewritten=0.3, damaged=0.2, nameless=0.2, late=0.5)


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    plan = Plan(tmp_path_factory.mktemp("fleet"), repositories=4, events=3_000, kinds=6, faults=FAULTS)
    return plan, write(plan)


def read(folder):
    """Return what is in a store: headers and events of the segments that are sound, and the names of the others."""
    found, events, damaged = {}, {}, set()
    for path in folder.glob("segments/*/*.jsonl"):
        content, name = path.read_bytes(), path.stem
        if sha256(content).hexdigest() != name:
            damaged.add(name)
            continue
        start = content.index(b"\n") + 1
        segment = segments.parse_header(content[:start], name, str(path))
        found[name] = segment
        head = chain.Head(start, segment.first - 1, segment.follows)
        for line in chain.read(io.BytesIO(content), str(path), head):
            events.setdefault((path.parent.name, line.event.id), line.event)
        assert line.event.seq == segment.last
    return found, events, damaged


def test_what_was_pushed_is_what_the_truth_says(fleet):
    plan, truth = fleet

    found, events, damaged = read(plan.out / "store")

    total = truth["total"]["store"]
    assert len(events) == total["events"]
    assert Counter(event.type for event in events.values()) == total["type"]
    assert sum(int(event.id[19:].replace("-", ""), 16) for event in events.values()) % 2**64 == total["ids"]
    usage = {event.data["usage_key"]: event.data for event in events.values() if event.type == "usage.recorded"}
    tokens = sum(value for data in usage.values() for name, value in data.items() if name.endswith("_tokens"))
    assert tokens == sum(total["model_id"].values())
    assert damaged == {name for one in truth["repositories"] for name in one["damaged"]}
    assert all(any(one[fault] for one in truth["repositories"]) for fault in Faults._fields)
    assert not segments.absent(found).keys() - damaged


def test_every_line_is_one_that_a_ledger_may_hold(fleet):
    lines = [line for path in (fleet[0].out / "late").rglob("*.jsonl") for line in path.read_bytes().splitlines(True)]

    assert lines
    assert [problem for line in lines for problem in problems(line)] == []


def test_the_checkpoints_stand_for_what_was_pushed(fleet):
    plan, truth = fleet
    found, _, _ = read(plan.out / "store")

    for one in truth["repositories"]:
        (head,) = (plan.out / "store" / "heads" / f"repo={one['repo_id']}").iterdir()
        assert bool(checkpoint.judge(head.read_bytes(), found, file=head.name)) == bool(one["damaged"])


def test_the_same_options_give_the_same_bytes(fleet, tmp_path, capsys):
    plan, _ = fleet
    again = plan._replace(out=tmp_path / "again")
    write(again, jobs=2)

    assert {path.relative_to(again.out): path.read_bytes() for path in again.out.rglob("*.*")} == {
        path.relative_to(plan.out): path.read_bytes() for path in plan.out.rglob("*.*")
    }
    assert main(["--repositories", "1", "--events", "1", "--out", str(again.out)]) == 2
    assert "not empty" in capsys.readouterr().err
    assert json.loads((again.out / "truth.json").read_text())["plan"]["repositories"] == 4
