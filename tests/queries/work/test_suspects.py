"""Who is behind a check that fails only together: the intent, and which of its definitions."""

import sys

import pytest

from linetrail.queries.work.suspects import edited, put_back, side

SHOP = """\
def rate():
    return 1


def total(items):
    return sum(items)


def shown(items):
    return str(total(items))
"""
PAYING = """\
from src.cart.total import shown


def receipt(items):
    return f"sum {shown(items)}"
"""
FILES = {
    "src/cart/total.py": SHOP,
    "src/cart/rate €.txt": "1\n",
    "src/pay/card.py": "def receipt(items):\n    return 'none yet'\n",
    "tests/test_receipt.py": """\
from src.pay.card import receipt


def test_receipt():
    assert receipt([1, 2]) in ("none yet", "sum 3")


test_receipt()
""",
}
CHECK = f"PYTHONPATH=. {sys.executable} -B tests/test_receipt.py || ! echo FAILED tests/test_receipt.py::test_receipt"
# Passes but for the second time, and from the fifth on.
MOODY = "echo >> {0}; case $(wc -l < {0}) in 1|3|4) ;; *) false;; esac"
TESTED = "tests/test_receipt.py:test_receipt"


@pytest.fixture
def evicted(shop, returned, cli):
    """Return a function that lands one change of a file, and tells of what is evicted since it fails with that."""
    shop.commit(files=FILES)

    def land(path, changed, works=PAYING, check=CHECK):
        returned("INT-001", path, changed)
        returned("INT-002", "src/pay/card.py", works)
        first, second = cli("land", "--check", check, "--json").rows
        assert (first["outcome"], second["code"]) == ("landed", "CHECK_FAILED")
        return second

    return land


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "definition", "used_by"),
    [
        pytest.param(SHOP.replace("sum(items)", "sum(items) + 1"), "total", TESTED, id="changed"),
        pytest.param(SHOP.replace("def shown", "def show"), "shown", TESTED, id="renamed"),
        pytest.param(f"{SHOP}\n\ndef sum(items):\n    return 0\n", "sum", None, id="added"),
    ],
)  # fmt: skip
def test_the_definition_that_breaks_what_another_wrote_is_named(shop, evicted, changed, definition, used_by):
    changed = changed.replace("return 1", "return 2")  # which nobody calls

    row = evicted("src/cart/total.py", changed)

    (verdict,) = row["verdicts"]
    assert row["suspects"] == [verdict["intent_id"]] == ["INT-001"]
    assert (verdict["path"], verdict["definition"], verdict["used_by"]) == ("src/cart/total.py", definition, used_by)
    assert (verdict["evidence"], verdict["confidence"]) == ("with this alone as it was before, the check passes", 0.95)
    (told,) = shop.events("work.moved")[-1].data["findings"]
    assert (told["code"], told["path"]) == ("SUSPECT", "src/cart/total.py")


@pytest.mark.slow
def test_two_definitions_that_break_it_together_are_said_to_be_several(evicted):
    changed = SHOP.replace("sum(items)", "2 * sum(items)").replace("str(total(items))", "str(total(items) + 1)")

    (verdict,) = evicted("src/cart/total.py", changed)["verdicts"]

    assert verdict["definition"] in ("shown", "total")
    assert (verdict["evidence"], verdict["confidence"]) == (
        "with this and 1 more as they were before, the check passes",
        0.7,
    )


@pytest.mark.slow
def test_a_file_that_defines_nothing_is_named_as_a_whole(evicted):
    works = "def receipt(items):\n    return 'sum 3' if open('src/cart/rate €.txt').read() == '1\\n' else ''\n"

    (verdict,) = evicted("src/cart/rate €.txt", "\xff\n2\n", works)["verdicts"]

    assert (verdict["path"], verdict["definition"]) == ("src/cart/rate €.txt", None)


@pytest.mark.slow
def test_a_check_that_fails_whatever_is_put_back_names_the_intent_alone(evicted, tmp_path):
    (verdict,) = evicted("src/cart/new.py", "def new(: broken\n", check=MOODY.format(tmp_path / "times"))["verdicts"]

    assert (verdict["intent_id"], verdict["path"], verdict["confidence"]) == ("INT-001", None, 0.9)


CLASS = "class Cart:\n    def add(self):\n        pass\n\n    def total(self):\n        return 1\n\n    size = 3\n"
WINDOWS = SHOP.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        pytest.param(CLASS, CLASS.replace("return 1", "return 2"), ["Cart.total"], id="a method"),
        pytest.param(CLASS, CLASS.replace("def total", "def sum"), ["Cart.sum", "Cart.total"], id="a method renamed"),
        pytest.param(CLASS, CLASS.partition("\n    def t")[0], ["Cart.size", "Cart.total"], id="the end of a class"),
        pytest.param(SHOP, f"{CLASS}\n\n{SHOP}", ["Cart"], id="a class with all that is in it"),
        pytest.param(f"{CLASS}\n\n{SHOP}", SHOP, ["Cart"], id="a class that is gone"),
        pytest.param(SHOP, SHOP.replace("    return 1", "    # one\n    return 1"), [], id="a comment alone"),
        pytest.param(WINDOWS, WINDOWS.replace("1", "2"), ["rate"], id="line ends"),
        pytest.param("\0\xff", "\0", [], id="no text"),
        pytest.param("def a(:\n", "def a(): pass\n", ["a"], id="what did not parse"),
    ],
)  # fmt: skip
def test_what_was_changed_is_told_by_the_smallest_definitions_and_can_be_put_back(before, after, names):
    was, now = (side("shop.py", text.encode("latin-1")) for text in (before, after))

    assert edited(was, now) == names
    content = put_back(was, now, names)
    assert edited(was, side("shop.py", content)) == []
    assert put_back(was, now, [*names, None]) == was.content
    assert (put_back(None, now, [None]), put_back(was, None, [None])) == (None, was.content)
