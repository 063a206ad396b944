"""What fits the JSON Schema plainly keeps the contract: pydantic says the same of whatever may be in a line."""

import copy
import json
from collections.abc import Iterator

import pytest
import yaml
from pydantic import ValidationError

from linetrail.ledger.event import schema
from linetrail.ledger.event.data import shared
from linetrail.ledger.event.event import GENESIS, to_line
from linetrail.projections.tables.plain_schema import RULES, fits
from tests.queries.audit.test_rules import CASES as RULE_CASES
from tests.story import Story, cases

VALUES = [
    None,
    "",
    "x",
    "é\n",
    "a" * 201,
    "add",
    "rename",
    -1,
    0,
    1,
    2,
    2**53,
    True,
    1.0,
    [],
    ["x"],
    [[1, 2, 3]],
    {},
    {"x": 1},
]


def records():
    """Return an event of each type and shape that the cases of questions and rules have."""
    told = [event for case in cases().values() for event in case.get("events", ())]
    for file in sorted(RULE_CASES.glob("*/case.yaml")):
        told += yaml.safe_load(file.read_text("utf-8"))["events"]
    shapes = {}
    for event in Story().told(told).events:
        record = json.loads(to_line(event, 1, GENESIS))
        shapes.setdefault((event.type, str(_shape(record["data"]))), record)
    return list(shapes.values())


def _shape(value):
    if isinstance(value, dict):
        return {name: _shape(one) for name, one in sorted(value.items())}
    return [_shape(value[0])] if isinstance(value, list) and value else type(value).__name__


def places(value, path=()) -> Iterator[tuple[object, ...]]:
    """Yield the way to everything in a record."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in items:
        yield from places(one, (*path, name))


def changed(record):
    """Yield a record with something else in one place, without it, and with something more there."""
    for *way, last in list(places(record))[1:]:
        for change in [*VALUES, KeyError, IndexError]:
            other = copy.deepcopy(record)
            held = other
            for name in way:
                held = held[name]
            if change is KeyError:
                del held[last]
            elif change is IndexError:
                if not isinstance(held[last], dict):
                    continue
                held[last]["more"] = 1
            else:
                held[last] = change
            yield other


def keeps_contract(record):
    try:
        schema.event(record["type"]).model_validate(record)
    except (ValidationError, LookupError, TypeError):
        return False
    return True


def judged(record):
    try:
        return fits(record)
    except (LookupError, TypeError, AttributeError):
        return False


@pytest.mark.slow
def test_what_fits_keeps_the_contract():
    wrong = [one for record in records() for one in changed(record) if judged(one) and not keeps_contract(one)]

    assert wrong == []


def test_what_is_usual_fits():
    sound = [record for record in records() if keeps_contract(record)]
    doubtful = {record["type"] for record in sound if not fits(record)}

    assert len(sound) > 50
    assert doubtful <= {"mutation.classified", "recovery_point.marked"}


def test_every_rule_of_a_model_is_known():
    for kind in schema.DATA:
        schema.data(kind)  # loads its module

    assert {model.__name__ for model in _subclasses(shared.Fact) if _rules(model)} == RULES.keys()


def _subclasses(model):
    yield model
    for one in model.__subclasses__():
        yield from _subclasses(one)


def _rules(model):
    told = model.__pydantic_decorators__
    return {*told.model_validators, *told.field_validators, *told.validators, *told.root_validators}
