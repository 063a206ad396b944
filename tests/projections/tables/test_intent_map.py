"""The map of intents: who holds which lines, in a text that says nothing else."""

from pathlib import Path

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.blame.blame import blame
from linetrail.projections.build import rebuild
from linetrail.projections.git.target import in_worktree
from linetrail.projections.lines.surviving_lines import holdings
from linetrail.projections.nodes.definition_lines import Held
from linetrail.projections.tables.intent_map import definitions_of, intent_map
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import open_tables
from tests.story import Story

INTENTS = ("intent_id", "title", "status")


@pytest.fixture
def told(repo):
    """Return a function that puts the records of a story into the ledger and returns who holds what."""
    repo.start_ledger()

    def tell(*records):
        Story().told(records).written(repo.path)
        with open_tables(find(str(repo.path))) as tables:
            return [(row["path"], row["intent_id"], row["lines"]) for row in holdings(tables).mappings()]

    return tell


def edit(path, text, **fields):
    return {"mutation.observed": {}, "edits": {path: text}} | fields


def test_a_line_belongs_to_the_intent_of_its_last_change(told):
    held = told(
        edit("a.py", "one\ntwo\nthree\nfour\n", intent="INT-1"),
        edit("a.py", "one\n2\nthree\nfour\n", intent="INT-2"),
        edit("a.py", "zero\none\n2\nthree\nfour\n", intent="INT-1", session="s2"),
    )

    assert held == [("a.py", "INT-1", "2, 4-5"), ("a.py", "INT-1", "1"), ("a.py", "INT-2", "3")]


def test_agents_without_an_intent_are_shown_and_people_without_one_are_not(told):
    held = told(
        edit("a.py", "agent\n"),
        edit("a.py", "agent\nperson\n", contributor="human"),
        edit("a.py", "agent\nperson\nfor an intent\n", contributor="human", intent="INT-1"),
        edit("a.py", "agent\nperson\nfor an intent\nnobody\n", contributor="unknown"),
    )

    assert held == [("a.py", None, "1"), ("a.py", "INT-1", "3")]


def test_white_space_moves_nothing(told):
    assert told(edit("a.py", "if x:\n  y\n", intent="INT-1"), edit("a.py", "if x:\n\ty\r\n", intent="INT-2")) == [
        ("a.py", "INT-1", "1-2")
    ]


def test_a_file_that_is_gone_is_not_in_the_map(told):
    assert told(edit("a.py", "one\n"), edit("a.py", None)) == []


def test_a_renamed_file_takes_its_lines_with_it(told):
    moved = {
        "path": "b.py",
        "op": "rename",
        "from_path": "a.py",
        "before_hash": "sha256:2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806",
        "after_hash": "sha256:2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806",
        "before_lines": 1,
        "after_lines": 1,
        "eol": "lf",
        "hunks": [],
    }

    held = told(edit("a.py", "one\n", intent="INT-1"), {"mutation.observed": {"via": "tool", "files": [moved]}})

    assert held == [("b.py", "INT-1", "1")]


@pytest.mark.slow
def test_the_map_agrees_with_blame(repo):
    repo.start_ledger()
    repository = find(str(repo.path))
    repo.commit("by hand", {"a.py": "one\ntwo\nthree\n"})
    story = Story()
    story.tell("mutation.observed", intent="INT-1", edits={"a.py": "one\n2\nthree\nfour\n"})
    story.tell("mutation.observed", intent="INT-2", edits={"a.py": "one\n2\n3\nfour\nfive\n"})
    story.written(repo.path)
    repo.write("a.py", "one\n2\n3\nfour\nfive\n")

    by_line = {
        number: line.intent_id
        for number, line in enumerate(blame(repository, in_worktree(repository, "a.py")).attributions, 1)
    }
    with open_tables(repository) as tables:
        held = {(row["intent_id"], row["lines"]) for row in holdings(tables).mappings()}

    assert held == {("INT-1", "1-2, 4"), ("INT-2", "3, 5")}
    assert (by_line[2], by_line[3], by_line[4], by_line[5]) == ("INT-1", "INT-2", "INT-1", "INT-2")


