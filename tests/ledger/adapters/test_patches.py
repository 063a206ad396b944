"""Which files a patch in the V4A format names, and which lines only look as if they did."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.adapters.patches import targets

BEGIN, END = "*** Begin Patch\n", "*** End Patch"
# The end of a line is no part of a name, and a name that only differs in white space at its end cannot be told.
NAMES = st.text(st.characters(blacklist_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("*** Add File: a.py\n+x\n", [("a.py", "write")], id="added"),
        pytest.param("*** Update File: a.py\n@@\n-x\n+y\n", [("a.py", "edit")], id="updated"),
        pytest.param("*** Delete File: a.py\n", [("a.py", "delete")], id="deleted"),
        pytest.param(
            "*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+y\n",
            [("a.py", "rename_from"), ("b.py", "rename_to")],
            id="renamed",
        ),
        pytest.param("*** Update File: a.py\r\n@@\r\n-x\r\n", [("a.py", "edit")], id="line ends of Windows"),
        pytest.param("  *** Update File: a.py  \n@@\n-x\n", [("a.py", "edit")], id="indented header"),
        pytest.param("*** Add File: a.py\n+*** Delete File: b.py\n", [("a.py", "write")], id="added text"),
        pytest.param("*** Update File: a.py\n@@\n *** Delete File: b.py\n", [("a.py", "edit")], id="context"),
        pytest.param("*** Update File: a.py\n@@\n-*** Delete File: b.py\n", [("a.py", "edit")], id="removed text"),
        pytest.param(
            "*** Add File: a.py\n+x\n  *** Delete File: b.py\n",
            [("a.py", "write"), ("b.py", "delete")],
            id="an indented header behind added text counts",
        ),
        pytest.param(
            "*** Add File: a.py\n+x\n\u00a0\x0c*** Delete File: b.py\u2003\n",
            [("a.py", "write"), ("b.py", "delete")],
            id="what else is white space around a header",
        ),
        pytest.param("*** Add File: my notes 📝.md\n+x\n", [("my notes 📝.md", "write")], id="spaces and emoji"),
        pytest.param("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n", [], id="a patch of another format"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_headers_name_files_and_content_does_not(body, expected):
    assert targets(BEGIN + body + END) == tuple(expected)


@pytest.mark.slow
@given(st.lists(NAMES, max_size=6, unique=True), st.lists(st.text(max_size=60), max_size=6))
def test_whatever_is_added_the_files_are_those_of_the_headers(names, content):
    added = "".join(f"+{line}\n" for text in content for line in text.split("\n"))

    patch = BEGIN + "".join(f"*** Add File: {name}\n{added}" for name in names) + END

    assert targets(patch) == tuple((name, "write") for name in names)
