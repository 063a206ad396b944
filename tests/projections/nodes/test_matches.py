"""Which definition is which after a step: by name and place, by its text, by what resembles, with the reason."""

import textwrap

import pytest

from linetrail.projections.nodes.matches import follow
from linetrail.projections.nodes.sides import Side
from linetrail.projections.syntax.definitions import index
from linetrail.projections.syntax.language import language_of

TOTAL = """\
def total(prices):
    amount = 0
    for price in prices:
        amount += price.value
    log(amount)
    return amount
"""
AVERAGE = """\
def average(values):
    if not values:
        raise ValueError("nothing to average")
    count = len(values)
    return sum(values) / count
"""
ROUNDED = """\
def rounded(value):
    if isinstance(value, str):
        value = decimal.Decimal(value)
    cents = value.quantize(decimal.Decimal("0.01"))
    check(cents, value, LIMIT)
    return cents
"""
ACCOUNT = """\
class Account:
    def __init__(self, owner):
        self.owner = owner
        self.entries = []

    def add(self, entry):
        check(entry)
        self.entries.append(entry)
        return len(self.entries)

    def name(self):
        return self.owner
"""


def side(path, text):
    content = textwrap.dedent(text).encode()
    return Side(path, content, index(language_of(path), content))


def sides(files):
    return [side(path, text) for path, text in files.items()]


def followed(before, after, **options):
    """Return what became of each definition: name before -> name after, what happened, how it is known."""
    named = {}
    for match in follow(sides(before), sides(after), **options):
        one, other = (f"{place.path}:{place.definition.qualified}" for place in (match.before, match.after))
        named[one, other] = (match.kinds, match.evidence)
    return named


def test_what_nobody_touched_is_what_it_was():
    assert followed({"a.py": TOTAL}, {"a.py": f"import sys\n\n\n{TOTAL}"}) == {
        ("a.py:total", "a.py:total"): ((), ("text identical",))
    }


def test_layout_is_no_edit():
    [(kinds, evidence)] = followed({"a.py": TOTAL}, {"a.py": TOTAL.replace(" = 0", "  =  0  # nothing yet")}).values()

    assert (kinds, evidence) == (("reformatted",), ("only layout and comments differ",))


def test_an_edited_definition_keeps_its_name_and_place():
    after = TOTAL.replace("log(amount)", "audit(amount)")

    assert followed({"a.py": TOTAL}, {"a.py": after}) == {
        ("a.py:total", "a.py:total"): (("edited",), ("0.83 of its lines",))
    }


def test_a_definition_that_was_written_anew_is_still_the_one_of_that_name():
    after = "def total(prices):\n    return functools.reduce(operator.add, prices)\n"

    assert ("a.py:total", "a.py:total") in followed({"a.py": TOTAL}, {"a.py": after})


def test_a_renamed_definition_is_known_by_its_body():
    before = TOTAL + "\n\nprint(total([]))\n"

    assert followed({"a.py": before}, {"a.py": before.replace("total", "amount_due")}) == {
        ("a.py:total", "a.py:amount_due"): (
            ("renamed",),
            ("renamed `total` → `amount_due`, in 2 places", "body identical"),
        )
    }


def test_two_names_that_were_swapped_go_with_their_bodies():
    before = f"{TOTAL}\n\n{AVERAGE}"
    after = before.replace("total", "x").replace("average", "total").replace("x(prices)", "average(prices)")

    assert set(followed({"a.py": before}, {"a.py": after})) == {
        ("a.py:total", "a.py:average"),
        ("a.py:average", "a.py:total"),
    }


def test_a_body_that_got_another_name_left_its_own_to_what_calls_it():
    after = TOTAL.replace("total", "_sum_up") + "\n\ndef total(prices):\n    return _sum_up(filter(None, prices))\n"

    assert set(followed({"a.py": TOTAL}, {"a.py": after})) == {("a.py:total", "a.py:_sum_up")}


def test_a_short_definition_with_another_name_is_known_by_its_uses():
    before = (
        "class A:\n    def get(self):\n        return self.x\n\n    def twice(self):\n        return 2 * self.get()\n"
    )
    after = before.replace("get", "read").replace("return self.x", "return self.y")

    assert followed({"a.py": before}, {"a.py": after})["a.py:A.get", "a.py:A.read"][0] == ("renamed", "edited")


def test_methods_go_with_their_class_when_it_is_renamed():
    found = followed({"a.py": ACCOUNT}, {"a.py": ACCOUNT.replace("Account", "Ledger")})

    assert found["a.py:Account", "a.py:Ledger"][0] == ("renamed",)
    assert found["a.py:Account.name", "a.py:Ledger.name"] == (
        ("carried",),
        ("`Account` around it was renamed `Ledger`", "text identical"),
    )
    assert len(found) == 4


def test_a_definition_is_followed_into_another_file():
    found = followed({"a.py": f"{TOTAL}\n\n{AVERAGE}", "b.py": ""}, {"a.py": AVERAGE, "b.py": TOTAL})

    assert found["a.py:total", "b.py:total"] == (("moved",), ("moved from a.py to b.py", "text identical"))


def test_it_may_get_another_name_and_be_edited_on_the_way():
    after = {"a.py": AVERAGE, "b.py": TOTAL.replace("total", "amount_due").replace("log(", "audit(")}

    found = followed({"a.py": f"{TOTAL}\n\n{AVERAGE}", "b.py": ""}, after)

    assert found["a.py:total", "b.py:amount_due"][0] == ("renamed", "moved", "edited")


def test_a_method_becomes_a_function():
    before = f"{ACCOUNT}\n    @staticmethod\n{textwrap.indent(TOTAL, '    ')}"

    found = followed({"a.py": before}, {"a.py": f"{ACCOUNT}\n\n{TOTAL}"})

    assert found["a.py:Account.total", "a.py:total"][0] == ("moved", "edited")