def test_the_text_leads_from_intent_to_file_to_definition_to_lines_to_trace():
    held = [
        Held("src/b c.py", "INT-1", "s1", "event-2", "Order.total", "1-3, 7", "0123456789abcdef"),
        Held("a.py", None, "s2", "event-3", None, "9", "fedcba9876543210"),
        Held("a.py", "INT-1", None, "event-1", None, "4", "00000000ffffffff"),
        Held("src/b c.py", "INT-1", "s1", "event-4", "Order", "10", "1111111111111111"),
    ]
    intents = Table(INTENTS, [("INT-1", "Rotate tokens", "DONE"), ("INT-2", "Holds nothing", "DRAFT")])

    text = intent_map(Table(Held._fields, held), intents, {"event-2": "AST_REFACTOR"})

    assert text.endswith(
        """
## INT-1 Rotate tokens

DONE

| file | node | lines | hash | class | trace |
|---|---|---|---|---|---|
| [`a.py`](../a.py) | \N{EN DASH} | [4](../a.py#L4) | `00000000ffffffff` | \N{EN DASH} | `event-1` |
| [`src/b c.py`](../src/b%20c.py) | `Order.total` | [1-3](../src/b%20c.py#L1-L3), [7](../src/b%20c.py#L7) \
| `0123456789abcdef` | AST\\_REFACTOR | `event-2` in `s1` |
| [`src/b c.py`](../src/b%20c.py) | `Order` | [10](../src/b%20c.py#L10) \
| `1111111111111111` | \N{EN DASH} | `event-4` in `s1` |

## Without an intent

| file | node | lines | hash | class | trace |
|---|---|---|---|---|---|
| [`a.py`](../a.py) | \N{EN DASH} | [9](../a.py#L9) | `fedcba9876543210` | \N{EN DASH} | `event-3` in `s2` |
"""
    )


def test_names_from_outside_stay_names():
    held = [Held("a|b`.py\n## x", "<b>*INT*</b>", "s|1", "e", "n|o", "1", "0")]
    intents = Table(INTENTS, [("<b>*INT*</b>", "[x](y) | \x1b[31m\u202e", "**")])

    text = intent_map(Table(Held._fields, held), intents)

    assert (
        "\n## \\<b\\>\\*INT\\*\\</b\\> \\[x\\](y) \\| \N{REPLACEMENT CHARACTER}\\[31m\N{REPLACEMENT CHARACTER}\n"
        in text
    )
    name, address = "`` a\\|b`.py\N{REPLACEMENT CHARACTER}## x ``", "../a%7Cb%60.py%0A%23%23%20x"
    assert f"\n| [{name}]({address}) | `n\\|o` | [1]({address}#L1) | `0` | \N{EN DASH} | `e` in `s\\|1` |\n" in text


@pytest.mark.slow
def test_an_event_that_changed_no_line_leaves_the_map_alone(repo):
    repo.start_ledger()
    repository = find(str(repo.path))
    story = Story()
    story.tell("mutation.observed", intent="INT-1", edits={"a.py": "one\n"})
    story.written(repo.path)
    rebuild(repository)
    path = Path(repository.folder, "intent_map.md")
    before = path.stat().st_ino
    story.tell("session.ended", {"reason": "exit"}, intent="INT-1")
    story.written(repo.path)

    [row] = rebuild(repository, only=["intent_map"])

    assert (row.changed, row.rows) == (False, 1)
    assert path.stat().st_ino == before


@pytest.mark.slow
def test_a_map_that_a_person_changed_is_put_right(repo):
    repo.start_ledger()
    repository = find(str(repo.path))
    story = Story()
    story.tell("mutation.observed", intent="INT-1", edits={"a.py": "one\n"})
    story.written(repo.path)
    rebuild(repository)
    path = Path(repository.folder, "intent_map.md")
    right = path.read_bytes()
    path.write_bytes(right + b"by hand\n")

    assert [row.changed for row in rebuild(repository, only=["intent_map"])] == [True]
    assert path.read_bytes() == right


@pytest.mark.parametrize("path", ["a b.py", "src/[id](x).py", "a|b`c.py", "#1.py", "ü/日.py", "%41.py"])
@pytest.mark.parametrize("node", ["Total.round", "a|b`c", "`x`", None])
def test_which_definitions_an_intent_holds_is_read_back_from_its_map(path, node):
    columns = ("intent_id", "path", "node", "lines", "lines_hash", "event_id", "session_id")
    rows = [
        ("INT-001", path, node, "1-2, 5", "sha256:1", "e1", "s1"),
        ("INT-001", path, "other", "7", "sha256:2", "e2", None),
        ("INT-0011", "elsewhere.py", "not_ours", "1", "sha256:3", "e3", "s1"),
    ]
    text = intent_map(Table(columns, rows), Table(INTENTS, [("INT-001", "## INT-002 |x", "DONE")]))

    assert definitions_of(text, "INT-001") == {path: [one for one in (node, "other") if one]}
    assert definitions_of(text, "INT-002") == definitions_of("", "INT-001") == {}
