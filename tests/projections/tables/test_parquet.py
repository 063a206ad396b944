"""Facts about stretches: one that says nothing about a fact has no file of it, and no row goes missing for that."""

import json
from pathlib import Path

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.tables import models
from linetrail.projections.tables.parquet import write_facts
from linetrail.projections.tables.partitions import Parts
from linetrail.projections.tables.tables import Tables
from tests.story import Story

# A ledger that has every type of event.
LEDGER = Path(__file__).parents[2] / "fixtures" / "ledgers" / "v1"
KINDS = {model.name: model.types for model in models.stored() if model.types is not None}


@pytest.fixture
def lines():
    return [line for file in sorted(LEDGER.rglob("*.jsonl")) for line in file.read_bytes().splitlines(keepends=True)]


@pytest.mark.daily(1)
@pytest.mark.parametrize("name", KINDS)
def test_a_fact_has_no_row_without_its_types(name, lines, tmp_path):
    import duckdb

    def rows(told):
        (tmp_path / "lines").write_bytes(b"".join(told))
        list(write_facts([(tmp_path / "lines", 0)], tmp_path, every=True))
        return duckdb.read_parquet(str(tmp_path / f"{name}.parquet")).shape[0]

    assert rows(lines) or name == "judged_paths"  # the gate of that ledger judged no path
    assert rows([line for line in lines if json.loads(line)["type"] not in KINDS[name]]) == 0


def test_a_stretch_has_files_of_what_it_tells_and_the_first_of_everything(repo):
    repo.start_ledger()
    story = Story()
    story.tell("mutation.observed", edits={"a.py": "a\n"})
    story.tell("prompt.submitted", {"prompt_id": "p", "excerpt": "x", "sha256": "0" * 64, "length": 1})
    story.written(repo.path)

    first, second = Parts(find(str(repo.path)), smallest=1, largest=1).current()[:2]

    assert {model.name for model in models.stored() if first.has(model.name)} == {m.name for m in models.stored()}
    told = {"events", "redactions", "prompt_submissions"}
    assert {model.name for model in models.stored() if second.has(model.name)} == told
    with Tables([first, second], lambda *_: None) as tables:
        assert [tables.count(name) for name in ("mutation_files", "prompt_submissions", "tool_requests")] == [1, 1, 0]
