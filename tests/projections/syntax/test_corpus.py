"""What the index says of real changes, each labelled by the tool that made it or by who read it."""

import ast
import json
import os
from pathlib import Path
from typing import NamedTuple

import pytest

from linetrail.projections.syntax.definitions import Definition, index
from linetrail.projections.syntax.language import language_of

pytestmark = pytest.mark.slow

SHARED = Path(os.environ.get("LINETRAIL_SHARED") or Path(__file__).parents[4] / "shared")
CORPUS = SHARED / "corpus" / "classification" / "dev.jsonl"


class Change(NamedTuple):
    """A file before and after one change, with what is defined in it."""

    case: str
    label: str
    language: str
    before: bytes
    after: bytes
    defined_before: list[Definition]
    defined_after: list[Definition]


@pytest.fixture(scope="module")
def changes():
    if not CORPUS.exists():
        pytest.skip(f"the labelled changes are not at {CORPUS}; set LINETRAIL_SHARED")
    with CORPUS.open(encoding="utf-8") as lines:
        return [change for line in lines for change in read(json.loads(line))]


def read(case):
    for file in case.get("files") or [case]:
        if file["before"] and file["after"]:
            language = language_of(file["path"])
            before, after = file["before"].encode(), file["after"].encode()
            defined = index(language, before), index(language, after)
            yield Change(case["id"], case["label"], language.name, before, after, *defined)


def tokens(definitions):
    return [(found.qualified, found.tokens) for found in definitions]


def elsewhere(content, definitions):
    """Return the text that no definition contains."""
    pieces, at = [], 0
    for found in definitions:
        if found.parent is None:
            pieces.append(content[at : found.start_byte])
            at = found.end_byte
    return b"".join([*pieces, content[at:]])


def without_blanks(text):
    return b"".join(text.split())


def same_program(one, other):
    return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))


def test_every_file_is_indexed_in_its_lines(changes):
    for change in changes:
        for content, definitions in ((change.before, change.defined_before), (change.after, change.defined_after)):
            assert all(1 <= found.start_line <= found.end_line for found in definitions), change.case
            assert all(found.end_line <= content.count(b"\n") + 1 for found in definitions), change.case
            assert not any(found.broken for found in definitions), change.case


def test_comments_change_no_tokens(changes):
    # A docstring is a comment to a reader; to Python it is a string.
    comments = [
        change
        for change in changes
        if change.label == "comment" and (change.language != "python" or same_program(change.before, change.after))
    ]

    changed = [change.case for change in comments if tokens(change.defined_before) != tokens(change.defined_after)]

    assert comments
    assert changed == []


def test_white_space_changes_no_tokens(changes):
    # Where a line may end a statement, a brace on a line of its own takes a look at the tree.
    layouts = [
        change
        for change in changes
        if change.label == "formatting"
        and change.language not in {"javascript", "typescript"}
        and without_blanks(change.before) == without_blanks(change.after)
    ]

    changed = [change.case for change in layouts if tokens(change.defined_before) != tokens(change.defined_after)]

    assert layouts
    assert changed == []


def test_no_change_of_behaviour_hides_inside_of_a_definition(changes):
    hidden = [
        change.case
        for change in changes
        if change.label == "evolution"
        and tokens(change.defined_before) == tokens(change.defined_after)
        and elsewhere(change.before, change.defined_before) == elsewhere(change.after, change.defined_after)
    ]

    assert hidden == []
