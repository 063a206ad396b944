"""What is recorded of files: the same from memory as from the database."""

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.tables import records
from linetrail.projections.tables.records import FEW, Records
from linetrail.projections.tables.tables import open_tables

pytestmark = pytest.mark.slow

# Than any moment that was recorded.
LATER = "~"
FILES = [f"{name}.py" for name in "abcdefgh"]


@pytest.fixture
def tables(repo, agent):
    """Return the tables of a ledger in which agents changed, moved and copied files."""
    repo.commit("start", {name: f"first of {name}\nsecond = 'shared'\nthird = 'shared'\n" for name in FILES})
    for number, name in enumerate(FILES):
        agent(f"session-{number % 3}").edit(name, "third", f"more = 'in some'\nnumber = {number % 2}\nthird")
    agent("session-4").bash("mv a.py moved.py && cp b.py copy.py && rm c.py")
    with open_tables(find(str(repo.path))) as tables:
        yield tables


@pytest.fixture
def both(tables):
    """Return one that asks for everything, and one that has read everything."""
    asking, holding = Records(tables.ask), Records(tables.ask)
    for number in range(FEW + 1):
        holding.changes([f"nothing-{number}.py"])
    return asking, holding


@pytest.mark.parametrize("paths", [["a.py"], ["moved.py", "a.py", "nothing.py"], FILES, []])
def test_changes_are_the_same(paths, both):
    asked, held = (list(one.changes(paths)) for one in both)

    assert held == asked
    assert bool(asked) == bool(paths)


def test_files_with_the_same_content_are_the_same(both):
    asking, holding = both
    contents = {row["after_hash"] for row in asking.changes([*FILES, "copy.py", "moved.py"]) if row["after_hash"]}

    for least in (1, 5, 6):
        for digest in contents:
            assert holding.same_content([digest], least, 20) == asking.same_content([digest], least, 20)
    assert asking.same_content(contents, 1, 20)
    assert holding.same_content(contents, 1, 2) == asking.same_content(contents, 1, 2)


def test_files_that_share_lines_are_the_same(both, tables):
    asking, holding = both
    hashes = [line for (line,) in tables.ask("select distinct line_hash from line_hashes").rows]

    for least, limit in [(1, 20), (2, 20), (2, 3), (99, 20)]:
        for without in ([], ["b.py", "copy.py"]):
            asked = asking.sharing(dict.fromkeys(hashes, LATER), without, least, limit)
            assert holding.sharing(dict.fromkeys(hashes, LATER), without, least, limit) == asked
    assert asking.sharing(dict.fromkeys(hashes, LATER), [], 1, 20)


def test_nothing_is_held_that_is_too_large(tables, monkeypatch):
    monkeypatch.setattr(records, "MAX_BYTES", 0)
    asked = []

    def ask(sql, parameters=None):
        asked.append(sql)
        return tables.ask(sql, parameters)

    one = Records(ask)
    for number in range(FEW + 5):
        assert [row["path"] for row in one.changes(["a.py", f"nothing-{number}.py"])] == ["a.py"]

    assert len(asked) == FEW + 5 + 1


def test_what_is_at_hand_is_not_asked_again_and_goes_when_there_is_too_much(tables, monkeypatch):
    monkeypatch.setattr(records, "KEPT_FILES", 2)
    monkeypatch.setattr(records, "KEPT_LINES", 2)
    asked = []

    def ask(sql, parameters=None):
        asked.append(sql)
        return tables.ask(sql, parameters)

    one, other = Records(ask), Records(tables.ask)
    lines = [line for (line,) in tables.ask("select distinct line_hash from line_hashes order by 1").rows]
    one.read(FILES[:3])
    for name in FILES[:3]:
        assert one.changes([name]) == other.changes([name])
    assert len(asked) == 1

    assert one.changes(["d.py"]) == other.changes(["d.py"])
    assert one.changes(["a.py"]) == other.changes(["a.py"])
    assert len(asked) == 3
    for line in (*lines, *lines):
        assert one.shared("b.py", [line]) == other.shared("b.py", [line])
