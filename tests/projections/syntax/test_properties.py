"""What holds for every file of every language, however it was broken, cut or laid out."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linetrail.projections.syntax.definitions import index, shape
from linetrail.projections.syntax.language import languages, named
from linetrail.projections.syntax.parsing import UnparsableError, parse
from tests.examples import examples

pytestmark = pytest.mark.in_turn

CASES = Path(__file__).parent / "cases"
FILES = sorted(path for path in CASES.glob("*/*") if not path.name.endswith(".golden.json"))
BLANKS = re.compile(rb"[ \t\n]+")
# In these a blank more or less, or another kind of blank, is layout wherever there is one already.
FREE = {"c", "cpp", "csharp", "java", "json", "php", "rust", "sql"}

files = st.sampled_from(FILES)
thorough = settings(
    max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)


def language_of(file):
    return named(file.parent.name)


def indexed(language, content):
    try:
        return index(language, content)
    except UnparsableError:
        return []


def check(content, definitions):
    """Assert what a reader of an index relies upon."""
    assert len({found.qualified for found in definitions}) == len(definitions)
    assert [found.start_byte for found in definitions] == sorted(found.start_byte for found in definitions)
    for number, found in enumerate(definitions):
        assert found.name
        assert 0 <= found.start_byte < found.end_byte <= len(content)
        assert found.start_line == content.count(b"\n", 0, found.start_byte) + 1
        assert found.end_line == content.count(b"\n", 0, found.end_byte) + 1
        if found.parent is not None:
            parent = definitions[found.parent]
            assert found.parent < number
            assert parent.start_byte <= found.start_byte
            assert found.end_byte <= parent.end_byte
            assert parent.start_line <= found.start_line <= found.end_line <= parent.end_line


@thorough
@given(language=st.sampled_from(languages()), content=st.binary(max_size=200))
def test_any_bytes_are_indexed(language, content):
    check(content, indexed(language, content))


@thorough
@given(file=files, data=st.data())
def test_a_file_that_ends_anywhere_is_indexed(file, data):
    content = file.read_bytes()
    content = content[: data.draw(st.integers(0, len(content)))]

    check(content, indexed(language_of(file), content))


@thorough
@given(file=files, data=st.data())
def test_a_file_with_anything_in_its_middle_is_indexed(file, data):
    content = file.read_bytes()
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(content))] * 2)))
    content = content[:start] + data.draw(st.binary(max_size=20)) + content[end:]

    check(content, indexed(language_of(file), content))


@thorough
@given(file=files)
def test_the_ends_of_lines_are_no_tokens(file):
    content = file.read_bytes()

    one, other = (index(language_of(file), text) for text in (content, content.replace(b"\n", b"\r\n")))

    assert [(found.qualified, found.tokens) for found in other] == [(found.qualified, found.tokens) for found in one]


@thorough
@given(file=files.filter(lambda file: file.parent.name in FREE), random=st.randoms(use_true_random=False))
def test_other_blanks_are_the_same_tokens(file, random):
    content, language = file.read_bytes(), language_of(file)
    kept = meaningful(language, content)

    def another(gap):
        return gap[0] if kept.intersection(range(*gap.span())) else random.choice([b" ", b"  ", b"\n", b"\t\n  "])

    before, after = index(language, content), index(language, BLANKS.sub(another, content))

    assert [(found.qualified, found.tokens) for found in after] == [(found.qualified, found.tokens) for found in before]


def meaningful(language, content):
    """Return the places of what is verbatim, of comments with the blank after them, and of directives."""
    places: set[int] = set()
    nodes = [parse(language, content).root_node]
    while nodes:
        node = nodes.pop()
        if node.type in {*language.verbatim, *language.comments} or node.type.startswith(("preproc", "string", "php_")):
            places.update(range(node.start_byte - 1, node.end_byte + 1))
        nodes += node.children
    return places


@thorough
@given(file=files, data=st.data())
def test_equal_tokens_are_an_equal_tree(file, data):
    content, language = file.read_bytes(), language_of(file)
    definitions = index(language, content)
    chosen = data.draw(st.sampled_from(definitions))
    at = data.draw(st.integers(chosen.start_byte, chosen.end_byte - 1))
    gap = BLANKS.search(content, at, chosen.end_byte) or BLANKS.match(b" ")
    blank = data.draw(st.sampled_from([b"", b" ", b"  ", b"\n", b"\n\n", b"\n    ", b"\n  "]))
    changed = content[: gap.start()] + blank + content[gap.end() :]

    again = {found.qualified: found for found in indexed(language, changed)}.get(chosen.qualified)

    if again and again.tokens == chosen.tokens and not (chosen.broken or again.broken):
        one = shape(language, content, parse(language, content), chosen)
        other = shape(language, changed, parse(language, changed), again)
        assert one == other


@pytest.mark.daily(10)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_what_is_indexed_of_a_case_is_sound(file):
    content = file.read_bytes()

    check(content, index(language_of(file), content))
