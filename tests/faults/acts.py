"""What is done to a ledger while something breaks, and what must hold afterwards.

An act is prepared whole, then runs under a fault. It tells each text that was acknowledged the moment it was, so that
what was told outlives it. Content is looked for, not numbers: every event carries a text of its own.
"""

import os
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from linetrail.ledger.errors import DamageWarning
from linetrail.ledger.event.event import Event, derived_id, rfc3339
from linetrail.ledger.log.store import APPENDED, TAIL, Ledger
from linetrail.ledger.repository import find

NOW = 1_760_000_000_000_000_000
Tell = Callable[[Iterable[str]], None]


class Act(NamedTuple):
    """`prepare` returns what it acknowledged; `attempted` may be there besides, if `whole` all of it or none."""

    prepare: Callable[[str], list[str]]
    run: Callable[[str, Tell], None]
    attempted: Sequence[str] = ()
    whole: bool = False


def make_root(folder: str) -> str:
    """Make what `find` takes for a repository, without running git."""
    os.makedirs(os.path.join(folder, ".git"))
    with open(os.path.join(folder, ".git", "HEAD"), "w", encoding="utf-8") as file:
        file.write("ref: refs/heads/main\n")
    return folder


def ledger_at(root: str, lock_seconds: float = 2.0) -> Ledger:
    return Ledger(find(root), lock_seconds=lock_seconds)


def event(text: str, size: int = 0, at: int = NOW) -> Event:
    """Return the one event that has this text at this time, with a line of about this many bytes."""
    data = {"signal": text, "padding": "x" * max(size - 400, 0)}
    return Event(derived_id(at, text), rfc3339(at), "agent.signalled", "s", None, "unknown", None, None, data)


def store(root: str, texts: Sequence[str], size: int = 0) -> list[str]:
    """Append a batch and return the texts it acknowledged."""
    receipts = ledger_at(root).append([event(text, size) for text in texts])
    assert len(receipts) == len(texts)
    return list(texts)


def stored(root: str) -> list[str]:
    """Return the texts in the ledger in order; raise where it is damaged."""
    return [line.event.data["signal"] for line in ledger_at(root).read() if "signal" in line.event.data]


def must_hold(root: str, acknowledged: Collection[str], act: Act) -> None:
    """Nothing acknowledged is lost or doubled, nothing else is there, and the next append works."""
    before = stored(root)
    receipt, *_ = ledger_at(root).append([event("after the fault")])
    found = Counter(stored(root))

    assert receipt.outcome == APPENDED
    assert list(found)[: len(before)] == before
    assert {text for text in acknowledged if found[text] != 1} == set()
    assert set(found) <= {*acknowledged, *act.attempted, "after the fault"}
    assert max(found.values()) == 1
    if act.whole:
        assert len(set(act.attempted) & set(found)) in {0, len(act.attempted)}
    assert list(ledger_at(root).problems()) == []


def may_be_repeated(root: str, act: Act) -> None:
    """Running the act again finishes it, and changes nothing where it was finished."""
    act.run(root, _to_nobody)
    store(root, ["and the spool folded in"])
    found = Counter(stored(root))

    assert {text for text in act.attempted if found[text] != 1} == set()


def _to_nobody(texts: Iterable[str]) -> None:
    """Tell nobody."""


def _none(root: str) -> list[str]:
    assert os.path.isdir(root)
    return []


def _two(root: str) -> list[str]:
    return store(root, ["first", "second"])


def _waiting(root: str) -> list[str]:
    ledger_at(root).spool([event("waiting 1"), event("waiting 2")])
    return ["waiting 1", "waiting 2"]


def _torn(root: str) -> list[str]:
    there = _two(root)
    with open(ledger_at(root).path, "ab") as file:
        file.write(b'{"v":1,"id":"0199' + b"x" * 500)
    return there


def _appending(*texts: str, size: int = 0) -> Callable[[str, Tell], None]:
    def run(root: str, tell: Tell) -> None:
        tell(store(root, texts, size))

    return run


def _one_by_one(root: str, tell: Tell) -> None:
    for number in range(50):
        tell(store(root, [f"one {number}"]))


def _spooling(root: str, tell: Tell) -> None:
    ledger_at(root).spool([event("aside")])
    tell(["aside"])


def _rebuilding(root: str, tell: Tell) -> None:
    from linetrail.projections.build import rebuild
    from linetrail.projections.tables.tables import open_tables

    with warnings.catch_warnings(record=True) as left_out:
        warnings.simplefilter("always", DamageWarning)
        rebuild(find(root))
        with open_tables(find(root)) as tables:
            count = tables.count("v_events")
    for warning in left_out:
        assert isinstance(warning.message, Warning)
        raise warning.message
    assert count == _lines(root)


def _lines(root: str) -> int:
    """Count the events of a ledger without a repeat, by calls that nothing here lets fail."""
    folder = Path(ledger_at(root).folder)
    sealed = list(folder.glob("segments/*.jsonl"))
    return sum(path.read_bytes().count(b"\n") for path in [folder / TAIL, *sealed]) - len(sealed)


def _rebuilt_and_grown(root: str) -> list[str]:
    before = _twice_grown(root)
    _rebuilding(root, _to_nobody)
    return before + store(root, ["youngest"])


def _sealing(root: str, tell: Tell) -> None:
    ledger_at(root).seal()


def _some(root: str) -> list[str]:
    return store(root, [f"old {number}" for number in range(20)])


def _twice_grown(root: str) -> list[str]:
    """One segment, and lines behind it."""
    before = _some(root)
    ledger_at(root).seal()
    return before + store(root, ["young 1", "young 2"])


def _torn_and_spooled(root: str) -> list[str]:
    return [*_torn(root), *_waiting(root)]


BATCH = tuple(f"batch {number}" for number in range(100))
ACTS = {
    "the first append": Act(_none, _appending("new"), ["new"]),
    "an append": Act(_two, _appending("new"), ["new"]),
    "an append of 60 KB": Act(_two, _appending("new", size=60_000), ["new"]),
    "a batch of 100": Act(_two, _appending(*BATCH, size=700), BATCH, whole=True),
    "spooling": Act(_two, _spooling, ["aside"]),
    "folding in the spool": Act(_waiting, _appending("new"), ["new"]),
    "healing a torn tail": Act(_torn, _appending("new"), ["new"]),
    "the first sealing": Act(_some, _sealing),
    "another sealing": Act(_twice_grown, _sealing),
    "sealing what is torn and spooled": Act(_torn_and_spooled, _sealing),
    "rebuilding": Act(_rebuilt_and_grown, _rebuilding),
    "an append behind a segment": Act(_twice_grown, _appending("new"), ["new"]),
}
# To be looked at, not to be broken: it would take an hour at each of its calls.
ONE_BY_ONE = "appends, one by one"
TRACED = ACTS | {ONE_BY_ONE: Act(_none, _one_by_one, [f"one {number}" for number in range(50)])}
