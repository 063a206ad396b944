"""Which expressions of Python say the same, and which only look like it.

What is said to be the same is run on values of the kind that it is about, too.
"""

import itertools
import json

import pytest

from tests.projections.proof.judging import judged

ANY = (None, 0, 1, -2, 2.5, "", "ab", [], [0], (1, 2), {"k": 0})
TEXTS = ("", "a", "a b", "{}", "%s", "ÄÖ")
NUMBERS = (0, 1, -7, 12)
LISTS = ([], [1], [2, 1, 2], [[1, 2], [3, 4]])
DICTS: tuple[dict[object, object], ...] = ({}, {1: 2}, {"k": 0, "l": 3})

SAME = {
    "not of and": (ANY, "not (a and b)", "not a or not b"),
    "not of or": (ANY, "not (a or b)", "not a and not b"),
    "not of a comparison": (ANY, "not a == b", "a != b"),
    "not of in": (LISTS, "not a in b", "a not in b"),
    "not of is": (ANY, "not a is None", "a is not None"),
    "not twice": (ANY, "not not a", "bool(a)"),
    "not of an order of lengths": (LISTS, "not len(a) > len(b)", "len(a) <= len(b)"),
    "a literal on the left": (NUMBERS, "1 < a", "a > 1"),
    "a chain of comparisons": (NUMBERS, "1 < a < b", "1 < a and a < b"),
    "True and False by condition": (ANY, "True if a == b else False", "a == b"),
    "True and False by anything": (ANY, "True if a else False", "bool(a)"),
    "False and True by condition": (ANY, "False if a else True", "not a"),
    "the other branch first": (ANY, "1 if not a else 2", "2 if a else 1"),
    "the other branch first, by two conditions": (ANY, "1 if not (a and b) else 2", "2 if a and b else 1"),
    "itself or another": (ANY, "a if a else b", "a or b"),
    "another or itself": (ANY, "b if a else a", "a and b"),
    "the same result twice": (ANY, "1 if a else 1 if b else 2", "1 if a or b else 2"),
    "len() compared with nothing": (LISTS, "len(a) > 0", "len(a) != 0"),
    "% with one value": (("a", 1, None, [1]), "'%s!' % a", "f'{a}!'"),
    "% with several values": (ANY, "'%s=%r%%' % (a, b)", "f'{a}={b!r}%'"),
    "% with numbers": (NUMBERS, "'%d|%5d|%05d|%.2f' % (a, b, b, a)", "f'{a:d}|{b:5d}|{b:05d}|{a:.2f}'"),
    "% with a number in hexadecimal": (NUMBERS, "'%x' % (abs(b),)", "f'{abs(b):x}'"),
    "% with alignment": (TEXTS, "'%5s|%-5s|' % (a, b)", "f'{a:>5}|{b:<5}|'"),
    "% with keys": (ANY, "'%(x)s-%(y)s' % {'x': a, 'y': b}", "f'{a}-{b}'"),
    "format() by position": (ANY, "'{} {}'.format(a, b)", "f'{a} {b}'"),
    "format() by number": (ANY, "'{1} {0} {1}'.format(a, b)", "f'{b} {a} {b}'"),
    "format() by name": (ANY, "'{x!r:>9} {{}}'.format(x=a)", "f'{a!r:>9} {{}}'"),
    "format() with attributes and items": (DICTS, "'{0[k]}{0.__class__}'.format(a)", "f'{a[\"k\"]}{a.__class__}'"),
    "repr() in a format": (ANY, "f'{repr(a)}'", "f'{a!r}'"),
    "str() in a format": (ANY, "f'{str(a)}'", "f'{a}'"),
    "a literal in a format": (ANY, "f'{\"x\"}{a}'", "f'x{a}'"),
    "a string without values": (ANY, "f'x'", "'x'"),
    "concatenation": (TEXTS, "'<' + a + ': ' + b", "f'<{a}: {b}'"),
    "concatenation of literals": (TEXTS, "'a' + 'b'", "'ab'"),
    "concatenation with str()": (NUMBERS, "'n' + str(a)", "f'n{a}'"),
    "join of a known list": (TEXTS, "'-'.join([a, b, 'x'])", "f'{a}-{b}-x'"),
    "split of a known string": (TEXTS, "'a b'.split()", "['a', 'b']"),
    "encode() of a literal": (TEXTS, "'abc'.encode('utf-8')", "b'abc'"),
    "encode() by default": (TEXTS, "a.encode('utf-8')", "a.encode()"),
    "text without its beginning": (TEXTS, "a[1:] if a.startswith('a') else a", "a.removeprefix('a')"),
    "text without its end": (TEXTS, "a[:-len('b')] if a.endswith('b') else a", "a.removesuffix('b')"),
    "a literal of its own type": (ANY, "str('x')", "'x'"),
    "an empty literal": (ANY, "(str(), int(), list(), dict(), tuple())", "('', 0, [], {}, ())"),
    "the type of a literal": (ANY, "type('')", "str"),
    "int() of a length": (LISTS, "int(len(a))", "len(a)"),
    "getattr() with a known name": (ANY, "getattr(a, 'real')", "a.real"),
    "range() from 0": (NUMBERS, "range(0, a)", "range(a)"),
    "in the keys": (DICTS, "1 in a.keys()", "1 in a"),
    "get() of None": (DICTS, "a.get('k', None)", "a.get('k')"),
    "an item or a default": (DICTS, "a['k'] if 'k' in a else 5", "a.get('k', 5)"),
    "an item or a default, negated": (DICTS, "5 if 'k' not in a else a['k']", "a.get('k', 5)"),
    "keys and values": (DICTS, "list(zip(a.keys(), a.values()))", "list(a.items())"),
    "type(None)": (ANY, "isinstance(a, type(None))", "a is None"),
    "type() is type(None)": (ANY, "type(a) is type(None)", "a is None"),
    "nested min()": (NUMBERS, "min(a, min(b, 3))", "min(a, b, 3)"),
    "the larger one": (NUMBERS, "a if a > b else b", "max(b, a)"),
    "keywords in a dictionary": (ANY, "f(**{'x': a})", "f(x=a)"),
    "positions in a list": (NUMBERS, "max(*[a, b])", "max(a, b)"),
    "a lambda that only calls": (LISTS, "sorted(a, key=lambda x: str(x))", "sorted(a, key=str)"),
    "set() of a list": (NUMBERS, "set([a, b])", "{a, b}"),
    "dict() of keywords": (ANY, "dict(x=a)", "{'x': a}"),
    "dict() of pairs": (NUMBERS, "dict([(a, b)])", "{a: b}"),
    "dict() of a generator": (LISTS, "dict((x, 1) for x in (1, 2))", "{x: 1 for x in (1, 2)}"),
    "list() of a generator": (LISTS, "list(x for x in a if x)", "[x for x in a if x]"),
    "set() of a comprehension": (NUMBERS, "set([x + 1 for x in range(3)])", "{x + 1 for x in range(3)}"),
    "a comprehension that copies": (LISTS, "[x for x in a]", "list(a)"),
    "a list in sum()": (NUMBERS, "sum([x * a for x in (1, 2)])", "sum(x * a for x in (1, 2))"),
    "a list in sorted()": (LISTS, "sorted(list(a), key=str)", "sorted(a, key=str)"),
    "a list in join()": (LISTS, "','.join([str(x) for x in a])", "','.join(str(x) for x in a)"),
    "list() of sorted()": (NUMBERS, "list(sorted((a, b)))", "sorted((a, b))"),
    "a dictionary of one value": (LISTS, "{x: 1 for x in (1, 2)}", "dict.fromkeys((1, 2), 1)"),
    "map() with a lambda": (LISTS, "list(map(lambda x: (x, 1), a))", "[(x, 1) for x in a]"),
    "filter() with a lambda": (NUMBERS, "list(filter(lambda x: x > a, (1, 2)))", "[x for x in (1, 2) if x > a]"),
    "a list within a list": (ANY, "[*[a, b], 1]", "[a, b, 1]"),
    "a list and another": (LISTS, "a + [1]", "[*a, 1]"),
    "a dictionary within one": (ANY, "{**{'x': a}, 'y': b}", "{'x': a, 'y': b}"),
    "the same member twice": (ANY, "{1, 2, 1}", "{1, 2}"),
    "equal to one of several": (ANY, "a == 'x' or a == 1", "a in ('x', 1)"),
    "equal to none of several": (ANY, "a != 'x' and a != 1", "a not in ('x', 1)"),
    "in several, or equal to another": (ANY, "a in ('x', 1) or a == 2", "a in ('x', 1, 2)"),
    "in a list": (ANY, "a in ['x', 1]", "a in ('x', 1)"),
    "in one": (ANY, "a in ('x',)", "a == 'x'"),
    "one of several types": (ANY, "isinstance(a, int) or isinstance(a, str)", "isinstance(a, (int, str))"),
    "none of several types": (
        ANY,
        "not isinstance(a, int) and not isinstance(a, str)",
        "not isinstance(a, (int, str))",
    ),
    "types with |": (ANY, "isinstance(a, int | str)", "isinstance(a, (int, str))"),
    "one of several beginnings": (TEXTS, "a.startswith('x') or a.startswith('y')", "a.startswith(('x', 'y'))"),
}
# What looks the same and is not.
DIFFERENT = {
    "not of half a conjunction": ("not (a and b)", "not a and not b"),
    "not of an order of anything": ("not a < b", "a >= b"),
    "keywords that are left out": ("f(**a)", "f()"),
    "an order with its operands exchanged": ("a < b", "b < a"),
    "a sum with its operands exchanged": ("a + b", "b + a"),
    "and, where its value counts": ("not not (a and b)", "a and b"),
    "True and False, where the value counts": ("True if a else False", "a"),
    "branches alone exchanged": ("1 if a else 2", "2 if a else 1"),
    "itself or another, by a call": ("f(a) if f(a) else b", "f(a) or b"),
    "% with another conversion": ("'%s' % a", "f'{a!r}'"),
    "% with a precision": ("'%.3s' % a", "f'{a}'"),
    "% with too few values": ("'%s %s' % a", "f'{a} {a}'"),
    "a format that is left out": ("f'{a:>3}'", "f'{a}'"),
    "str() with a format": ("f'{a!s:>3}'", "f'{a:>3}'"),
    "format() whose calls change places": ("'{1}{0}'.format(f(), g())", "f'{g()}{f()}'"),
    "format() by numbers behind what is spread": ("'{1} {0}'.format(*a, b)", "'{0} {1}'.format(b, *a)"),
    "a number that is added to text": ("1 + a", "f'1{a}'"),
    "join of an unknown list": ("'-'.join(a)", "f'{a}'"),
    "another encoding": ("a.encode('latin-1')", "a.encode()"),
    "text without another beginning": ("a[2:] if a.startswith('a') else a", "a.removeprefix('a')"),
    "getattr() with a default": ("getattr(a, 'x', None)", "a.x"),
    "getattr() with a mangled name": ("getattr(a, '__x')", "a.__x"),
    "range() from 1": ("range(1, a)", "range(a)"),
    "get() of something": ("a.get('k', 0)", "a.get('k')"),
    "an item of another key": ("a['k'] if 'l' in a else 5", "a.get('k', 5)"),
    "an item or what a call returns": ("a['k'] if 'k' in a else f()", "a.get('k', f())"),
    "the smaller one": ("a if a > b else b", "min(b, a)"),
    "a lambda that swaps": ("lambda x, y: divmod(y, x)", "divmod"),
    "a list and a generator": ("[x for x in a]", "(x for x in a)"),
    "any() that calls for all": ("any([f(x) for x in a])", "any(f(x) for x in a)"),
    "a set for a list": ("list([a, b])", "{a, b}"),
    "dict() of a copy": ("dict(list(a))", "dict(a)"),
    "a list between and a tuple": ("a + [1]", "(*a, 1)"),
    "equal to one of several calls": ("f(a) == 1 or f(a) == 2", "f(a) in (1, 2)"),
    "equal or another": ("a == 1 or b == 2", "a in (1, 2)"),
    "all types at once": ("isinstance(a, int) and isinstance(a, str)", "isinstance(a, (int, str))"),
    "the length of anything as a condition": ("1 if len(a) else 2", "1 if a else 2"),
}


