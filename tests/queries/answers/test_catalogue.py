"""Every answer is one function with types, which a page or an editor can call as the terminal does."""

import inspect
import typing
from functools import reduce
from importlib import import_module

import pytest

import linetrail
from linetrail.projections.lines.attribution import Attribution
from linetrail.queries.ask.library import Line
from tests.queries.answers.catalogue import ANSWERS


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_a_function_that_says_what_it_takes_and_returns(name):
    module, _, attributes = ANSWERS[name].function.partition(":")

    function = reduce(getattr, attributes.split("."), import_module(module))

    hints = typing.get_type_hints(function)
    taken = [each for each in inspect.signature(function).parameters if each != "self"]
    assert {*taken, "return"} <= hints.keys()
    assert hints["return"] not in (type(None), typing.Any)


def test_what_python_offers_is_in_the_list():
    offered = {each for each in linetrail.__all__ if each.islower()}

    assert offered == {answer.python for answer in ANSWERS.values() if answer.python}


def test_a_line_has_the_same_fields_for_python_as_for_programs():
    assert Line._fields == ("line_no", "text", *Attribution._fields)
