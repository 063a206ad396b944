"""Which cases of a test run each day, which in continuous integration, and which are left to `just soak`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

import pytest

Case = pytest.Function


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the cases of tests that say which of theirs are `daily`, or that their parameters are `independent`."""
    for cases in _tables(items):
        chosen = list(covering(cases)) if cases[0].get_closest_marker("independent") else cases
        _left_to(pytest.mark.soak, [case for case in cases if case not in chosen])
        if mark := cases[0].get_closest_marker("daily"):
            quick, *later = mark.args
            _left_to(pytest.mark.slow, chosen[quick:])
            _left_to(pytest.mark.soak, chosen[quick + sum(later) :] if later else [])


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


def _left_to(mark: pytest.MarkDecorator, cases: Iterable[Case]) -> None:
    for case in cases:
        case.add_marker(mark)
