"""A last line may be cut at any byte: it is there whole or not at all, and costs nothing but itself."""

import os

import pytest

from linetrail.ledger.log.tail import anchor
from linetrail.ledger.repository import find
from tests.faults.acts import ledger_at, make_root, store, stored

SIZES = {"before": 300, "tiny": 1, "usual": 300, "largest": 65_400}


@pytest.fixture
def root(tmp_path):
    return make_root(str(tmp_path / "project"))


@pytest.mark.promise("A1", "A2", "R1", "R3")
@pytest.mark.parametrize(
    "every", [pytest.param(1_021, id="some bytes"), pytest.param(1, id="every byte", marks=pytest.mark.fault)]
)
def test_a_line_cut_anywhere_costs_nothing_but_itself(root, every, figure):
    path = ledger_at(root).path
    note = anchor(find(root)).note
    notes = []
    for text, size in SIZES.items():
        store(root, [text], size)
        notes.append(ledger_bytes(note))
    lines = ledger_bytes(path).splitlines(keepends=True)
    tried = 0

    for whole in (1, 2, 3):
        for cut in sorted({*range(1, len(lines[whole]), every), 1, 2, len(lines[whole]) - 1}):
            with open(path, "wb") as file:
                file.writelines([*lines[:whole], lines[whole][:cut]])
            with open(note, "wb") as file:
                file.write(notes[whole - 1])  # whoever was cut short had not come to noting more
            assert stored(root) == [*SIZES][:whole]

            store(root, ["next"])

            assert stored(root) == [*[*SIZES][:whole], "next"]
            assert stump(root) == lines[whole][:cut]
            tried += 1

    assert list(ledger_at(root).problems()) == []
    figure(f"{tried:,} cuts, 0 whole events lost, 0 half events read")


def test_a_stump_is_kept_once_however_often_it_is_healed(root):
    store(root, ["whole"])
    path = ledger_at(root).path
    content = ledger_bytes(path)

    for _ in range(2):
        with open(path, "wb") as file:
            file.write(content + b'{"half')
        store(root, ["next"])

    assert len(os.listdir(os.path.join(ledger_at(root).folder, "quarantine"))) == 1


def stump(root):
    """Return the bytes that the newest repair put aside."""
    repaired = [line.event for line in ledger_at(root).read() if line.event.type == "ledger.repaired"]
    with open(os.path.join(ledger_at(root).folder, repaired[-1].data["quarantined"]), "rb") as file:
        return file.read()


def ledger_bytes(path):
    with open(path, "rb") as file:
        return file.read()
