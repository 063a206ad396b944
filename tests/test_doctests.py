"""The examples in docstrings are true."""

import doctest
import importlib
import pkgutil

ROOMS = ("linetrail.ledger", "linetrail.projections", "linetrail.queries")
MODULES = [
    module
    for room in ROOMS
    for module in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}.")
    if not module.ispkg
]


def has_examples(module):
    with open(module.module_finder.find_spec(module.name).origin, encoding="utf-8") as source:
        return ">>> " in source.read()


def test_examples_show_what_happens():
    told = {
        module.name: doctest.testmod(importlib.import_module(module.name)) for module in MODULES if has_examples(module)
    }

    assert [name for name, result in told.items() if result.failed] == []
    assert sum(result.attempted for result in told.values()) > 20
