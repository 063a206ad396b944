"""Constraints that are checked on the change itself: how large a file is, what its lines hold, what it asks for."""

import json
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.constraints.literals import compiled, folded, found
from linetrail.ledger.constraints.rules import check, problems

SIZE = {"type": "file_size", "max_lines": 3}
LOG = {"type": "code_pattern", "forbid": "console.log"}
PROSE = {
    "type": "code_pattern",
    "pattern": "No console.log in production code",
    "validation": "Scan for console.log outside test files",
}


def lines(number, *, end=b"\n"):
    return b"x" + end if number == 1 else b"x" + end + lines(number - 1, end=end)


def found_by(rule, path, before, after):
    return [(finding.code, finding.line) for finding in check([rule], path, before, after)]


# file_size


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(None, lines(3), [], id="as long as is allowed"),
        pytest.param(None, lines(4), [("FILE_SIZE", 4)], id="one line more"),
        pytest.param(None, lines(3) + b"y", [("FILE_SIZE", 4)], id="a last line without an end"),
        pytest.param(None, lines(3)[:-1], [], id="three lines without a last end"),
        pytest.param(None, lines(4, end=b"\r"), [("FILE_SIZE", 4)], id="lines that end in a return"),
        pytest.param(None, lines(4).decode().encode("utf-16"), [("FILE_SIZE", 4)], id="UTF-16"),
        pytest.param(lines(9), lines(8), [], id="too long before and shorter now"),
        pytest.param(lines(9), lines(9), [("FILE_SIZE", 4)], id="too long before and no shorter"),
        pytest.param(lines(2), lines(4), [("FILE_SIZE", 4)], id="grown"),
        pytest.param(None, b"\0" + lines(9), [], id="no text"),
        pytest.param(lines(9), None, [], id="deleted"),
        pytest.param(None, b"", [], id="empty"),
    ],
)
def test_a_file_may_not_be_longer(before, after, expected):
    assert found_by(SIZE, "a.py", before, after) == expected


def test_a_file_may_not_have_more_bytes():
    rule = {"type": "file_size", "max_bytes": 10}

    (finding,) = check([rule], "a.bin", None, b"\0" * 11)

    assert finding.message == "a.bin then has 11 bytes, 10 are allowed: split it"
    assert (finding.code, finding.line, json.loads(finding.rule)) == ("FILE_SIZE", None, rule)
    assert check([rule], "a.bin", b"\0" * 12, b"\0" * 11) == []


@pytest.mark.parametrize(
    ("scope", "path", "holds"),
    [
        pytest.param("src/**/*.ts", "src/a/b.ts", True, id="inside"),
        pytest.param("src/**/*.ts", "lib/b.ts", False, id="outside"),
        pytest.param(["lib/**", "!lib/gen/**"], "lib/b.ts", True, id="one of several"),
        pytest.param(["lib/**", "!lib/gen/**"], "lib/gen/b.ts", False, id="excluded"),
        pytest.param(None, "anything", True, id="no scope"),
    ],
)
def test_a_rule_holds_in_its_scope(scope, path, holds):
    assert bool(check([SIZE | {"scope": scope}], path, None, lines(4))) is holds


def test_a_rule_asks_for_a_refusal_only_where_it_says_so():
    rules = [SIZE, SIZE | {"enforce": "warn"}, SIZE | {"enforce": "deny"}]

    assert [finding.deny for finding in check(rules, "a", None, lines(4))] == [False, False, True]


def test_words_for_people_are_passed_over():
    assert check(["Keep files short", None, 7], "a", None, lines(99)) == []


# code_pattern


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(b"", b"a\nconsole.log(1)\n", [2], id="added"),
        pytest.param(None, b"console.log(1)\r\nb\r\nconsole.log(2)", [1, 3], id="in a new file"),
        pytest.param(b"console.log(1)\n", b"console.log(1)\nb\n", [], id="an old line"),
        pytest.param(b"console.log(1)\n", b"console.log(2)\n", [1], id="an old line that is altered"),
        pytest.param(b"a\nconsole.log(1)\n", b"console.log(1)\na\n", [], id="a line that moved"),
        pytest.param(b"console.log(1)\n", b"if (x) {\n    console.log(1)\n}\n", [], id="a line that is indented"),
        pytest.param(b"console.log(1)\n", b"console.log(1)\nconsole.log(1)\n", [2], id="a copy"),
        pytest.param(b"console.log(1)\n", b"a\n", [], id="removed"),
        pytest.param(b"", "console.log(1)\n".encode("utf-16"), [1], id="UTF-16"),
        pytest.param(b"", b"\xff\xfa console.log(1)\n", [1], id="another encoding"),
        pytest.param(b"", b"\0console.log(1)\n", [], id="no text"),
        pytest.param(b"a\x0cb\n", b"a\x0cb\nconsole.log\n", [2], id="a form feed ends no line"),
    ],
)
def test_lines_that_a_change_adds_may_not_hold_a_text(before, after, expected):
    assert found_by(LOG, "a.js", before, after) == [("CODE_PATTERN", line) for line in expected]


