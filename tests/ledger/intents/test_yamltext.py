"""Edits of YAML as text: the change and nothing else, whatever manner the text is written in."""

import re

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from linetrail.ledger.intents import yaml_text
from linetrail.ledger.intents.yaml_text import EditError, scalar
from tests.examples import examples

pytestmark = pytest.mark.in_turn

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    [
        "no",
        "null",
        "~",
        "007",
        "a: b",
        "- a",
        "# a",
        "a #b",
        "it's",
        'say "no"',
        "*.ts",
        "src/**",
        "{a}",
        "[a",
        "é",
        " a ",
    ]
)
KEYS = st.sampled_from(["name", "status", "owner", "scope", "rules", "note"])


@st.composite
def manners(draw):
    """Choose how one text is written."""
    return {
        "newline": draw(st.sampled_from(["\n", "\r\n"])),
        "dash": draw(st.sampled_from([0, 2, 4])),
        "gap": draw(st.sampled_from([1, 3])),
        "quote": draw(st.sampled_from([None, "'", '"'])),
        "comments": draw(st.booleans()),
        "blank": draw(st.booleans()),
        "ended": draw(st.booleans()),
        "document": draw(st.booleans()),
    }


class Writer:
    """Writes a value as a person might: the reader under test has no part in it."""

    def __init__(self, draw, manner):
        self.draw, self.manner = draw, manner
        self.comments = 0

    def comment(self):
        if not (self.manner["comments"] and self.draw(st.booleans())):
            return ""
        self.comments += 1
        return f"  # comment {self.comments}: - [x"

    def scalar(self, value):
        if value is None:
            return self.draw(st.sampled_from(["null", "~"]))
        return scalar(value, self.manner["quote"])

    def block(self, value, column):
        """Return the lines of a map or list that is not empty."""
        indent = " " * column
        for key, item in value.items() if isinstance(value, dict) else ((None, item) for item in value):
            lead = f"{indent}{key}:" if key else indent + "-"
            inner = column + 2 if key is None or isinstance(item, dict) else column + self.manner["dash"]
            if self.manner["blank"] and self.draw(st.booleans()):
                yield ""
            if not item or not isinstance(item, dict | list) or self.draw(st.integers(0, 4)) == 0:
                yield f"{lead} {self.flow(item)}{self.comment()}"
            elif key is None:
                inner = column + 1 + self.manner["gap"]
                first, *rest = [line for line in self.block(item, inner) if line]
                yield f"{lead}{first[column + 1 :]}"
                yield from rest
            else:
                yield lead + self.comment()
                yield from self.block(item, inner)

    def flow(self, value):
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key}: {self.flow(item)}" for key, item in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(self.flow, value)) + "]"
        return self.scalar(value) if value is None or self.manner["quote"] else scalar(value, inside=True)


def values():
    leaves = TEXTS | st.none()
    inner = st.recursive(
        leaves, lambda part: st.lists(part, max_size=3) | st.dictionaries(KEYS, part, max_size=2), max_leaves=6
    )
    return st.dictionaries(KEYS, inner, min_size=1, max_size=4)


def written(draw, value):
    manner = draw(manners())
    lines = list(Writer(draw, manner).block(value, 0))
    if manner["document"]:
        lines = ["# before", "---", *lines]
    if manner["comments"]:
        lines.append("# behind")
    return manner["newline"].join(lines) + (manner["newline"] if manner["ended"] else "")


def says(text):
    """Return what an independent reader makes of a text: one that guesses no types but that of nothing."""

    def plain(node):
        if isinstance(node, yaml.MappingNode):
            return {plain(key): plain(item) for key, item in node.value}
        if isinstance(node, yaml.SequenceNode):
            return [plain(item) for item in node.value]
        return None if node.tag.endswith(":null") else node.value

    return plain(yaml.compose(text, Loader=yaml.SafeLoader))


def places(value, kind, path=()):
    """Yield where in a value there is something of a kind."""
    if isinstance(value, kind):
        yield path
    for step, item in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        yield from places(item, kind, (*path, step))


def changed(value, path, change):
    if not path:
        return change(value)
    made = list(value) if isinstance(value, list) else dict(value)
    made[path[0]] = changed(value[path[0]], path[1:], change)
    return made


def kept(before, after):
    """Return what of a text is neither in front of the one place that changed nor behind it."""
    front = 0
    while front < min(len(before), len(after)) and before[front] == after[front]:
        front += 1
    back = 0
    while back < min(len(before), len(after)) - front and before[-1 - back] == after[-1 - back]:
        back += 1
    return before[front : len(before) - back]


@settings(max_examples=examples(60))
@given(st.data())
def test_a_value_is_put_in_the_place_of_another_and_nothing_else_changes(data):
    value = data.draw(values())
    text = written(data.draw, value)
    found = list(places(value, str | None))
    assume(found)
    path = data.draw(st.sampled_from(found))
    new = data.draw(TEXTS)

    after = yaml_text.put(text, path, new)

    assert says(after) == changed(value, path, lambda _: new)
    assert comments(after) == comments(text)


@settings(max_examples=examples(60))
@given(st.data())
def test_an_element_is_added_behind_the_others_and_every_byte_stays(data):
    value = data.draw(values())
    text = written(data.draw, value)
    found = [path for path in places(value, list | None) if path]
    assume(found)
    path, new = (
        data.draw(st.sampled_from(found)),
        data.draw(TEXTS | st.dictionaries(KEYS, TEXTS, min_size=1, max_size=2)),
    )

    after = yaml_text.append(text, path, new)

    assert says(after) == changed(value, path, lambda old: [*(old or []), new])
    assert not changed_at(value, path) or kept(text, after) == ""
    assert comments(after) == comments(text)


@settings(max_examples=examples(60))
@given(st.data())
def test_a_member_is_added_to_a_map_and_every_byte_stays(data):
    value = data.draw(values())
    text = written(data.draw, value)
    path = data.draw(st.sampled_from(list(places(value, dict))))
    new = data.draw(TEXTS | st.none() | st.lists(TEXTS, max_size=2))

    after = yaml_text.insert(text, path, "added", new)

    assert says(after) == changed(value, path, lambda old: {**old, "added": new})
    assert kept(text, after) == ""
    assert comments(after) == comments(text)


@settings(max_examples=examples(60))
@given(st.data())
def test_an_element_is_taken_out_and_nothing_else(data):
    value = data.draw(values())
    text = written(data.draw, value)
    lists = [path for path in places(value, list) if len(changed_at(value, path))]
    assume(lists)
    path = data.draw(st.sampled_from(lists))
    at = data.draw(st.integers(0, len(changed_at(value, path)) - 1))

    try:
        after = yaml_text.remove(text, (*path, at))
    except EditError:
        assume(False)  # an element that shares its line with the one above it has to be taken out by hand
        raise

    assert says(after) == changed(value, path, lambda old: old[:at] + old[at + 1 :])


def changed_at(value, path):
    for step in path:
        value = value[step]
    return value


def comments(text):
    return re.findall("# (?:comment [0-9]+|before|behind)", text)
