"""Which statements say the same, whatever the language, and which only look like it.

What is said to be the same in Python is run: `f` and `g` remember what they were asked.
"""

import itertools
from textwrap import indent

import pytest

from tests.projections.proof.judging import judged

SAME = {
    "else after return": (
        """
        if a:
            return f(1)
        else:
            g(2)
            return f(3)
        """,
        """
        if a:
            return f(1)
        g(2)
        return f(3)
        """,
    ),
    "elif after return": (
        """
        if a:
            return f(1)
        elif b:
            return f(2)
        g(3)
        return None
        """,
        """
        if a:
            return f(1)
        if b:
            return f(2)
        g(3)
        """,
    ),
    "else after raise": (
        """
        if a:
            raise ValueError(a)
        else:
            g(2)
        """,
        """
        if a:
            raise ValueError(a)
        g(2)
        """,
    ),
    "a guard at the end of a function": (
        """
        f(0)
        if not a:
            return
        g(1)
        f(2)
        """,
        """
        f(0)
        if a:
            g(1)
            f(2)
        """,
    ),
    "a guard at the end of a loop": (
        """
        for x in (a, b):
            if not x:
                continue
            f(x)
            g(x)
        f(3)
        """,
        """
        for x in (a, b):
            if x:
                f(x)
                g(x)
        f(3)
        """,
    ),
    "two guards": (
        """
        if a:
            return
        if b:
            return
        f(1)
        """,
        """
        if a or b:
            return
        f(1)
        """,
    ),
    "branches exchanged": (
        """
        if not a:
            f(1)
        else:
            g(2)
        f(3)
        """,
        """
        if a:
            g(2)
        else:
            f(1)
        f(3)
        """,
    ),
    "branches exchanged under a conjunction": (
        """
        if a is None and b:
            f(1)
        else:
            g(2)
        """,
        """
        if not (a is None and b):
            g(2)
        else:
            f(1)
        """,
    ),
    "conditions nested": (
        """
        if a:
            if b:
                f(1)
        g(2)
        """,
        """
        if a and b:
            f(1)
        g(2)
        """,
    ),
    "the same in two branches": (
        """
        if a:
            f(1)
        elif b:
            f(1)
        else:
            g(2)
        """,
        """
        if a or b:
            f(1)
        else:
            g(2)
        """,
    ),
    "the same in a branch and at last": (
        """
        if a:
            if b:
                f(1)
            else:
                g(2)
        else:
            g(2)
        """,
        """
        if a and b:
            f(1)
        else:
            g(2)
        """,
    ),
    "elif as an else with an if": (
        """
        if a:
            f(1)
        elif b:
            g(2)
        """,
        """
        if a:
            f(1)
        else:
            if b:
                g(2)
        """,
    ),
    "a value by branches": (
        """
        if a:
            x = f(1)
        else:
            x = g(2)
        return x, x
        """,
        """
        x = f(1) if a else g(2)
        return x, x
        """,
    ),
    "a result by branches": (
        """
        if a:
            return f(1)
        else:
            return g(2)
        """,
        """
        return f(1) if a else g(2)
        """,
    ),
    "a truth by branches": (
        """
        if a == b:
            return True
        return False
        """,
        """
        return a == b
        """,
    ),
    "a result or nothing": (
        """
        if a:
            return f(1)
        return None
        """,
        """
        return f(1) if a else None
        """,
    ),
    "nothing at the end": (
        """
        f(1)
        return None
        """,
        """
        f(1)
        """,
    ),
    "pass beside something else": (
        """
        f(1)
        pass
        """,
        """
        f(1)
        """,
    ),
    "a branch that does nothing": (
        """
        if a:
            pass
        else:
            f(1)
        """,
        """
        if not a:
            f(1)
        """,
    ),
    "continue at the end of a loop": (
        """
        for x in (a, b):
            if x:
                f(x)
                continue
            else:
                g(x)
                continue
        """,
        """
        for x in (a, b):
            if x:
                f(x)
            else:
                g(x)
        """,
    ),
    "a loop until a break": (
        """
        n = 0
        while True:
            if n > 3:
                break
            n = f(n) + 1
        """,
        """
        n = 0
        while not n > 3:
            n = f(n) + 1
        """,
    ),
    "an endless loop": (
        """
        while 1:
            if f(a):
                g(1)
                break
            a = 1
        """,
        """
        while True:
            if f(a):
                g(1)
                break
            a = 1
        """,
    ),
    "a loop's else without a break": (
        """
        for x in (a, b):
            f(x)
        else:
            g(1)
        """,
        """
        for x in (a, b):
            f(x)
        g(1)
        """,
    ),
    "a try's else after handlers that leave": (
        """
        try:
            f(a)
        except ValueError:
            return 1
        else:
            g(2)
        """,
        """
        try:
            f(a)
        except ValueError:
            return 1
        g(2)
        """,
    ),
    "a try without handlers": (
        """
        try:
            f(a)
        finally:
            pass
        """,
        """
        f(a)
        """,
    ),
    "suppress()": (
        """
        import contextlib
        with contextlib.suppress(ValueError, KeyError):
            f(1)
            {}[a]
        """,
        """
        import contextlib
        try:
            f(1)
            {}[a]
        except (ValueError, KeyError):
            pass
        """,
    ),
    "an exception by its class": (
        """
        raise ValueError()
        """,
        """
        raise ValueError
        """,
    ),
    "an exception by its other name": (
        """
        try:
            raise IOError(a)
        except (OSError, IOError):
            f(1)
        """,
        """
        try:
            raise OSError(a)
        except OSError:
            f(1)
        """,
    ),
    "an exception without a name": (
        """
        try:
            f(1)
        except (KeyError, ValueError) as e:
            g(2)
        """,
        """
        try:
            f(1)
        except (ValueError, KeyError):
            g(2)
        """,
    ),
    "a list from a loop": (
        """
        found = []
        for x in (a, b):
            if x:
                found.append(f(x))
        return found, found
        """,
        """
        found = [f(x) for x in (a, b) if x]
        return found, found
        """,
    ),
    "a set from a loop": (
        """
        found = set()
        for x in (1, 2):
            found.add(f(x))
        return found, found
        """,
        """
        found = {f(x) for x in (1, 2)}
        return found, found
        """,
    ),
    "a dictionary from a loop": (
        """
        found = {}
        for x in (1, 2):
            found[x] = f(x)
        return found, found
        """,
        """
        found = {x: f(x) for x in (1, 2)}
        return found, found
        """,
    ),
    "more for a set, at once": (
        """
        found = {1}
        for x in (2, 3):
            found.add(x)
        return found
        """,
        """
        found = {1}
        found.update((2, 3))
        return found
        """,
    ),
    "a search": (
        """
        for x in (a, b):
            if f(x):
                return True
        return False
        """,
        """
        return any(f(x) for x in (a, b))
        """,
    ),
    "a search for what is not": (
        """
        for x in (a, b):
            if not x:
                return False
        return True
        """,
        """
        return all(x for x in (a, b))
        """,
    ),
    "yield from": (
        """
        for x in (a, b):
            yield x
        """,
        """
        yield from (a, b)
        """,
    ),
    "an item that is deleted": (
        """
        d = {1: 2}
        if a in d:
            del d[a]
        return d
        """,
        """
        d = {1: 2}
        d.pop(a, None)
        return d
        """,
    ),
    "the larger one": (
        """
        if a > b:
            b = a
        return b
        """,
        """
        b = max(b, a)
        return b
        """,
    ),
    "two assertions": (
        """
        assert a and b
        """,
        """
        assert a
        assert b
        """,
    ),
    "a number that grows": (
        """
        n = 0
        for x in (a, b):
            n = n + 1
            f(n)
        """,
        """
        n = 0
        for x in (a, b):
            n += 1
            f(n)
        """,
    ),
    "the length of a known list": (
        """
        found = [x for x in (a, b) if x]
        if len(found) > 0:
            return found
        """,
        """
        found = [x for x in (a, b) if x]
        if found:
            return found
        """,
    ),
    "setattr() with a known name": (
        """
        setattr(f, "done", a)
        return f.done
        """,
        """
        f.done = a
        return f.done
        """,
    ),
    "a lambda with a name": (
        """
        double = lambda x: (x, x)
        return double(a), double(b)
        """,
        """
        def double(x):
            return x, x
        return double(a), double(b)
        """,
    ),
    "with in with": (
        """
        from contextlib import nullcontext
        with nullcontext(a) as x:
            with nullcontext(b) as y:
                f((x, y))
        """,
        """
        from contextlib import nullcontext
        with nullcontext(a) as x, nullcontext(b) as y:
            f((x, y))
        """,
    ),
}
DIFFERENT = {
    "else after what may go on": (
        """
        if a:
            f(1)
        else:
            g(2)
        """,
        """
        if a:
            f(1)
        g(2)
        """,
    ),
    "a guard before something else": (
        """
        if a:
            f(1)
        g(2)
        """,
        """
        if not a:
            return
        f(1)
        g(2)
        """,
    ),
    "a guard that leaves the loop": (
        """
        for x in (a, b):
            if not x:
                break
            f(x)
        """,
        """
        for x in (a, b):
            if x:
                f(x)
        """,
    ),
    "branches exchanged, condition kept": (
        """
        if a:
            f(1)
        else:
            g(2)
        """,
        """
        if a:
            g(2)
        else:
            f(1)
        """,
    ),
    "conditions nested with an else": (
        """
        if a:
            if b:
                f(1)
            else:
                g(2)
        """,
        """
        if a and b:
            f(1)
        else:
            g(2)
        """,
    ),
    "almost the same in two branches": (
        """
        if a:
            f(1)
        elif b:
            f(2)
        """,
        """
        if a or b:
            f(1)
        """,
    ),
    "two values by branches": (
        """
        if a:
            x = f(1)
        else:
            y = g(2)
        return 0
        """,
        """
        x = f(1) if a else g(2)
        return 0
        """,
    ),
    "a result, or the end": (
        """
        if a:
            return f(1)
        return 0
        """,
        """
        if a:
            return f(1)
        """,
    ),
    "a loop's else with a break": (
        """
        for x in (a, b):
            if f(x):
                break
        else:
            g(1)
        """,
        """
        for x in (a, b):
            if f(x):
                break
        g(1)
        """,
    ),
    "a try's else after a handler that goes on": (
        """
        try:
            f(a)
        except ValueError:
            f(1)
        else:
            g(2)
        """,
        """
        try:
            f(a)
        except ValueError:
            f(1)
        g(2)
        """,
    ),
    "a handler that does something": (
        """
        from contextlib import suppress
        with suppress(KeyError):
            f(1)
        """,
        """
        try:
            f(1)
        except KeyError:
            g(2)
        """,
    ),
    "what is raised by a function": (
        """
        raise f()
        """,
        """
        raise f
        """,
    ),
    "a list that has something": (
        """
        found = [0]
        for x in (a, b):
            found.append(f(x))
        return found, found
        """,
        """
        found = [f(x) for x in (a, b)]
        return found, found
        """,
    ),
    "a list that is asked while it grows": (
        """
        found = []
        for x in (a, b):
            found.append(f(len(found)))
        return found, found
        """,
        """
        found = [f(0) for x in (a, b)]
        return found, found
        """,
    ),
    "a loop variable that is used later": (
        """
        x = 0
        found = {1}
        for x in (2, 3):
            found.add(x)
        return found, x
        """,
        """
        x = 0
        found = {1}
        found.update((2, 3))
        return found, x
        """,
    ),
    "a search for something else": (
        """
        for x in (a, b):
            if f(x):
                return True
        return False
        """,
        """
        return all(f(x) for x in (a, b))
        """,
    ),
    "a search with another end": (
        """
        for x in (a, b):
            if f(x):
                return True
        return None
        """,
        """
        return any(f(x) for x in (a, b))
        """,
    ),
    "a list that grows for everybody": (
        """
        a = a + b
        return a
        """,
        """
        a += b
        return a
        """,
    ),
    "the smaller one": (
        """
        if b > a:
            a = b
        return a
        """,
        """
        a = min(a, b)
        return a
        """,
    ),
    "an item of another key": (
        """
        if a in f:
            del f[b]
        """,
        """
        f.pop(a, None)
        """,
    ),
    "the length of anything": (
        """
        if len(a) > 0:
            return b
        return f
        """,
        """
        if a:
            return b
        return f
        """,
    ),
}