@pytest.mark.parametrize(
    ("pattern", "line", "held"),
    [
        ("eval(", "  x = eval(y)", True),
        ("eval(", "x = retrieval(y)", True),
        ("import * from", "import everything from 'x'", True),
        (r"import \* from", "import everything from 'x'", False),
        (r"import \* from", "import * from 'x'", True),
        (r"C:\temp", r"open('C:\temp')", True),
        ("def  f", "def\tf():", True),
        ("  password = ", "password =  'x'", True),
        ("a*b*c", "xxaxxbxxcxx", True),
        ("a*b*c", "cba", False),
        ("*", "anything", False),
        ("a*", "cab", True),
        ("", "anything", False),
        (".*", "a.b", True),
        (".*", "ab", False),
        ("[a-z]+", "abc", False),
    ],
)
def test_a_pattern_is_literal_but_for_the_asterisk(pattern, line, held):
    assert found(compiled(pattern), folded(line)) is held


@pytest.mark.parametrize(
    ("line", "held"),
    [
        ("eval(x)", True),
        ("retrieval(x)", False),
        ("retrieval(eval(x))", True),
        ("self.eval(x)", True),
    ],
)
def test_a_whole_word_is_not_found_inside_another(line, held):
    assert found(compiled("eval(", whole_words=True), line) is held


@pytest.mark.parametrize(
    ("pattern", "line", "held"),
    [
        ("log", "log1 blog", False),
        ("log", "log1 blog log", True),
        ("any", "company many any", True),
        ("a*b", "xa ab", True),
        ("a*b", "a bc", False),
        ("a*b", "a bc b", True),
    ],
)
def test_both_ends_of_a_whole_word_count(pattern, line, held):
    assert found(compiled(pattern, whole_words=True), line) is held


@given(st.text("ab*\\ ", max_size=8), st.text("ab* ", max_size=12))
def test_a_pattern_finds_what_an_expression_would(pattern, line):
    parts = [re.escape(part) for part in compiled(pattern).parts]

    assert found(compiled(pattern), line) is bool(parts and re.search(".*".join(parts), line))


def test_a_sentence_that_names_one_text_is_a_pattern():
    (finding,) = check([PROSE], "src/a.js", None, b"console.log(1)\n")

    assert finding.message == "line 1 of src/a.js holds `console.log`, which is forbidden there"
    assert check([PROSE], "src/a.test.js", None, b"console.log(1)\n") == []
    assert check([PROSE], "src/__tests__/a.js", None, b"console.log(1)\n") == []
    assert problems(PROSE) == []


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        pytest.param({}, [], id="alone"),
        pytest.param({"forbid": "alert"}, [("CODE_PATTERN", 1)], id="beside a text that is forbidden, too"),
        pytest.param({"forbid": "alert", "whole_words": True}, [], id="beside a whole word that is forbidden, too"),
    ],
)
def test_a_text_that_a_sentence_alone_names_is_a_whole_word(more, expected):
    assert found_by(PROSE | more, "src/a.js", None, b"console.logs(1)\n") == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "No magic numbers in handlers",
        "Use `logger` instead of console.log",
        "No console.log, use logger.info",
        "All functions must have docstrings",
        "No hard-coded secrets",
    ],
)
def test_a_sentence_that_names_no_text_or_several_is_told_how_to_be_written(sentence):
    rule = {"type": "code_pattern", "pattern": sentence, "enforce": "deny"}

    (problem,) = problems(rule)

    assert "write `forbid: console.log`" in problem
    assert found_by(rule, "a.py", None, b"x\n") == [("INVALID_CONSTRAINT", None)]


def test_exceptions_are_named_by_patterns():
    rule = LOG | {"scope": "src/**", "except": ["src/debug/**"]}

    assert found_by(rule, "src/debug/a.js", None, b"console.log") == []
    assert found_by(rule, "src/a.js", None, b"console.log") == [("CODE_PATTERN", 1)]


@pytest.mark.parametrize(
    ("before", "after", "denied"),
    [
        pytest.param(None, b"code\n", [True], id="a new file without it"),
        pytest.param(None, b"# Licence:   MIT\ncode\n", [], id="a new file with it"),
        pytest.param(b"# Licence: MIT\n", b"code\n", [True], id="taken away"),
        pytest.param(b"code\n", b"more code\n", [False], id="never there"),
    ],
)
def test_a_text_that_is_required_must_be_there(before, after, denied):
    rule = {"type": "code_pattern", "require": "Licence: *", "enforce": "deny"}

    assert [finding.deny for finding in check([rule], "a.py", before, after)] == denied


def test_a_flood_of_findings_is_cut():
    assert len(check([LOG], "a.js", None, b"console.log\n" * 10_000)) == 20


