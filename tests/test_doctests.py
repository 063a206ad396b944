"""The examples in docstrings are true."""

import doctest
import importlib
import pkgutil

ROOMS = ("linetrail.ledger", "linetrail.projections", "linetrail.queries")
MODULES = [
    module.name
    for room in ROOMS
    for module in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}.")
    if not module.ispkg
]


def test_examples_show_what_happens():
    wrong = [name for name in MODULES if doctest.testmod(importlib.import_module(name)).failed]

    assert not wrong


def test_there_are_examples():
    found = (doctest.DocTestFinder().find(importlib.import_module(name)) for name in MODULES)

    assert sum(bool(case.examples) for cases in found for case in cases) > 20