def test_a_file_that_is_renamed_takes_along_what_it_defines():
    assert followed({"a.py": TOTAL}, {"b.py": TOTAL}) == {
        ("a.py:total", "b.py:total"): (("carried",), ("its file was renamed a.py → b.py", "text identical"))
    }


def test_a_name_that_git_knows_of_a_file_is_believed():
    before, after = {"a.py": f"{TOTAL}\n\n{AVERAGE}"}, {"b.py": "def total(x):\n    return x\n"}

    assert set(followed(before, after, renamed={"a.py": "b.py"})) == {("a.py:total", "b.py:total")}


def test_short_definitions_are_not_found_again_in_other_files_by_their_lines_alone():
    getter = "def name(self):\n    return self._name\n"

    assert followed({"a.py": getter + TOTAL, "b.py": ""}, {"a.py": TOTAL, "b.py": getter}).keys() == {
        ("a.py:total", "a.py:total")
    }


def test_a_short_one_is_found_where_an_import_leads():
    before = {"a.py": f"def half(x):\n    return x / 2\n\n\n{TOTAL}", "b.py": "import sys\n"}
    after = {"a.py": f"from b import half\n\n\n{TOTAL}", "b.py": "import sys\n\n\ndef half(x):\n    return x / 2\n"}

    assert ("a.py:half", "b.py:half") in followed(before, after)


def test_a_short_one_is_found_where_a_file_was_made_for_it():
    before = {"a.py": f"def half(x):\n    return x / 2\n\n\n{TOTAL}"}

    assert ("a.py:half", "b.py:half") in followed(before, {"a.py": TOTAL, "b.py": "def half(x):\n    return x / 2\n"})


def test_what_was_edited_on_the_way_is_known_by_its_name_where_no_other_has_it():
    other = TOTAL.replace("amount = 0", "amount = zero()").replace("log", "audit").replace("price.value", "price")

    found = followed({"a.py": f"{TOTAL}\n\n{AVERAGE}", "b.py": ""}, {"a.py": AVERAGE, "b.py": other})

    assert found["a.py:total", "b.py:total"][0] == ("moved", "edited")


def test_equal_definitions_keep_their_order_and_their_class():
    empty = "class {}:\n    def close(self):\n        pass\n\n    def open(self):\n        pass\n"
    before = empty.format("A") + empty.format("B")

    assert set(followed({"a.py": before}, {"a.py": before.replace("class B", "class C")})) >= {
        ("a.py:A.close", "a.py:A.close"),
        ("a.py:B.close", "a.py:C.close"),
        ("a.py:B.open", "a.py:C.open"),
    }


def test_what_was_deleted_and_what_is_new_are_not_each_other():
    assert followed({"a.py": TOTAL}, {"a.py": AVERAGE}) == {}


def test_one_that_became_two_is_neither_and_both_come_from_it():
    one, two = (TOTAL.replace("total", name).replace("log", f"log_{name}") for name in ("net", "gross"))

    assert {pair: kinds for pair, (kinds, _) in followed({"a.py": TOTAL}, {"a.py": f"{one}\n\n{two}"}).items()} == {
        ("a.py:total", "a.py:net"): ("split",),
        ("a.py:total", "a.py:gross"): ("split",),
    }


def test_what_was_cut_out_says_of_what():
    before = f"{AVERAGE}    # and then\n    check(values)\n    print(values)\n    return count\n"
    after = """\
    def average(values):
        require(values)
        check(values)
        print(values)
        return count


    def require(values):
        if not values:
            raise ValueError("nothing to average")
        count = len(values)
        return sum(values) / count
    """

    found = followed({"a.py": before}, {"a.py": after})

    assert found["a.py:average", "a.py:require"] == (("split",), ("1.00 of its lines were cut out of `average`",))
    assert found["a.py:average", "a.py:average"][0] == ("edited",)


def test_what_was_put_into_another_says_into_what():
    before = f"{TOTAL}\n\ndef report(rows):\n    print(total(rows.prices))\n    return rows\n"
    after = """\
    def report(rows):
        amount = 0
        for price in rows.prices:
            amount += price.value
        log(amount)
        print(amount)
        return rows
    """

    found = followed({"a.py": before}, {"a.py": after})

    assert found["a.py:total", "a.py:report"] == (("merged",), ("0.60 of its lines were put into `report`",))


def test_what_was_written_out_in_what_was_around_it_says_so():
    before = f"def report(prices):\n{textwrap.indent(TOTAL, '    ')}\n    print(total(prices))\n    return prices\n"
    body = TOTAL.removeprefix("def total(prices):\n").replace("return amount", "print(amount)")

    found = followed({"a.py": before}, {"a.py": f"def report(prices):\n{body}    return prices\n"})

    assert found["a.py:report.total", "a.py:report"][0] == ("merged",)


def test_names_may_change_where_one_is_put_into_another():
    before = f"{ROUNDED}\n\ndef report(row):\n    print(rounded(row))\n    return row\n"
    after = ROUNDED.replace("def rounded(value)", "def report(row)").replace("value", "row").replace("cents", "number")
    after = after.replace("    return number", "    print(number)\n    return row")

    found = followed({"a.py": before}, {"a.py": after})

    assert found["a.py:rounded", "a.py:report"][0] == ("merged",)


@pytest.mark.slow
def test_many_equal_definitions_are_matched_in_order():
    same = "".join(f"class C{at}:\n    def close(self):\n        pass\n\n" for at in range(1000))

    assert ("a.py:C999.close", "a.py:D999.close") in followed(
        {"a.py": same}, {"a.py": same.replace("class C", "class D")}
    )
