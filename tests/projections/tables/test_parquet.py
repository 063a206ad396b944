"""Facts about stretches: one that says nothing about a fact has no file of it, and no row goes missing for that."""

import json
import os
from pathlib import Path

import pytest

from linetrail.ledger.log.chain import START
from linetrail.ledger.repository import find
from linetrail.projections.tables import models
from linetrail.projections.tables.cache import Part
from linetrail.projections.tables.parquet import add_facts, write_events
from linetrail.projections.tables.partitions import Parts
from linetrail.projections.tables.tables import Tables
from tests.story import Story

pytestmark = pytest.mark.in_turn

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

    def rows(folder, told):
        folder.mkdir()
        (folder / "lines").write_bytes(b"".join(told))
        write_events([(folder / "lines", 0)], folder)
        part = Part(folder, 0, START)
        add_facts(duckdb.connect(), [part], {name})
        return duckdb.read_parquet(part.file(name)).shape[0]

    assert rows(tmp_path / "0-9-all", lines) or name == "judged_paths"  # the gate of that ledger judged no path
    assert rows(tmp_path / "0-9-rest", [line for line in lines if json.loads(line)["type"] not in KINDS[name]]) == 0


@pytest.fixture
def told(repo):
    """Return a repository with a ledger of an edit and, in a stretch of its own, a prompt."""
    repo.start_ledger()
    story = Story()
    story.tell("mutation.observed", edits={"a.py": "a\n"})
    story.tell("prompt.submitted", {"prompt_id": "p", "excerpt": "x", "sha256": "0" * 64, "length": 1})
    story.written(repo.path)
    return find(str(repo.path))


def opened(repository):
    return Tables(Parts(repository, smallest=1, largest=1).current(), lambda *_: None)


def test_a_stretch_has_files_of_what_it_tells_and_the_first_of_everything(told):
    with opened(told) as tables:
        first, second = tables.parts[:2]
        counted = [tables.count(name) for name in ("mutation_files", "prompt_submissions", "tool_requests")]

    assert counted == [1, 1, 0]
    assert {model.name for model in models.stored() if first.has(model.name)} == {m.name for m in models.stored()}
    expected = {"events", "redactions", "prompt_submissions"}
    assert {model.name for model in models.stored() if second.has(model.name)} == expected


@pytest.mark.slow
def test_a_question_has_only_the_facts_made_that_it_asks(told):
    def made():
        return {file.stem for file in Path(told.folder).glob("cache/parts/*/*/*.parquet")}

    with opened(told) as tables:
        tables.count("events")
        assert made() == {"events"}
        tables.count("line_hashes")
        assert made() == {"events", "mutation_files", "line_hashes"}
        tables.counts()

    assert made() == {model.name for model in models.stored()}


@pytest.mark.slow
def test_a_fact_is_made_once(told):
    with opened(told) as tables:
        tables.count("mutations")
        file = Path(tables.parts[0].file("mutations"))
    before = file.stat()

    with opened(told) as tables:
        assert tables.count("mutations") == 1

    assert file.stat() == before


@pytest.mark.slow
def test_facts_are_for_their_owner_alone(told):
    with opened(told) as tables:
        tables.counts()
        files = [Path(file) for part in tables.parts for file in part.folder.glob("*.parquet")]

    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


@pytest.mark.slow
@pytest.mark.parametrize("content", [b"", b"PAR1", None], ids=["empty", "cut", "gone"])
def test_a_fact_that_is_damaged_is_made_again(told, content):
    with opened(told) as tables:
        whole = tables.ask("from mutations").rows
        file = Path(tables.parts[0].file("mutations"))
    file.unlink() if content is None else file.write_bytes(content)

    with opened(told) as tables:
        assert tables.ask("from mutations").rows == whole


@pytest.mark.slow
def test_a_cache_that_only_others_may_write_lends_its_events(told):
    opened(told).close()
    kept = sorted(Path(told.folder, "cache", "parts").rglob("*"))

    with Tables(Parts(told, keep=False, smallest=1, largest=1).current(), lambda *_: None) as tables:
        assert tables.count("mutation_files") == 1
        assert os.path.samefile(
            tables.parts[0].file("events"), next(file for file in kept if file.name == "events.parquet")
        )

    assert sorted(Path(told.folder, "cache", "parts").rglob("*")) == kept