def _function(expression: str) -> str:
    return f"def run(a, b, f, g):\n    return {expression}\n"


@pytest.mark.parametrize(("_values", "before", "after"), SAME.values(), ids=SAME)
def test_expressions_that_say_the_same(_values, before, after):
    judgement = judged(_function(before), _function(after))

    assert (judgement.label, judged(_function(after), _function(before)).label) == ("refactor", "refactor"), judgement


@pytest.mark.parametrize(("before", "after"), DIFFERENT.values(), ids=DIFFERENT)
def test_expressions_that_only_look_like_it(before, after):
    assert judged(_function(before), _function(after)).label == "evolution"


@pytest.mark.parametrize(("values", "before", "after"), SAME.values(), ids=SAME)
def test_what_says_the_same_does_the_same(values, before, after):
    one, other = _compiled(before), _compiled(after)

    for a, b in itertools.product(values, values):
        assert _outcome(one, a, b) == _outcome(other, a, b), (a, b)


@pytest.mark.parametrize(
    ("before", "after", "label"),
    [
        pytest.param("[divmod(x, y) for x, y in rows]", "list(starmap(divmod, rows))", "refactor", id="a list"),
        pytest.param("{divmod(x, y) for x, y in rows}", "set(starmap(divmod, rows))", "refactor", id="a set"),
        pytest.param("(divmod(x, y) for x, y in rows)", "starmap(divmod, rows)", "refactor", id="a generator"),
        pytest.param("[divmod(x, y) for x, y in rows]", "starmap(divmod, rows)", "evolution", id="no list any more"),
        pytest.param("(divmod(x, y) for x, y in rows)", "list(starmap(divmod, rows))", "evolution", id="a list now"),
        pytest.param("[divmod(y, x) for x, y in rows]", "list(starmap(divmod, rows))", "evolution", id="exchanged"),
    ],
)
def test_calls_with_the_items_of_each_row_are_starmap(before, after, label):
    one, other = (f"from itertools import starmap\n\n\ndef run(rows):\n    return {it}\n" for it in (before, after))

    assert (judged(one, other).label, judged(other, one).label) == (label, label)


