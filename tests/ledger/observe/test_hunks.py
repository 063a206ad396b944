"""Patches in the V4A format and unified diffs: what they say of contents, and texts that they are done on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.observe import hunks
from linetrail.ledger.observe.hunks import Hunk, applied, files, unified


def update(*lines):
    """Return the hunks of a patch that updates one file."""
    return files("\n".join(["*** Begin Patch", "*** Update File: a.py", *lines, "*** End Patch"]))[0].hunks


@pytest.mark.parametrize(
    ("before", "lines", "after"),
    [
        pytest.param("a\nb\nc\n", ["@@", " a", "-b", "+B", " c"], "a\nB\nc\n", id="a line among context"),
        pytest.param("a\nb\n", ["-b", "+B"], "a\nB\n", id="a first hunk without a header"),
        pytest.param("a\nx\nb\nx\n", ["@@ b", "-x", "+y"], "a\nx\nb\ny\n", id="behind a line that is named"),
        pytest.param("x\na\nx\n", ["@@", "-x", "+y", "*** End of File"], "x\na\ny\n", id="at the end of the file"),
        pytest.param("x\nx\n", ["@@", "-x", "+1", "@@", "-x", "+2"], "1\n2\n", id="two hunks in order"),
        pytest.param("a\n", ["@@", "+b"], "a\nb\n", id="nothing to find: at the end"),
        pytest.param("a  \nb\n", ["@@", " a", "-b", "+c"], "a\nc\n", id="white space at the end of a line"),
        pytest.param("a\r\nb\r\n", ["@@", " a", "-b", "+c"], "a\r\nc\r\n", id="lines that end as on Windows"),
        pytest.param(
            "a\n\nb\n", ["@@", " a", "", "-b", "+c"], "a\n\nc\n", id="an empty line of context without its space"
        ),
        pytest.param("a\n", ["@@", "-a"], "", id="the last line goes"),
    ],
)
def test_a_patch_is_done_where_its_old_lines_stand(before, lines, after):
    assert applied(before, update(*lines)) == after


@pytest.mark.parametrize(
    ("before", "lines"),
    [
        pytest.param("a\nb\n", ["@@", "-c", "+d"], id="lines that are not there"),
        pytest.param("b\na\n", ["@@ nowhere", "-a", "+d"], id="behind a line that is not there"),
        pytest.param("b\na\n", ["@@", "-a", "+1", "@@", "-b", "+2"], id="hunks in another order"),
    ],
)
def test_a_patch_that_does_not_belong_to_a_text_is_not_guessed_at(before, lines):
    assert applied(before, update(*lines)) is None


def test_every_file_of_a_patch_is_read():
    patch = (
        "*** Begin Patch\n*** Add File: new.py\n+one\n+\n*** Delete File: gone.py\n"
        "*** Update File: old.py\n*** Move to: moved.py\n@@\n-1\n+2\n*** End Patch\n"
    )

    added, deleted, moved = files(patch)

    assert (added.verb, added.path, added.content) == (hunks.ADD, "new.py", "one\n\n")
    assert (deleted.verb, deleted.path) == (hunks.DELETE, "gone.py")
    assert (moved.path, moved.move_to, moved.hunks) == ("old.py", "moved.py", (Hunk(("1",), ("2",)),))


def test_a_header_inside_a_hunk_is_content():
    (one,) = files("*** Update File: a.md\n@@\n *** Add File: not.py\n-x\n+*** Delete File: not.py\n")

    assert one.hunks == (Hunk(("*** Add File: not.py", "x"), ("*** Add File: not.py", "*** Delete File: not.py")),)


def test_a_unified_diff_counts_by_its_numbers():
    diff = "--- a\n+++ b\n@@ -2,1 +2,1 @@\n-x\n+y\n\\ No newline at end of file\n"

    assert applied("x\nx\n", unified(diff)) == "x\ny\n"
    assert applied("x\nz\n", unified(diff)) is None
    assert applied("a\nb\n", unified("@@ -1,0 +2 @@\n+new\n")) == "a\nnew\nb\n"


@given(st.text(alphabet="*@+- \nabEFAUdile:\r", max_size=200), st.text(max_size=50))
def test_nothing_that_looks_like_a_patch_is_an_error(patch, text):
    for one in files(f"*** Update File: a\n{patch}"):
        applied(text, one.hunks)
    applied(text, unified(patch))


@given(st.lists(st.sampled_from(["a", "b", "", "x  "])), st.lists(st.sampled_from(["a", "c", ""])))
def test_a_hunk_of_whole_texts_leads_from_one_to_the_other(old, new):
    before, after = ("".join(f"{line}\n" for line in lines) for lines in (old, new))

    assert applied(before, [Hunk(tuple(old), tuple(new))] if old else []) == (after if old else before)