def _function(body: str) -> str:
    return f"def run(a, b, f, g):\n{indent(_flush(body), '    ')}"


def _flush(body: str) -> str:
    lines = body.strip("\n").rstrip(" ").split("\n")
    return "\n".join(line[8:] for line in lines)


@pytest.mark.parametrize(("before", "after"), SAME.values(), ids=SAME)
def test_statements_that_say_the_same(before, after):
    there, back = judged(_function(before), _function(after)), judged(_function(after), _function(before))

    assert "evolution" not in (there.label, back.label), there


@pytest.mark.parametrize(("before", "after"), DIFFERENT.values(), ids=DIFFERENT)
def test_statements_that_only_look_like_it(before, after):
    assert judged(_function(before), _function(after)).label == "evolution"


@pytest.mark.parametrize(("before", "after"), SAME.values(), ids=SAME)
def test_what_says_the_same_does_the_same(before, after):
    one, other = _compiled(before), _compiled(after)

    for a, b in itertools.product((0, 1, 2, None), repeat=2):
        assert _trace(one, a, b) == _trace(other, a, b), (a, b)


def _compiled(body: str):
    names: dict[str, object] = {}
    exec(_function(body), names)
    return names["run"]


def _trace(function, a, b):
    asked: list[object] = []

    def f(value):
        asked.append(("f", value))
        if value == 2:
            raise ValueError(value)
        return value

    def g(value):
        asked.append(("g", value))
        return value

    try:
        found = function(a, b, f, g)
        found = list(found) if hasattr(found, "__next__") else found
    except Exception as error:  # noqa: BLE001  which error it is belongs to what a program does
        found = type(error)
    return found, asked
