"""What was seen here leaves in the forms of intent-driven extensions, and comes back as what it was."""

import json

import pytest

from tests.conftest import Repo
from tests.gated import REGISTRY

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]

ORDER = "def total():\n    return 1\n"


@pytest.fixture
def told(repo, agent, cli):
    """Return a function that exports what an agent did for an intent, in a dialect."""
    repo.commit("start", {"src/billing/total.py": ORDER})
    repo.write(".orchestration/active_intents.yaml", REGISTRY)
    claude = agent()
    cli("select", "INT-001", "--session", "session-1")
    claude.edit("src/billing/total.py", "return 1", "return 2")
    claude.write("src/billing/new.py", "x = 1\ny = 2\n")
    cli("seal")

    def export(dialect):
        answer = cli("export", "agent-trace", "--dialect", dialect)
        assert answer.status == 0
        return [json.loads(line) for line in answer.out.splitlines()]

    return export


def test_each_event_is_a_record_with_ranges_hashes_and_class(told, repo):
    edit, write = told("seed")

    observed = repo.events("mutation.observed")
    assert [edit["id"], write["id"]] == [event.id for event in observed]
    assert edit["vcs"] == {"revision_id": repo.git("rev-parse", "HEAD"), "branch": "main", "dirty": None}
    assert (edit["intent_id"], edit["mutation_class"]) == ("INT-001", "INTENT_EVOLUTION")
    (file,) = edit["files"]
    (seen,) = observed[0].data["files"]
    assert (file["relative_path"], file["operation"]) == ("src/billing/total.py", "modify")
    assert (file["before_hash"], file["after_hash"]) == (seen["before_hash"], seen["after_hash"])
    content_hash = seen["hunks"][0]["content_hash"]
    assert file["line_ranges"] == [{"start_line": 2, "end_line": 2, "content_hash": content_hash}]
    assert edit["conversation"] == {
        "session_id": "session-1",
        "model": "anthropic/claude-model-x",
        "contributor_type": "AI",
    }
    assert edit["metadata"]["tool_used"] == "Edit"
    assert write["files"][0]["operation"] == "create"


def test_each_file_is_a_flat_record(told, repo):
    edit, write = told("flat")

    assert (edit["file_path"], edit["operation"], edit["classification"]) == (
        "src/billing/total.py",
        "WRITE",
        "INTENT_EVOLUTION",
    )
    assert edit["content_hash"] == repo.events("mutation.observed")[0].data["files"][0]["after_hash"]
    assert edit["related"] == [{"type": "specification", "value": "INT-001"}]
    assert edit["vcs"] == {"revision_id": repo.git("rev-parse", "HEAD")}
    assert edit["id"] != write["id"]


@pytest.mark.parametrize("dialect", ["seed", "flat"])
def test_what_is_imported_again_fills_the_views_and_leaves_as_it_came(told, cli, tmp_path, dialect):
    records = told(dialect)
    other = Repo(tmp_path / "other")
    other.start_ledger()
    file = tmp_path / "trace.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))

    assert cli("-C", str(other.path), "import", "agent-trace", str(file)).status == 0

    query = "select path, after_hash, start_line, declared_class, intent_id from v_mutations order by position"
    rows = cli("-C", str(other.path), "sql", query, "--json").rows
    edit = records[0]
    after = edit["files"][0]["after_hash"] if dialect == "seed" else edit["content_hash"]
    assert rows[0] == {
        "path": "src/billing/total.py",
        "after_hash": after,
        "start_line": 2 if dialect == "seed" else None,
        "declared_class": "INTENT_EVOLUTION",
        "intent_id": "INT-001",
    }
    again = cli("-C", str(other.path), "export", "agent-trace", "--dialect", dialect).out.splitlines()
    assert [json.loads(line) for line in again] == records


def test_a_range_of_commits_is_no_range_of_events(told, cli):
    answer = cli("export", "agent-trace", "--dialect", "seed", "--range", "HEAD")

    assert answer.status == 2
    assert "records of --dialect seed are about events" in answer.err
