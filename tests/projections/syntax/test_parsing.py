"""Whatever bytes there are, parsing them ends: with a tree, or with a word about why there is none."""

import codecs
from concurrent.futures import ThreadPoolExecutor

import pytest

from linetrail.ledger.errors import LinetrailError
from linetrail.projections.syntax.definitions import index
from linetrail.projections.syntax.language import languages, named
from linetrail.projections.syntax.parsing import TooSlowError, UnparsableError, parse

PYTHON = named("python")
FUNCTION = b"def total(lines):\n    return sum(lines)\n"


def names(content, language=PYTHON):
    return [found.qualified for found in index(language, content)]


def test_a_grammar_that_takes_too_long_is_stopped():
    with pytest.raises(TooSlowError, match=r"400000 bytes of python took longer than 0 s") as raised:
        parse(PYTHON, FUNCTION * 10_000, seconds=0)

    assert isinstance(raised.value, LinetrailError)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_other_encodings_than_utf8_are_said_to_be_unreadable(encoding):
    mark = {"utf-16-be": codecs.BOM_UTF16_BE}.get(encoding, b"")

    with pytest.raises(UnparsableError, match="of UTF-16 or UTF-32 are not read as python"):
        parse(PYTHON, mark + FUNCTION.decode().encode(encoding))


def test_a_byte_order_mark_is_no_code():
    plain, marked = index(PYTHON, FUNCTION), index(PYTHON, codecs.BOM_UTF8 + FUNCTION)

    assert [found.tokens for found in marked] == [found.tokens for found in plain]
    assert marked[0].start_byte == len(codecs.BOM_UTF8)


def test_bytes_of_an_older_encoding_stand_where_they_stand():
    content = b"# caf\xe9\nname = 'caf\xe9'\n" + FUNCTION

    assert names(content) == ["name", "total"]


@pytest.mark.daily(5)
@pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)
def test_next_to_nothing_defines_nothing(language):
    for content in (b"", b"\n", b" ", b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\\", b'"', b"/*"):
        assert index(language, content) == []


@pytest.mark.independent
@pytest.mark.parametrize("opening", ["(", "[", "{", "!", "a.", "if (a) {", "<a>", "- ", "> ", '"', "`${"])
@pytest.mark.parametrize("name", ["python", "javascript", "go", "rust", "json", "css", "markdown", "html"])
def test_depth_is_no_danger(name, opening):
    assert index(named(name), opening.encode() * 3_000) == []


def test_what_would_end_the_process_is_not_parsed():
    with pytest.raises(UnparsableError, match="line 2 of 6002 bytes of yaml would break its grammar: it is not read"):
        parse(named("yaml"), b"a\n" + b"- " * 3_000)


@pytest.mark.slow
def test_several_threads_index_at_once():
    contents = [(language, FUNCTION * 50) for language in languages()] * 4

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda pair: index(*pair), contents))

    assert found == [index(language, content) for language, content in contents]


@pytest.mark.parametrize("end", ["@", "@Component", "@field:Inject", "@a.b.C"])
def test_a_text_at_whose_end_a_grammar_never_comes_back_is_refused(end):
    with pytest.raises(UnparsableError, match=r"line 2 of \d+ bytes of kotlin would break its grammar: it is not read"):
        parse(named("kotlin"), f"class A\n{end}".encode())