@pytest.mark.parametrize(
    ("before", "after", "label"),
    [
        pytest.param("Union[int, str]", "int | str", "refactor", id="two types"),
        pytest.param("Union[int]", "int", "refactor", id="one type"),
        pytest.param("Union[int, Union[str, int]]", "int | str", "refactor", id="a type twice"),
        pytest.param("Union[Optional[int], str]", "int | None | str", "refactor", id="a type or none"),
        pytest.param("Union[int, str]", "int | None", "evolution", id="another type"),
        pytest.param("Optional[int]", "int", "evolution", id="none left out"),
        pytest.param("Union[int, str]", "str | int", "evolution", id="another order"),
    ],
)
def test_unions_are_types_with_a_bar(before, after, label):
    one, other = (f"from typing import Optional, Union\n\nKNOWN = {known}\n" for known in (before, after))

    assert (judged(one, other).label, judged(other, one).label) == (label, label)


def _compiled(expression: str):
    names: dict[str, object] = {}
    exec(_function(expression), names)
    return names["run"]


def _outcome(function, a, b):
    try:
        found = function(_copied(a), _copied(b), None, None)
    except Exception as error:  # noqa: BLE001  which error it is belongs to what a program does
        return type(error)
    return type(found), repr(found)


def _copied(value):
    return json.loads(json.dumps(value)) if isinstance(value, list) else value
