"""The labelled changes: what is called harmless is, and most of what is harmless is proved."""

import importlib.util
import json
import os
from pathlib import Path

import pytest

from linetrail.projections.classify.classify import classify
from linetrail.projections.classify.judgement import Change

pytestmark = pytest.mark.in_turn

SHARED = Path(os.environ.get("LINETRAIL_SHARED") or Path(__file__).parents[4] / "shared")
CORPUS = SHARED / "corpus" / "classification"


def rows(name):
    if not CORPUS.exists():
        pytest.skip(f"the labelled changes are not at {CORPUS}; set LINETRAIL_SHARED")
    with (CORPUS / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def scored(cases):
    spec = importlib.util.spec_from_file_location("score", CORPUS / "score.py")
    score = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(score)
    return score.score(cases, {case["id"]: judge(case) for case in cases})


def judge(case):
    return classify(
        [Change(one["path"], encoded(one["before"]), encoded(one["after"])) for one in case.get("files") or [case]]
    ).whole.label


def encoded(text):
    return None if text is None else text.encode("utf-8", "surrogatepass")


@pytest.mark.daily(0, 1)
@pytest.mark.parametrize("part", range(2))
def test_every_fourth_labelled_change_is_called_what_it_is(part):
    found = scored(rows("dev.jsonl")[part * 2 :: 4])

    assert found["four"]["macro_f1"] >= 0.95
    assert found["four"]["classes"]["evolution"]["recall"] >= 0.99
    assert found["four"]["classes"]["refactor"]["precision"] >= 0.98


@pytest.mark.soak
def test_all_labelled_changes_are_called_what_they_are():
    found = scored(rows("dev.jsonl"))

    four = found["four"]["classes"]
    assert found["four"]["macro_f1"] >= 0.95
    assert (four["evolution"]["recall"] >= 0.99, four["refactor"]["precision"] >= 0.98) == (True, True)
    assert four["refactor"]["recall"] >= 0.88
    assert min(four["formatting"]["f1"], four["comment"]["f1"]) >= 0.99
    assert min(language["binary_accuracy"] for language in found["languages"].values()) >= 0.93
    tricky = [kind for name, kind in found["kinds"].items() if "/mixed_" in name or "/trap_" in name]
    assert sum(kind["binary_accuracy"] * kind["cases"] for kind in tricky) >= 0.99 * sum(k["cases"] for k in tricky)


@pytest.mark.slow
def test_natural_changes_are_called_what_they_are():
    found = scored(rows("natural_dev.jsonl"))

    assert found["four"]["accuracy"] >= 0.90
    assert found["confusion"].get("evolution->refactor", 0) <= 1
