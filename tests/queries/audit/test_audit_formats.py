"""Every format of the audit, byte for byte, over one story with hostile names in it."""

import json
from pathlib import Path

import pytest

from linetrail.ledger.repository import Repository, find
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.answers.audit import rows
from linetrail.queries.audit import rulebook
from linetrail.queries.audit.audit import Asking, Audit, audit
from linetrail.queries.audit.gitlab import code_quality
from linetrail.queries.audit.junit import junit
from linetrail.queries.audit.markdown import markdown
from linetrail.queries.audit.policy import parse
from linetrail.queries.audit.policy_file import today
from linetrail.queries.audit.text import text
from linetrail.queries.exporters.sarif import Ran, sarif
from linetrail.queries.render.text import document
from tests.story import Story

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]

GOLDEN = Path(__file__).parents[2] / "golden" / "audit"
NOWHERE = Repository("/nowhere", None, None)
VERIFIED = "ledger verified to 9c1e00000000"
POLICY = b"exceptions: [{rules: LT001, paths: docs/**, reason: prose, owner: docs, expires: 9999-12-31}]"
HOSTILE = "lib/<b>|`x` @team #1 ::error::50%\n\x1b[31m.py"

FORMATS = {
    "text": lambda found: "\n".join(text(found, fail_on="high", verified=VERIFIED)) + "\n",
    "md": lambda found: markdown(found, verified=VERIFIED),
    "json": lambda found: document(rows(found.findings), {"levels": found.counts()}) + "\n",
    "sarif": lambda found: sarif(NOWHERE, found, Ran(["audit"], "0.0.0", sound=True)),
    "xml": lambda found: junit(found, fail_on="high"),
    "quality.json": code_quality,
}


@pytest.fixture
def told(repo) -> Audit:
    """Return what an audit finds in the story."""
    repo.start_ledger()
    scope = {"id": "INT-1", "name": "Rotate tokens", "status": "IN_PROGRESS", "scope": ["src/auth/**"]}
    story = Story()
    story.tell("intent.created", {"intent_id": "INT-1", "after": scope}, intent="INT-1")
    story.tell("mutation.observed", intent="INT-1", edits={"src/auth/token.py": "one\n", "docs/a.md": "one\n"})
    story.tell("mutation.observed", intent="INT-1", edits={HOSTILE: "one\n"})
    story.tell("mutation.observed", intent="INT-1", edits={HOSTILE: "two\n"})
    story.tell("mutation.observed", intent="INT-1", edits={HOSTILE: "one\n"})
    story.call("Bash", "shell", command="git push --force origin main  # `$(x)` <script>", permission_mode="yolo")
    story.tell("mutation.observed", {"via": "shell"}, session="s2", agent="codex", edits={"CLAUDE.md": "be quick\n"})
    story.tell(
        "decision.recorded", {"decision_id": "D-1", "title": "Use | pipes", "status": "accepted"}, intent="INT-1"
    )
    story.written(repo.path)
    with open_tables(find(str(repo.path))) as tables:
        every = list(rulebook.rules().values())
        return audit(find(str(repo.path)), tables, Asking(every, parse(POLICY, "policy.yaml"), "", today()))


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_written_as_it_was(told, golden, name):
    golden(GOLDEN / f"audit.{name}", FORMATS[name](told))


def test_json_has_what_the_contract_promises(told):
    said = json.loads(FORMATS["json"](told))

    assert set(said) == {"schema_version", "meta", "rows"}
    assert all(row["path"] is None or row["path"] for row in said["rows"])
