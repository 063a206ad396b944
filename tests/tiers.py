"""Which cases of a test run each day, which in continuous integration, and which are left to `just soak`.

Each day: what protects daily work. At each commit, besides: what is `slow`, since somebody meets it on a common road.
Half of what is `in_turn`, by the name of the commit: what is hostile, broken or rare, one more engine, terminal or
format, and wider stories about what a quicker test holds. `just slow` runs all of it, and `just soak` the rest.
"""

import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator

import pytest

Case = pytest.Function
TURNS = 2


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--turn", metavar="COMMIT", help="of what is `in_turn`, try those whose turn it is at a commit")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the cases of tests that say which of theirs are `daily`, `independent` or `in_turn`."""
    for cases in _tables(items):
        chosen = list(covering(cases)) if cases[0].get_closest_marker("independent") else cases
        _left_to(pytest.mark.soak, [case for case in cases if case not in chosen])
        if mark := cases[0].get_closest_marker("daily"):
            quick, *later = mark.args
            _left_to(pytest.mark.slow, chosen[quick:])
            _left_to(pytest.mark.soak, chosen[quick + sum(later) :] if later else [])
    if commit := config.getoption("--turn"):
        alternating = [item for item in items if item.get_closest_marker("in_turn")]
        _left_to(pytest.mark.soak, [item for item in alternating if _turn(item) != int(commit, 16) % TURNS])


def covering(cases: Iterable[Case]) -> Iterator[Case]:
    """Yield, in their order, cases that show each value of each parameter, and as few others as that takes."""
    values = {case: set(_values(case)) for case in cases}
    seen: set[object] = set()
    chosen = set()
    for brings_enough in (set.isdisjoint, lambda brought, seen: not brought <= seen):
        for case, brought in values.items():
            if brings_enough(brought, seen):
                chosen.add(case)
                seen |= brought
    return (case for case in values if case in chosen)


def _values(case: Case) -> Iterator[tuple[object, ...]]:
    """Yield what a case has of each table of parameters; objects are told apart by their identity."""
    given = dict(case.callspec.params)
    for mark in case.iter_markers("parametrize"):
        names = mark.args[0].split(",") if isinstance(mark.args[0], str) else mark.args[0]
        yield tuple((name.strip(), id(given.pop(name.strip(), None))) for name in names)
    yield from ((name, id(value)) for name, value in given.items())


def _tables(items: Iterable[pytest.Item]) -> Iterable[list[Case]]:
    tables: defaultdict[str, list[Case]] = defaultdict(list)
    for item in items:
        if isinstance(item, Case) and hasattr(item, "callspec"):
            tables[item.nodeid.partition("[")[0]].append(item)
    return tables.values()


def _turn(item: pytest.Item) -> int:
    return zlib.crc32(item.nodeid.encode()) % TURNS


def _left_to(mark: pytest.MarkDecorator, cases: Iterable[pytest.Item]) -> None:
    for case in cases:
        case.add_marker(mark)
