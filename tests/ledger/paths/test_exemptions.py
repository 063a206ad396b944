"""Which paths need no intent: as git itself would say, and nothing where there is doubt."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linetrail.ledger.paths.names import LARGEST, Exemptions, exemptions, exemptions_of
from tests.examples import examples

PIECES = [
    "*",
    "**",
    "**/",
    "/**",
    "?",
    "/",
    "!",
    "\\",
    "[",
    "]",
    "-",
    "^",
    "a",
    "b",
    "ab",
    " ",
    "#",
    ".",
    "é",
    "a/",
    "/b",
]
PIECES += [
    "[ab]",
    "[!a]",
    "[^b]",
    "[a-c]",
    "[]a]",
    "[[:alpha:]]",
    "[[:x:]]",
    "[a/b]",
    "\\*",
    "\\a",
    "\\/",
    "**\\/",
    "foo",
]
patterns = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
names = st.text(alphabet="abcé*[ #!\\-fo.", min_size=1, max_size=3).filter(lambda name: name.strip(".") != "")
paths = st.lists(names, min_size=1, max_size=4).map("/".join)
contents = st.lists(st.one_of(patterns, paths), max_size=5).map("\n".join)


class Git:
    """A repository in which git is asked what it ignores."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        subprocess.run(["git", "init", "--quiet", str(folder)], check=True)

    def decides(self, content: bytes, asked: list[str]) -> dict[str, tuple[int, str] | None]:
        """Return the line and pattern that decide about each path."""
        (self.folder / ".gitignore").write_bytes(content)
        command = ["git", "check-ignore", "--no-index", "--stdin", "-z", "-v", "-n"]
        done = subprocess.run(
            command,
            cwd=self.folder,
            input="".join(f"{path}\0" for path in asked).encode(),
            capture_output=True,
            check=False,
        )
        assert done.returncode in {0, 1}, done.stderr
        fields = [os.fsdecode(field) for field in done.stdout.split(b"\0")[:-1]]
        rows = zip(*[iter(fields)] * 4, strict=True)
        return {path: (int(line), pattern) if line else None for _, line, pattern, path in rows}


@pytest.fixture(scope="module")
def git(tmp_path_factory) -> Git:
    return Git(tmp_path_factory.mktemp("ignoring") / "repo")


def ours(content: bytes, asked: list[str]) -> dict[str, tuple[int, str] | None]:
    found = exemptions_of(content)
    return {path: rule and (rule.line_no, rule.pattern) for path in asked for rule in [found.last(path)]}


@settings(max_examples=examples(150))
@given(content=contents, asked=st.lists(paths, min_size=1, max_size=20, unique=True))
def test_git_decides_the_same(git, content, asked):
    assert ours(content.encode(), asked) == git.decides(content.encode(), asked)


@pytest.mark.soak
@settings(max_examples=5_000)
@given(content=contents, asked=st.lists(paths, min_size=1, max_size=20, unique=True))
def test_git_decides_the_same_a_hundred_thousand_times(git, content, asked):
    assert ours(content.encode(), asked) == git.decides(content.encode(), asked)


@pytest.mark.daily(81)
@pytest.mark.parametrize(
    "pattern",
    [
        "a/foo**",
        "a/foo**/b",
        "a/***/b",
        "a/**\\/b",
        "/**/b",
        "**",
        "/",
        "//",
        "a//b",
        "a/b/",
        "!a",
        "\\!a",
        "\\#a",
        "a\\ ",
        "a ",
        "a \r",
        "a\\",
        "[[:alpha:]",
        "[a",
        "[]",
        "[]-a]",
        "[a-]",
        "[\\]]",
        "[a\\-z]",
        "*a*b*a*",
        "a*/b",
        "caf?",
        "caf??",
    ],
)
def test_odd_patterns_are_read_as_git_reads_them(git, pattern):
    stems = ["a", "b", "ab", "a ", "!a", "#a", "\\", "]", "-", "z", "café", "foo", "foob", "a\\"]
    asked = stems + [f"{one}/{two}" for one in stems for two in stems]
    asked += ["a/foox/y/b", "a/foo/x/b", "a/x/b", "a/x/y/b", "x/a/b"]

    assert ours(pattern.encode(), asked) == git.decides(pattern.encode(), asked)


def test_named_classes_hold_what_git_holds(git):
    classes = [
        "alnum",
        "alpha",
        "blank",
        "cntrl",
        "digit",
        "graph",
        "lower",
        "print",
        "punct",
        "space",
        "upper",
        "xdigit",
    ]
    asked = [f"x{chr(code)}" for code in range(1, 128) if chr(code) != "/"] + ["xé"]

    for name in classes:
        content = f"x[[:{name}:]]*".encode()
        assert ours(content, asked) == git.decides(content, asked), name


def test_a_folder_that_exists_is_matched_by_a_pattern_for_folders(git):
    (git.folder / "made" / "in").mkdir(parents=True)
    content = b"made/\n!made/in/\nin/\n"

    assert exemptions_of(content).match("made", is_dir=True) == git.decides(content, ["made"])["made"] == (1, "made/")
    assert exemptions_of(content).match("made") is None
    assert exemptions_of(content).match("made/in", is_dir=True) == git.decides(content, ["made/in"])["made/in"]


def test_what_was_taken_back_is_not_exempt():
    found = exemptions_of(b"docs/*\n!docs/api.md\n")

    assert found.match("docs/notes.md") == (1, "docs/*")
    assert found.match("docs/api.md") is None
    assert found.last("docs/api.md").pattern == "!docs/api.md"


class TestFile:
    def write(self, folder: Path, content: bytes) -> Exemptions:
        (folder / ".intentignore").write_bytes(content)
        return exemptions(str(folder))

    def test_no_file_exempts_nothing_and_is_no_problem(self, tmp_path):
        found = exemptions(str(tmp_path))

        assert found.match("a") is None
        assert found.problem is None

    @pytest.mark.parametrize(
        "content",
        [
            pytest.param(b"*.md\n\xff\n", id="not UTF-8"),
            pytest.param(b"*\n" + b"#" * LARGEST, id="too large"),
            pytest.param(b"*\n" + b"".join(b"%050d\n" % at for at in range(2_000)), id="too many patterns"),
            pytest.param(b"*\n" + b"*a" * 40_000, id="a pattern that is too long"),
            pytest.param(b"*\n" + b"".join(b"[%c-z]\n" % code for code in range(48, 122)), id="too many sets"),
        ],
    )
    def test_a_file_that_cannot_be_used_exempts_nothing(self, tmp_path, content):
        found = self.write(tmp_path, content)

        assert found.match("a.md") is None
        assert ".intentignore" in found.problem

    def test_a_link_is_not_followed(self, tmp_path):
        (tmp_path / "elsewhere").write_text("*\n")
        (tmp_path / ".intentignore").symlink_to("elsewhere")

        found = exemptions(str(tmp_path))

        assert found.match("a") is None
        assert found.problem is not None

    def test_a_pipe_is_not_waited_for(self, tmp_path):
        os.mkfifo(tmp_path / ".intentignore")

        assert exemptions(str(tmp_path)).problem is not None

    def test_a_byte_order_mark_belongs_to_no_pattern(self, tmp_path):
        assert self.write(tmp_path, b"\xef\xbb\xbfa\n").match("a") == (1, "a")