# problems


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        pytest.param("free text", "must be a mapping", id="text"),
        pytest.param({}, "`type` is missing", id="no type"),
        pytest.param({"type": "speed"}, "`type` 'speed' is not known; write one of file_size", id="unknown type"),
        pytest.param({"type": ["file_size"]}, "is not known", id="a list for a type"),
        pytest.param({"type": "file_size"}, "add `max_lines: 500`", id="no size"),
        pytest.param({"type": "file_size", "max_lines": "500"}, "must be a whole number", id="text for a number"),
        pytest.param({"type": "file_size", "max_lines": True}, "must be a whole number", id="yes for a number"),
        pytest.param({"type": "file_size", "max_lines": 0}, "must be a whole number", id="nothing allowed"),
        pytest.param(SIZE | {"scope": []}, "`scope` must be a pattern", id="no patterns"),
        pytest.param(SIZE | {"scope": 7}, "`scope` must be a pattern", id="a number for a pattern"),
        pytest.param(SIZE | {"scope": "/src"}, "`scope`: '/src': it is absolute", id="an absolute pattern"),
        pytest.param(SIZE | {"except": "../x"}, "`except`: '../x': it climbs", id="a bad exception"),
        pytest.param(SIZE | {"enforce": "block"}, "`enforce` must be `deny`", id="unknown enforcement"),
        pytest.param(SIZE | {"max_line": 3}, "`max_line` means nothing in a rule of type file_size", id="a typo"),
        pytest.param({"type": "code_pattern"}, "add `forbid: console.log`", id="no text"),
        pytest.param({"type": "code_pattern", "forbid": []}, "`forbid` must be a text", id="no texts"),
        pytest.param({"type": "code_pattern", "forbid": ["a", 1]}, "`forbid` must be a text", id="a number for a text"),
        pytest.param({"type": "code_pattern", "forbid": " * "}, "`forbid` must be a text", id="anything at all"),
        pytest.param({"type": "code_pattern", "forbid": "a\nb"}, "must be on one line", id="two lines"),
        pytest.param(LOG | {"whole_words": "yes"}, "`whole_words` must be", id="a word for a flag"),
        pytest.param({"type": "library_version", "min_version": "1"}, "`library` must be", id="no library"),
        pytest.param({"type": "library_version", "library": "x"}, "says no version", id="no version"),
        pytest.param(
            {"type": "library_version", "library": "x", "min_version": 5.1}, "in quotation marks", id="a float"
        ),
        pytest.param(
            {"type": "library_version", "library": "x", "exact": "new"}, "`exact` is no version", id="no version at all"
        ),
    ],
)
def test_a_rule_that_means_nothing_is_told_the_remedy(rule, said):
    assert any(said in problem for problem in problems(rule)), problems(rule)


@pytest.mark.parametrize(
    "rule",
    [
        SIZE | {"scope": "src/**/*.ts", "validation": "Check line count of modified files"},
        PROSE,
        LOG | {"require": ["use strict"], "except": ["a/**"], "whole_words": True, "enforce": "deny"},
        {"type": "library_version", "library": "bcrypt", "min_version": "5.0.0", "validation": "Check package.json"},
        {"type": "library", "name": "bcrypt", "min_version": 5},
    ],
)
def test_a_sound_rule_has_no_problems(rule):
    assert problems(rule) == []


def test_the_rules_of_the_page_about_them_are_sound():
    page = (Path(__file__).parents[3] / "docs" / "intents.md").read_text("utf-8")
    example = yaml.safe_load(re.search(r"```yaml\n(active_intents:.*?)```", page, re.DOTALL)[1])
    rules = [rule for rule in example["active_intents"][0]["constraints"] if isinstance(rule, dict)]

    assert [rule["type"] for rule in rules] == ["file_size", "code_pattern", "library_version"]
    assert [problems(rule) for rule in rules] == [[], [], []]


def test_a_rule_that_cannot_be_read_refuses_where_it_would_have_refused():
    broken = {"type": "file_size", "max_lines": "many"}

    findings = check([broken, broken | {"enforce": "deny"}], "a", None, b"x")

    assert [(finding.code, finding.deny) for finding in findings] == [
        ("INVALID_CONSTRAINT", False),
        ("INVALID_CONSTRAINT", True),
    ]


# whatever comes

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
fields = st.sampled_from(
    ["scope", "except", "enforce", "max_lines", "max_bytes", "pattern", "forbid", "require", "library", "min_version",
     "max_version", "exact", "file", "whole_words", "validation", "name"]
)  # fmt: skip
rules = st.builds(
    lambda kind, more: {"type": kind} | more,
    st.sampled_from(["file_size", "code_pattern", "library_version", "library", "other"]) | values,
    st.dictionaries(
        fields | st.text(max_size=4), values | st.sampled_from(["src/**", "5.0", "deny", "a*b"]), max_size=5
    ),
)
paths = st.sampled_from(["a.py", "package.json", "pyproject.toml", "src/go.mod", "pom.xml", "Gemfile", "weird\n"])


@pytest.mark.promise("G11")
@given(rules, paths, st.none() | st.binary(max_size=60), st.none() | st.binary(max_size=60))
def test_nothing_makes_it_raise(rule, path, before, after):
    findings = check([rule], path, before, after)

    assert all(isinstance(problem, str) for problem in problems(rule))
    assert all(finding.code and finding.rule for finding in findings)
